package informers

import (
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer/shared"
	"github.com/watchbed/watchbed/testbed"
)

// HandlerResyncs judges what handlers are told once more: of a resync, or of a list in which an object has not
// changed. It is exercised by each such notification.
var HandlerResyncs = testbed.RegisterProperty(&testbed.Property{
	Name: "handler-resyncs", Kind: testbed.Safety,
	Promise:   "What a handler is told once more is there, and as the handler knows it.",
	Violated:  "resync of what is not so",
	Labels:    map[string]string{"gone": "resync of what is not there", "old": "resync of an earlier state"},
	Weight:    2,
	Past:      testbed.NoPast,
	TimedPast: testbed.NoPast,
	New:       func(s *testbed.System) testbed.Judge { return &handlerResyncs{notified: notified{system: s}} },
})

type handlerResyncs struct {
	notified
	tally testbed.Tally
}

// Reset implements testbed.Judge.
func (j *handlerResyncs) Reset() {
	j.notified.reset()
	j.tally = testbed.Tally{}
}

// AfterStep implements testbed.StepObserver.
func (j *handlerResyncs) AfterStep(_ *sim.World, a sim.Action) {
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
	})
}

// Finding implements testbed.Judge.
func (j *handlerResyncs) Finding(*sim.World) explore.Finding { return j.tally.Finding() }
