package strategy

import (
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
)

// Profile is what trial runs measure of a subject. A strategy that needs the
// length of a run takes it from here. It must not take it from the runs before:
// those depend on how seeds were spread over workers, and a seed must give the
// same run alone as in a campaign. Each number is the greatest of all trial runs.
type Profile struct {
	// Steps is the length of a run, Picks how many of its steps had an alternative.
	Steps, Picks int
	// Events is the number of events by slot.
	Events []uint32
	// Limit is the number of steps after which a run is cut off, 0 if there is none.
	Limit int
}

// trials is how many runs of each kind make a profile. A few are enough: a
// subject that varies much is not known better after dozens.
const trials = 4

// Measure carries out the trial runs, which are always the same ones. Half of
// them are plain random walks, half let some nodes be much slower than others:
// where one task waits to the end, far more steps have an alternative.
func Measure(r *explore.Runner) Profile {
	p := Profile{Limit: r.Limit()}
	p.try(r, &randomWalk{})
	p.try(r, &weightsChooser{patience: p.atMostHalf(4 * p.patience())})
	return p
}

func (p *Profile) try(r *explore.Runner, chooser Chooser) {
	c := counter{chooser: chooser}
	for seed := range uint64(trials) {
		c.Begin(mix(seed))
		res := r.Run(&c)
		p.Steps = max(p.Steps, res.Steps)
		p.Picks = max(p.Picks, c.picks)
		for len(p.Events) < len(c.events) {
			p.Events = append(p.Events, 0)
		}
		for slot, n := range c.events {
			p.Events[slot] = max(p.Events[slot], n)
		}
	}
}

// patience is how many steps a strategy gets that can starve a slot, before it
// must be fair so that its runs end.
func (p *Profile) patience() int { return p.atMostHalf(2 * max(p.Steps, 1)) }

// atMostHalf leaves a run half of its steps to end in: a trial run that starved a slot
// until it was cut off would otherwise let every run do so.
func (p *Profile) atMostHalf(steps int) int {
	if p.Limit == 0 {
		return steps
	}
	return min(steps, p.Limit/2)
}

// counter counts what another chooser is asked.
type counter struct {
	chooser Chooser
	picks   int
	events  []uint32
}

func (c *counter) Begin(seed uint64) {
	c.chooser.Begin(seed)
	c.picks = 0
	clear(c.events)
}

func (c *counter) Pick(w *sim.World, enabled []sim.Action) int {
	if len(enabled) > 1 {
		c.picks++
	}
	i := c.chooser.Pick(w, enabled)
	for slot := int(enabled[i].Slot); slot >= len(c.events); {
		c.events = append(c.events, 0)
	}
	c.events[enabled[i].Slot]++
	return i
}

func (c *counter) Choose(w *sim.World, n int, what string) int {
	return c.chooser.Choose(w, n, what)
}
