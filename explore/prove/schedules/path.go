package schedules

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
)

// Path is a schedule that was found. As a chooser it takes it once, and cuts the run off
// behind it. It knows steps by their names: a run numbers its connections in another way than
// the search.
type Path struct {
	steps []named
	at    int
	// asked is how many questions the present step has asked. Before the first step each has
	// its first answer.
	asked int
}

type named struct {
	name    string
	answers []int
}

func (p *Path) Len() int { return p.at }
func (p *Path) Begin()   { p.at, p.asked = 0, 0 }

// Pick implements sim.Chooser.
func (p *Path) Pick(w *sim.World, enabled []sim.Action) int {
	if p.at == len(p.steps) {
		return -1
	}
	p.at, p.asked = p.at+1, 0
	name := p.steps[p.at-1].name
	return slices.IndexFunc(enabled, func(a sim.Action) bool { return w.Name(a) == name })
}

// Choose implements sim.Chooser.
func (p *Path) Choose(*sim.World, int, string) int {
	if p.at == 0 {
		return 0
	}
	p.asked++
	return p.steps[p.at-1].answers[p.asked-1]
}
