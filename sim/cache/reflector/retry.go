package reflector

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
)

// maxInternalErrorRetry is how long the reflector watches again after internal
// errors before it lists again (Reflector.MaxInternalErrorRetryDuration, which
// the cacher sets so that an etcd election does not end all watches).
const maxInternalErrorRetry = 30 * time.Second

// retryWithDeadline is client-go's: internal errors are retried until they have
// gone on for maxInternalErrorRetry; a quiet minute makes them new ones.
type retryWithDeadline struct {
	failed      bool
	first, last sim.Time
}

// again reports whether to watch again after an error.
func (r *retryWithDeadline) again(env *sim.Env) bool {
	now := env.Now()
	if !r.failed || env.Elapsed(r.last, time.Minute) {
		*r = retryWithDeadline{failed: true, first: now, last: now}
		return true
	}
	r.last = now
	// Exactly 30 s are still within.
	if env.Elapsed(r.first, maxInternalErrorRetry+1) {
		*r = retryWithDeadline{}
		return false
	}
	return true
}

// Retry is a value of Retries.
type Retry uint8

// Retries say whether the reflector bears errors for that time, and watches again.
var Retries = option.NewSeam[Retry, bool]("watch-retry", "what a cache does when its watch of etcd ends with an error other than a compaction").
	Shipped("half-a-minute", "it watches again for as long as the errors last no longer than 30 s", true)
