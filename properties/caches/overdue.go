package caches

import (
	"fmt"
	"slices"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/moments"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
)

// graceOf is how much longer than its wait a request may take, by the phase in which it
// was asked: a message there and one back, and the turns of the cache. Of a node of another kind each goroutine may
// have a turn of its own. Delays are ten times as long in the safety phase.
func graceOf(s *testbed.System) (grace [2]time.Duration) {
	const messages, ofCache, ofGoroutines, wide = 2, 4, 40, 10
	turns := time.Duration(ofCache)
	if slices.ContainsFunc(s.Caches(), func(c *testbed.Cache) bool { return c.Server().Design.OwnNode() }) {
		turns = ofGoroutines
	}
	c := s.Params().Clock
	grace[sim.Liveness] = messages*c.Network + turns*c.Scheduling
	grace[sim.Safety] = wide * grace[sim.Liveness]
	return grace
}

// late says what is wrong with a request of a version that the cache has to reach, if
// neither an answer nor a refusal comes in time. Nothing keeps the cache from refusing
// such a request: it does not ask etcd about it. A design that does asks etcd whether
// the version exists, and need not wait if it does not.
func (j *justifiedRefusals) late(op *model.Operation, span *workload.Span, at *moments.Call, now sim.Time) string {
	if !j.timed || at.Cache < 0 || !j.moments.StayedReady(at) {
		return ""
	}
	if server, known := j.promise.server(op, at); !known || server != wire.FromCache {
		return ""
	}
	longest := j.rulesOf(at).patience + j.grace[span.Phase]
	switch list, ok := at.Request.(*wire.ListRequest); {
	case op.Request.Freshness == model.Consistent || op.Request.Freshness == model.Any:
		return ""
	case ok && isExact(list) && j.rulesOf(at).asksEtcd:
		if span.Phase == sim.Safety || !at.Over || op.Request.Revision <= at.Answered.Revision {
			return ""
		}
		longest = j.rulesOf(at).patience - 1
	}
	took := now.Sub(span.Call)
	if span.Answered {
		took = span.Return.Sub(span.Call)
	}
	if took > longest {
		return fmt.Sprintf("took %v, and was to be answered or refused within %v", took, longest)
	}
	return ""
}

// overdue is a request that is answered or refused too late.
type overdue struct {
	client string
	call   int64
	what   string
	wrong  string
}

func (o *overdue) String() string { return fmt.Sprintf("%s's %s %s", o.client, o.what, o.wrong) }

// Concerns implements explore.Concerned.
func (o *overdue) Concerns() explore.Concern {
	return explore.Concern{Client: o.client, Call: o.call}
}
