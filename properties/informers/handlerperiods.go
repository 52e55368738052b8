package informers

import (
	"fmt"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer/shared"
	"github.com/watchbed/watchbed/testbed"
)

// noise is by how much two resyncs may be nearer to each other, or further apart, than the periods say: what is queued
// before a notification takes its time.
const noise = time.Second

// periods follows the resyncs of shared informers in a run with a clock. A handler gets one in each of its periods, at
// the first look of the informer after that, which comes once in the period of checks. Looks begin anew with each
// ListAndWatch, as in client-go.
type periods struct {
	system *testbed.System
	// of are those of the processes, by informer.
	of []resyncs
}

// resyncs are those of one process.
type resyncs struct {
	process int
	// looks: the goroutine of the resyncs runs, since then. filled is since when there is something in the store, listed
	// when the last list came.
	looks                 bool
	since, filled, listed sim.Time
	empty                 bool
	lists                 int
	handlers              []handlerTimes
}

// handlerTimes are those of one handler: since when it listens, when it was last told something once more, and when of
// each object.
type handlerTimes struct {
	listens     bool
	since, last sim.Time
	of          map[string]sim.Time
}

func (p *periods) reset() {
	p.of = p.of[:0]
	for range p.system.Informers() {
		p.of = append(p.of, resyncs{process: -1})
	}
}

func (p *periods) resyncsOf(n *testbed.Informer) *resyncs {
	return &p.of[n.ID-p.system.Informers()[0].ID]
}

// follow takes in what has become of an informer in a step.
func (p *periods) follow(w *sim.World, n *testbed.Informer) {
	r, s, record := p.resyncsOf(n), n.Shared(), n.Record()
	if r.process != record.Restarts {
		*r = resyncs{process: record.Restarts, empty: true, handlers: make([]handlerTimes, len(s.Handlers()))}
	}
	if lists := record.Listed + record.Streamed; lists != r.lists {
		r.lists, r.listed = lists, w.Now()
	}
	if s.Resyncing() && !r.looks {
		r.since = w.Now()
	}
	r.looks = s.Resyncing()
	if r.empty && s.Len() > 0 {
		r.filled = w.Now()
	}
	r.empty = s.Len() == 0
	for i, h := range s.Handlers() {
		if t := &r.handlers[i]; h.Listens() != t.listens {
			*t = handlerTimes{listens: h.Listens(), since: w.Now(), of: map[string]sim.Time{}}
		}
	}
}

// told takes in that a handler was told something once more, and says so if that was too soon. A list tells it, too.
func (p *periods) told(w *sim.World, n *testbed.Informer, i int, key string) fmt.Stringer {
	r := p.resyncsOf(n)
	t := &r.handlers[i]
	before, again := t.of[key]
	t.last, t.of[key] = w.Now(), w.Now()
	period := n.Shared().Handlers()[i].Period()
	if !again || before.Sub(r.listed) <= noise || w.Now().Sub(before) >= period-noise {
		return nil
	}
	return &unpunctual{n.Name, handlerName(n, i), fmt.Sprintf("was told of %s at %v, and %v later once more", key, time.Duration(before), w.Now().Sub(before)), period}
}

// overdue is a handler that waits for a resync for too long, nil if there is none.
func (p *periods) overdue(w *sim.World, n *testbed.Informer) fmt.Stringer {
	r, s := p.resyncsOf(n), n.Shared()
	if !r.looks || r.empty {
		return nil
	}
	for i, h := range s.Handlers() {
		t := &r.handlers[i]
		if !h.Listens() || h.Period() == 0 {
			continue
		}
		waits := w.Now().Sub(max(r.since, r.filled, t.since, t.last))
		if waits > within(s, h) {
			return &unpunctual{n.Name, handlerName(n, i), fmt.Sprintf("has had no resync for %v", waits), h.Period()}
		}
	}
	return nil
}

// within is how long a handler may wait for a resync.
func within(s *shared.Informer, h *shared.Handler) sim.Duration {
	return h.Period() + s.CheckPeriod() + noise
}

// unpunctual is a resync at another time.
type unpunctual struct {
	informer, handler, what string
	period                  sim.Duration
}

func (u *unpunctual) String() string {
	return fmt.Sprintf("%s %s, and its resync period is %v", u.handler, u.what, u.period)
}

// Concerns implements explore.Concerned.
func (u *unpunctual) Concerns() explore.Concern { return explore.Concern{Node: u.informer} }
