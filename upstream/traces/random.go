package traces

import (
	"fmt"
	"math/rand/v2"

	"github.com/watchbed/watchbed/sim"
)

// Random chooses. In every second seed it is stubborn: threads have priorities (as in PCT, Burckhardt et al. 2010) that change now and
// then, and so have answers.
type Random struct {
	*rand.Rand
	stubborn bool
	weights  map[string]int
}

// NewRandom is the one of a seed.
func NewRandom(seed int) *Random {
	return &Random{Rand: rand.New(rand.NewPCG(uint64(seed), 0)), stubborn: seed%2 == 1, weights: map[string]int{}}
}

// changes is how many choices there are, about, between two changes of a priority.
const changes = 12

// weight is the priority of what has this name.
func (r *Random) weight(name string) int {
	of, known := r.weights[name]
	if !known || r.IntN(changes) == 0 {
		of = r.IntN(1 << 20)
		r.weights[name] = of
	}
	return of
}

// Pick implements sim.Chooser.
func (r *Random) Pick(_ *sim.World, enabled []sim.Action) int {
	if !r.stubborn {
		return r.IntN(len(enabled))
	}
	best, most := 0, -1
	for i, a := range enabled {
		if of := r.weight(fmt.Sprint(a.Kind, a.Slot)); of > most {
			best, most = i, of
		}
	}
	return best
}

// Choose implements sim.Chooser.
func (r *Random) Choose(_ *sim.World, n int, what string) int {
	if !r.stubborn {
		return r.IntN(n)
	}
	return r.weight(what) % n
}
