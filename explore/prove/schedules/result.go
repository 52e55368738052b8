package schedules

import (
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/sim"
)

// Result is what a search has covered, and what it found.
type Result struct {
	Verdict prove.Verdict
	// Schedules are those that came to their end, Classes how many of them are no other's
	// schedule with steps swapped that do not conflict.
	Schedules, Classes int
	// Abandoned are schedules that were not followed to their end: each of their next steps was
	// looked at elsewhere.
	Abandoned int
	// Steps are all that were taken, Depth is the length of the longest schedule.
	Steps, Depth int
	// Fixed is how many questions were asked before the first step. Each has its first answer,
	// and what follows from others was not looked at.
	Fixed int
	// Stopped is in how many schedules the bound kept each timer from firing.
	Stopped []prove.Stopped
	// Checked is, by property, how many schedules put it to the test.
	Checked map[string]int
	// Situations are those that came about.
	Situations []sim.Situation
	// Failures are those of the first schedule that has one, or of all (Config.All), each once.
	Failures []Failed
	// Why says what ended an undecided search.
	Why     string
	Seconds float64

	classes map[sim.Digest]struct{}
}

// CameTo reports whether one of the schedules that came to their end was of a class.
func (r *Result) CameTo(c Class) bool {
	_, there := r.classes[sim.Digest(c)]
	return there
}

// Class tells schedules apart that differ in more than the order of steps that do not conflict.
type Class sim.Digest

// Redundant is how many schedules were taken to their end in vain.
func (r *Result) Redundant() int { return r.Schedules - r.Classes }

// Failed is a way to fail, with a schedule that shows it. It need not be a shortest one.
type Failed struct {
	explore.Failure
	Path *Path
}

// Progress is how far a search is.
type Progress struct {
	Schedules, Abandoned, Steps int
	Elapsed                     time.Duration
}
