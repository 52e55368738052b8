package prove

import (
	"math"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
)

// Verdict is what a search has shown of a subject within its bounds.
type Verdict string

// The verdicts. Vacuous is a search that was complete and did not put some property to the
// test in any step.
const (
	Proved    Verdict = "proved"
	Violated  Verdict = "violated"
	Undecided Verdict = "undecided"
	Vacuous   Verdict = "vacuous"
)

// Result is what a search has covered, and what it found.
type Result struct {
	Verdict Verdict
	// States are all that were found, Transitions all steps that were taken.
	States, Transitions int
	// Depth is the number of steps of the longest of the shortest schedules to a state.
	Depth int
	// Left is the number of states that were found and not expanded, because the search
	// has ended before.
	Left int
	// Ended are the states in which the subject said that the run is over. Rested are those in
	// which nothing more could happen although it did not.
	Ended, Rested int
	// CutStates are the states in which only the bounds kept something from happening,
	// Stopped how often each timer was kept from firing.
	// Of a timed run, it is the states in which the horizon has ended it.
	CutStates int
	Stopped   []Stopped
	// Spread are the questions of which not all answers were looked at (Bounds.Answers), by name.
	Spread []Spread
	// Fixed is how many questions were asked before the first state. Each has its first answer,
	// and what follows from others was not looked at.
	Fixed int
	// Checked is, by property, how many steps put it to the test.
	Checked map[string]int
	// Situations are those that came about since the search began or went on.
	Situations []sim.Situation
	// Failures are those of the first depth at which there is one, each once.
	Failures []Failed
	// Why says what ended an undecided search.
	Why string
	// GoesOn is whether the search goes on if it was kept: a limit of the process ended it, not a
	// bound of the search.
	GoesOn bool
	// Resumed is how many states were kept of the search when it went on, 0 if it began.
	Resumed int
	// Seconds and Bytes are what it took, with the time before it was interrupted; the bytes are
	// those of the states that are kept.
	// Filed is how many states' fingerprints were in a file, because memory was full.
	Filed   int
	Seconds float64
	Bytes   int
}

// Stopped is a timer of a node that a bound kept from firing.
type Stopped struct {
	Node, Timer string
	Times       int
}

// Spread is a question with many answers, of which so many were looked at: the first, the last, and
// others evenly between.
type Spread struct {
	Question        string
	Answers, Looked int
}

// Failed is a way to fail, with a shortest schedule to it.
type Failed struct {
	explore.Failure
	Path *Path
	// Loop is how many steps at the end of the path lead back to the same state and can be
	// repeated for ever; 0 if what is wrong is wrong at the end of the path.
	Loop int
}

// Collision bounds the probability that two different states of the search had the same key, so
// that one of them was not looked at (the birthday bound).
func (r *Result) Collision() float64 {
	n := float64(r.States)
	return n * max(n-1, 0) / 2 / math.Pow(2, 8*keyBytes)
}

// Progress is how far a search is.
type Progress struct {
	States, Transitions int
	// Depth is that of the layer which is expanded, Done and Layer how many of its states
	// have been and how many there are.
	Depth, Done, Layer int
	// Next is how many states the next layer has so far, Expanded how many states of all layers
	// have been expanded.
	Next, Expanded int
	// Bytes is how much memory the search takes now: states, places, and what is learned.
	Bytes   int
	Elapsed time.Duration
}
