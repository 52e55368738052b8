package explore

import "github.com/watchbed/watchbed/sim"

// usual is the default choice, for where a list of choices says nothing: what
// has been possible for longest, but timers only when nothing else can happen,
// and faults last. It is fair, so that a run that goes on with it ends, and it is
// how an unloaded system behaves, so that what departs from it is what matters.
func usual(enabled []sim.Action) int {
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
