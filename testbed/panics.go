package testbed

import (
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// NoPanic is promised by every scenario, and claimed by none: package explore has a
// finding of it in a run that panics, in which nothing else is judged.
var NoPanic = RegisterProperty(&Property{
	Name: explore.NoPanic, Kind: Safety,
	Promise:  "Simulated code does not panic.",
	Violated: "panic",
	Weight:   20,
	New:      func(*System) Judge { return noPanic{} },
})

type noPanic struct{}

// Reset implements Judge.
func (noPanic) Reset() {}

// Finding implements Judge. A run that is judged has not panicked.
func (noPanic) Finding(*sim.World) explore.Finding {
	return explore.Finding{Verdict: model.Holds, Exercised: 1}
}
