package timers

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
)

// amiss is what is wrong in a cache after a step.
type amiss struct {
	cache string
	step  int
	wrong string
}

func (a *amiss) String() string {
	return fmt.Sprintf("after step %d of the run %s: %s", a.step, a.cache, a.wrong)
}

// Concerns implements explore.Concerned.
func (a *amiss) Concerns() explore.Concern { return explore.Concern{Node: a.cache} }
