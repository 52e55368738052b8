package informers

import (
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer/shared"
	"github.com/watchbed/watchbed/testbed"
)

// HandlerResyncs judges what handlers are told once more, of a resync or of a list in which an object has not
// changed, and in runs with a clock also when. It is exercised by each such notification.
var HandlerResyncs = testbed.RegisterProperty(&testbed.Property{
	Name: "handler-resyncs", Kind: testbed.Safety,
	Promise:  "What a handler is told once more is there, and as the handler knows it; with a clock it is told once in each of its resync periods, and as soon as the informer looks for that.",
	Violated: "resync of what is not so",
	Labels: map[string]string{
		"gone": "resync of what is not there", "old": "resync of an earlier state",
		"early": "resync before its time", "late": "no resync in its time",
	},
	Weight: 2,
	Past:   testbed.NoPast,
	New: func(s *testbed.System) testbed.Judge {
		return &handlerResyncs{notified: notified{system: s}, periods: periods{system: s}}
	},
})

type handlerResyncs struct {
	notified
	periods periods
	tally   testbed.Tally
}

// Reset implements testbed.Judge.
func (j *handlerResyncs) Reset() {
	j.notified.reset()
	j.periods.reset()
	j.tally = testbed.Tally{}
}

// AfterStep implements testbed.StepObserver.
func (j *handlerResyncs) AfterStep(w *sim.World, a sim.Action) {
	timed := w.Mode() == sim.Timed
	if timed {
		j.punctual(w, a)
	}
	j.each(a, func(n *testbed.Informer, i int, h *shared.Handler) {
		last, had := h.Last(), h.Had()
		if !last.Resyncs() {
			return
		}
		j.tally.Exercised++
		switch {
		case had == nil:
			j.tally.Violate("gone", &misled{n.Name, handlerName(n, i), last, had})
		case *had != *last.New:
			j.tally.Violate("old", &misled{n.Name, handlerName(n, i), last, had})
		}
		if timed {
			if soon := j.periods.told(w, n, i, last.New.Key); soon != nil {
				j.tally.Violate("early", soon)
			}
		}
	})
}

// punctual looks for handlers that wait for a resync for too long.
func (j *handlerResyncs) punctual(w *sim.World, a sim.Action) {
	for _, n := range j.system.InformersAfter(a) {
		if n.Shared() == nil {
			continue
		}
		j.periods.follow(w, n)
		if late := j.periods.overdue(w, n); late != nil {
			j.tally.Violate("late", late)
		}
	}
}

// Finding implements testbed.Judge.
func (j *handlerResyncs) Finding(*sim.World) explore.Finding { return j.tally.Finding() }
