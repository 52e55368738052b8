package informers

import (
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer/shared"
	"github.com/watchbed/watchbed/testbed"
)

// HandlerOrder judges each notification by what its handler was told of the same object before. It is exercised
// by each notification.
var HandlerOrder = testbed.RegisterProperty(&testbed.Property{
	Name: "handler-order", Kind: testbed.Safety,
	Promise:  "A handler is told that an object was added only if it knows of none, and that it has changed or was deleted only from the state that it knows.",
	Violated: "handler told out of order",
	Labels: map[string]string{
		"again": "handler told twice of an object", "unknown": "handler told of an unknown one",
		"skipped": "handler not told of a state",
	},
	Weight:    2,
	Past:      testbed.NoPast,
	TimedPast: testbed.NoPast,
	New:       func(s *testbed.System) testbed.Judge { return &handlerOrder{notified: notified{system: s}} },
})

type handlerOrder struct {
	notified
	tally testbed.Tally
}

// Reset implements testbed.Judge.
func (j *handlerOrder) Reset() {
	j.notified.reset()
	j.tally = testbed.Tally{}
}

// AfterStep implements testbed.StepObserver.
func (j *handlerOrder) AfterStep(_ *sim.World, a sim.Action) {
	j.each(a, func(n *testbed.Informer, i int, h *shared.Handler) {
		j.tally.Exercised++
		last, had, label := h.Last(), h.Had(), ""
		switch {
		case last.Kind == shared.Added && had != nil:
			label = "again"
		case last.Kind != shared.Added && had == nil:
			label = "unknown"
		case last.Kind == shared.Updated && *last.Old != *had:
			label = "skipped"
		}
		if label != "" {
			j.tally.Violate(label, &misled{n.Name, handlerName(n, i), last, had})
		}
	})
}

// Finding implements testbed.Judge.
func (j *handlerOrder) Finding(*sim.World) explore.Finding { return j.tally.Finding() }
