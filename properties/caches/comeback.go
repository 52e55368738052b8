package caches

import (
	"fmt"
	"math"
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/moments"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"
)

// comeback is when a refusal may let the client ask again, in seconds: from least to
// most, or alternative. It is what Retry-After says in Kubernetes:
//
//   - a cache that is behind says 1 (storage/cacher, resourceVersionTooHighRetrySeconds),
//     and etcd's own storage says nothing;
//   - a cache that is not ready says the longer the longer it has been so: e to the
//     power of 0.06 times the seconds, at most 30 (calculateRetryAfterForUnreadyCache);
//   - a limit of requests says 1.
type comeback struct{ least, most, alternative int }

var (
	anyTime   = comeback{0, math.MaxInt, 0}
	notSaid   = comeback{0, 0, 0}
	oneSecond = comeback{1, 1, 1}
)

// wrong says what is wrong with what a refusal says, nothing if it is right.
func (c comeback) wrong(seconds int) string {
	switch {
	case c.least <= seconds && seconds <= c.most, seconds == c.alternative:
		return ""
	case c.least == c.most:
		return fmt.Sprintf("it lets the client ask again after %d s, and the design says %d s", seconds, c.least)
	}
	return fmt.Sprintf("it lets the client ask again after %d s, and the design says between %d s and %d s", seconds, c.least, c.most)
}

// comebackOf is for a refused LIST or GET.
func (j *justifiedRefusals) comebackOf(op *model.Operation, span *workload.Span, at *moments.Call) comeback {
	switch op.Result.Err {
	case model.TooManyRequests:
		switch {
		case at.Cache < 0:
			return notSaid
		case at.WasReady():
			return oneSecond
		}
		down := j.downtime(at)
		if j.rulesOf(at).limits || j.rulesOf(at).seats || j.rulesOf(at).throttles {
			down.alternative = 1
		}
		return down
	case model.TimedOut:
		server, known := j.promise.server(op, at)
		switch {
		case !known || !at.WasReady():
			return comeback{0, 1, 0}
		case server == wire.FromCache:
			return oneSecond
		}
		return notSaid
	case model.Compacted, model.Future:
		return notSaid
	}
	return anyTime
}

// comebackOfWatch is for a refused watch.
func (j *justifiedRefusals) comebackOfWatch(r *refusedWatch) comeback {
	switch r.err.Code {
	case wire.TooManyRequests:
		if r.at.WasReady() {
			return oneSecond
		}
		down := j.downtime(r.at)
		if j.rulesOf(r.at).seats {
			down.alternative = 1
		}
		return down
	case wire.TooLargeResourceVersion:
		return oneSecond
	}
	return notSaid
}

// downtime is for a cache that was not ready at some time between the request and the
// arrival of its refusal. A process that starts counts from its start, of which the
// judge knows nothing: with such faults only the longest time is judged. Without a clock
// any timer may fire at any point, and a cache that goes by it believes that any time has passed.
func (j *justifiedRefusals) downtime(at *moments.Call) comeback {
	if !j.timed {
		return comeback{retryAfter(0), retryAfter(math.MaxInt64), retryAfter(0)}
	}
	shortest := max(0, at.Asked.Time.Sub(at.Answered.Cache.DownSince))
	if f := j.system.Params().Faults; f.Restarts+f.Recreations+f.Replacements > 0 {
		shortest = 0
	}
	longest := at.Answered.Time.Sub(min(at.Asked.Cache.DownSince, at.Answered.Cache.DownSince))
	least, most := retryAfter(shortest-time.Millisecond), retryAfter(longest+time.Millisecond)
	return comeback{least, most, least}
}

// retryAfter is the formula. The callers leave a millisecond for the last bit of it,
// which differs between machines.
func retryAfter(down time.Duration) int {
	return int(min(30, max(1, math.Exp(0.06*down.Seconds()))))
}
