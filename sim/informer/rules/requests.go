package rules

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
)

// WholeList is a value of WholeLists.
type WholeList uint8

// Limit is the limit of a request, given the page size of the list. 0 is none.
type Limit func(pageSize int64) int64

// WholeLists are the limits of a list in one piece, which takes the place of pages whose
// revision is gone (FullListIfExpired). Its answer is taken for the whole list.
var WholeLists = option.NewSeam[WholeList, Limit]("informer-whole-list",
	"the limit of the list with which an informer replaces pages that expired").
	Shipped("unlimited", "none: as shipped", func(int64) int64 { return 0 })

// NextPage is a value of NextPages.
type NextPage uint8

// NextPages are the limits of the pages after the first.
var NextPages = option.NewSeam[NextPage, Limit]("informer-next-page", "the limit of the pages after the first of an informer's list").
	Shipped("limited", "that of the first: as shipped", func(pageSize int64) int64 { return pageSize })

// Retry is a value of RetryLimits.
type Retry uint8

// Again reports whether a request that was refused with Retry-After is sent again, after
// it was so many times.
type Again func(retries int) bool

// maxRetries is rest.Request.maxRetries.
const maxRetries = 10

// RetryLimits are the bounds of these.
var RetryLimits = option.NewSeam[Retry, Again]("informer-retries",
	"how often an informer sends a request again that is refused with Retry-After").
	Shipped("ten", "ten times, then it is a failure of the list or watch: as shipped", func(retries int) bool { return retries < maxRetries })

// Pause is a value of Pauses.
type Pause uint8

// Waits is how long the Reflector waits before it lists or watches again, given the
// pause of its backoff with the jitter.
type Waits func(backoff sim.Duration) sim.Duration

// Pauses are these times.
var Pauses = option.NewSeam[Pause, Waits]("informer-pause", "how long an informer waits after a failure").
	Shipped("backoff", "0.8 seconds to a minute, longer each time: as shipped", func(backoff sim.Duration) sim.Duration { return backoff })
