package explore

import (
	"github.com/watchbed/watchbed/sim"
)

// DefaultChoice is the index of the enabled action to take where a list of
// choices says nothing: the action that has been possible for longest, but a
// timer only if there are only timers and faults, and a fault only if there is
// nothing else. It is fair, so a run that goes on with it ends. It is also how an
// unloaded system behaves, so the departures from it are what matters in a run.
func DefaultChoice(enabled []sim.Action) int {
	best := 0
	for i := 1; i < len(enabled); i++ {
		a, b := &enabled[i], &enabled[best]
		if p, q := precedence(a.Kind), precedence(b.Kind); p < q || p == q && a.Since < b.Since {
			best = i
		}
	}
	return best
}

// settlingChoice is DefaultChoice, but that a deadline (sim.Deadlines) comes behind the other timers that are set up to
// a hundred steps later: what it bounds may need some of them, and would be given up again and again without them.
func settlingChoice(w *sim.World, enabled []sim.Action) int {
	best := DefaultChoice(enabled)
	if !w.IsDeadline(enabled[best]) {
		return best
	}
	other := best
	for i, a := range enabled {
		if a.Kind == sim.Fire && !w.IsDeadline(a) && a.Since < enabled[best].Since+100 && (other == best || a.Since < enabled[other].Since) {
			other = i
		}
	}
	return other
}

func precedence(k sim.Kind) int {
	switch k {
	case sim.Fire:
		return 1
	case sim.Inject:
		return 2
	}
	return 0
}

// IsOwed reports whether a fair schedule has to take an action sooner or later if it is
// enabled again and again: what a world that goes on for ever cannot put off for ever. Fairness is
// strong: what is enabled again and again happens again and again, since Go's select takes one of the
// ready cases at random.
//
// Messages, loops and timers get their turn. A fault need not strike. A deadline (sim.Deadlines) need
// not pass: what never comes is looked for in worlds in which waiting does not end by giving up.
func IsOwed(w *sim.World, a sim.Action) bool {
	return a.Kind != sim.Inject && !w.IsDeadline(a)
}

// IsAtRest reports whether nothing can happen but that timers fire and faults strike: all
// messages have arrived, and all loops wait.
func IsAtRest(w *sim.World) bool {
	for _, a := range w.Enabled() {
		if a.Kind != sim.Fire && a.Kind != sim.Inject {
			return false
		}
	}
	return true
}
