package schedules

import (
	"time"

	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/sim"
)

// Result is what a search has covered, and what it found.
type Result struct {
	prove.Result
	classes map[sim.Digest]struct{}
}

// CameTo reports whether one of the schedules that came to their end was of a class.
func (r *Result) CameTo(c Class) bool {
	_, there := r.classes[sim.Digest(c)]
	return there
}

// Class tells schedules apart that differ in more than the order of steps that do not conflict.
type Class sim.Digest

// Progress is how far a search is.
type Progress struct {
	Schedules, Abandoned, Steps int
	Elapsed                     time.Duration
}
