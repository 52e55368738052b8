package read

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// OnTimeout is the value of the option on-timeout.
type OnTimeout uint8

// TimeoutRule ends a consistent LIST that the cache could not serve within
// Limits.BlockTimeout.
type TimeoutRule func(env *sim.Env, r *Read)

// Timeouts is the seam of what becomes of a consistent LIST that waited in vain
// (KEP-2340, "What if the watch cache is stale?").
var Timeouts = option.NewSeam[OnTimeout, TimeoutRule]("on-timeout", "what becomes of a consistent LIST when the cache is not fresh after 3 s").
	Shipped("reject", "504 with cause ResourceVersionTooLarge (KEP-2340)", reject)

// The other values of on-timeout.
var (
	OnTimeoutFallback = Timeouts.Register("fallback", "etcd answers: the default since Kubernetes 1.31", fallBack)
	OnTimeoutThrottle = Timeouts.Register("throttle", "429 (the alpha gate ConsistentListFromCacheSkipTimeoutFallback)", throttle)
)

func reject(env *sim.Env, r *Read) {
	env.Cover(consistentRejected)
	r.Refuse(env, tooLarge)
}

func fallBack(env *sim.Env, r *Read) {
	env.Cover(consistentFallback)
	r.AskEtcd(env, wire.FromFallback)
}

func throttle(env *sim.Env, r *Read) {
	env.Cover(consistentThrottled)
	r.Refuse(env, throttled)
}

var (
	tooLarge = &wire.Error{Code: wire.TooLargeResourceVersion, Message: "Too large resource version", RetryAfter: 1}
	// tooLargeForEtcd is the same from etcd's own store, which does not say when
	// to come back.
	tooLargeForEtcd = &wire.Error{Code: wire.TooLargeResourceVersion, Message: "Too large resource version for etcd"}
	throttled       = &wire.Error{Code: wire.TooManyRequests, Message: "Too large resource version: retry after 1 s", RetryAfter: 1}
	unavailable     = &wire.Error{Code: wire.Unavailable, Message: "etcd went away"}
)
