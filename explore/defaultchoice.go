package explore

import "github.com/watchbed/watchbed/sim"

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

func precedence(k sim.Kind) int {
	switch k {
	case sim.Fire:
		return 1
	case sim.Inject:
		return 2
	}
	return 0
}
