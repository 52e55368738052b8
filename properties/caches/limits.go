package caches

import (
	"fmt"
	"math"
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/moments"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// limits are what a design answers with 429 above.
type limits struct {
	// lists may be with etcd at a time, and objects in answers that are under way, by a measurement that is a
	// period old at most; 0 is no limit.
	lists, objects int
	period         time.Duration
	// seats: a request may have to wait for others. Whether it may be refused then is for seats-kept to say.
	seats bool
}

// measurePeriod is that of KEP-3157 (Alternatives), unless measure-period says otherwise.
const measurePeriod = 100 * time.Millisecond

func (l limits) any() bool { return l.lists > 0 || l.objects > 0 || l.seats }

// beside is what a cache had to do beside a call: at most so many requests of others at a time, and so many objects
// in answers.
type beside struct{ requests, objects int }

// withinLimits says what is wrong with a 429 of a cache that was ready, nothing if a limit of its design may have
// been reached.
func (j *justifiedRefusals) withinLimits(at *moments.Call) string {
	l := j.rulesOf(at).limits
	if !l.any() {
		return "the cache was ready all the time"
	}
	others := j.beside(at)
	_, list := at.Request.(*wire.ListRequest)
	if l.seats && others.requests > 0 || list && l.lists > 0 && others.requests >= l.lists || list && l.objects > 0 && others.objects >= l.objects {
		return ""
	}
	if list && l.objects > 0 {
		return fmt.Sprintf("the cache was ready all the time, and had %d objects in answers", others.objects)
	}
	return fmt.Sprintf("the cache was ready all the time, and had %d requests of others", others.requests)
}

// beside counts what clients of the history have asked a cache for. What others list is not recorded, and may
// be any number of requests. Of an answer that is not there it is not known how many objects it has.
func (j *justifiedRefusals) beside(at *moments.Call) (all beside) {
	s, l := j.system, j.rulesOf(at).limits
	if len(s.Pollers())+len(s.Informers())+len(s.Watchers())+len(s.ListWatchers())+len(s.DrawnWatchers()) > 0 {
		return beside{math.MaxInt, math.MaxInt}
	}
	for i, c := range s.Clients() {
		calls, ops := j.moments.Operations(i), c.Operations()
		for k := range calls {
			other := &calls[k]
			if other.Cache != at.Cache || at.Request != nil && i == at.Client && k == at.Number || at.Over && other.Asked.Step > at.Answered.Step {
				continue
			}
			if !other.Over || other.Answered.Step >= at.Asked.Step {
				all.requests++
			}
			switch _, list := other.Request.(*wire.ListRequest); {
			case list && !other.Over:
				all.objects = math.MaxInt / 2
			case ops[k].Outcome != model.Done:
			case !j.timed || other.Answered.Time >= at.Asked.Time-sim.Time(l.period):
				all.objects += len(ops[k].Result.Items)
			}
		}
	}
	return all
}

// digest mixes in what was beside an open call so far, as far as a limit counts it.
func (b beside) digest(d sim.Digest, l limits) sim.Digest {
	return d.Bool(l.seats && b.requests > 0).Int(int64(min(b.requests, l.lists))).Int(int64(min(b.objects, l.objects)))
}
