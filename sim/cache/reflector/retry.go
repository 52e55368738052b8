package reflector

import (
	"time"

	"github.com/watchbed/watchbed/sim"
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
