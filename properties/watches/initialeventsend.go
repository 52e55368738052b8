package watches

import (
	"fmt"
	"slices"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
)

// InitialEventsEnd is also violated by a watch that the cache refuses or ends: that
// one does not hang, but it is not sent the end either. It is exercised by watches
// of the liveness phase that were sent the end or are violations.
var InitialEventsEnd = testbed.RegisterProperty(&testbed.Property{
	Name: "initial-events-end", Kind: testbed.Liveness,
	Promise:   "In the liveness phase every watch with initial events is sent their end within a bound.",
	Violated:  "initial events never end",
	Labels:    map[string]string{"no-end": "initial events never end", "late": "initial events end too late", "refused": "initial events refused"},
	Past:      func(s *testbed.System) testbed.Past { return initialEventsEndPast{s} },
	TimedPast: func(s *testbed.System) testbed.Past { return initialEventsEndPast{s} },
	New:       func(s *testbed.System) testbed.Judge { return &initialEventsEnd{s, initialEventsBound(s)} },
})

// bookmarkTimer is the cacher's, with its jitter.
const bookmarkTimer = 1250 * time.Millisecond

// initialEventsBound: the cache has to be as fresh as for a consistent LIST, and
// then sends its objects one by one. The client sends its request and is sent the
// first event: that is in the bound of a LIST.
func initialEventsBound(s *testbed.System) testbed.Bound {
	p := s.Params()
	if p.Workload.ListWatch.Within > 0 {
		return testbed.Bound{Total: p.Workload.ListWatch.Within, Derivation: "as the scenario has it"}
	}
	sent := time.Duration(p.Workload.Items + p.Workload.ObjectWrites() + 1)
	b := s.ReadBound().Plus(sent*(2*p.Clock.Scheduling+p.Clock.Network)+sent*p.Workload.ListWatch.Pace,
		fmt.Sprintf("%d events one after the other, with two turns of a loop and a message each", sent))
	if slices.ContainsFunc(s.Caches(), endsByTimer) {
		b = b.Plus(bookmarkTimer, fmt.Sprintf("a bookmark timer of at most %v", bookmarkTimer))
	}
	return b
}

func endsByTimer(c *testbed.Cache) bool {
	return slices.ContainsFunc(c.Servers(), func(s *testbed.Server) bool { return s.Cache.Watches.EndByTimer })
}

type initialEventsEnd struct {
	system *testbed.System
	bound  testbed.Bound
}

// Reset implements testbed.Judge.
func (*initialEventsEnd) Reset() {}

// Finding implements testbed.Judge.
func (j *initialEventsEnd) Finding(w *sim.World) explore.Finding {
	var all testbed.Tally
	for _, c := range j.system.ListWatchers() {
		for i := range c.Streams() {
			st := &c.Streams()[i]
			if !st.IsList() || st.Phase != sim.Liveness {
				continue
			}
			late := &lateEnd{client: c.Name(), stream: st, bound: j.bound}
			switch {
			case st.End >= 0:
				all.Exercised++
				if late.took = st.Ended.Sub(st.Began); late.took > j.bound.Total {
					all.Violate("late", late)
				}
			case st.Closed:
				all.Exercised++
				late.refused = true
				all.Violate("refused", late)
			default:
				if late.took = w.Now().Sub(st.Began); late.took > j.bound.Total {
					all.Exercised++
					all.Violate("no-end", late)
				}
			}
		}
	}
	return all.Finding()
}

// initialEventsEndPast is which clients wait for an end that is promised to them. How long
// they wait is not in it: without a clock no time passes.
type initialEventsEndPast struct{ system *testbed.System }

// Digest implements testbed.Past.
func (p initialEventsEndPast) Digest(d sim.Digest) sim.Digest {
	for _, c := range p.system.ListWatchers() {
		all := c.Streams()
		d = d.Bool(len(all) > 0 && awaitsEnd(&all[len(all)-1]) && all[len(all)-1].Phase == sim.Liveness)
	}
	return d
}

// lateEnd is a watch that was not sent the end of its initial events in time.
type lateEnd struct {
	client  string
	stream  *workload.ListStream
	took    time.Duration
	refused bool
	bound   testbed.Bound
}

func (l *lateEnd) String() string {
	what := fmt.Sprintf("was sent the end of its initial events after %v", l.took)
	switch {
	case l.refused:
		what = "was ended before the end of its initial events"
	case l.stream.End < 0:
		what = fmt.Sprintf("still waits for the end of its initial events after %v", l.took)
	}
	return fmt.Sprintf("%s's %s at %v %s; it should have been sent within %v (%s)",
		l.client, l.stream.Request.Label(), l.stream.Began.Sub(0), what, l.bound.Total, l.bound.Derivation)
}

// Concerns implements explore.Concerned. A watch that was ended at once is an attempt
// that began with its request; others were sent something in between.
func (l *lateEnd) Concerns() explore.Concern {
	c := explore.Concern{Node: l.client}
	if l.refused && len(l.stream.Events) <= 1 {
		c.Began = l.stream.Began
	}
	return c
}
