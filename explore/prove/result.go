package prove

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
)

// Verdict is what a search has shown of a subject within its bounds.
type Verdict string

// The verdicts. Vacuous is a search that was complete and did not put some property to the
// test in any step.
const (
	Proved   Verdict = "proved"
	Violated Verdict = "violated"
	Unknown  Verdict = "unknown"
	Vacuous  Verdict = "vacuous"
)

// Result is what a search has covered, and what it found.
type Result struct {
	Verdict Verdict `json:"verdict"`
	// Why says what ended an unknown search.
	Why string `json:"why,omitempty"`
	// Checked is, by property, how many steps put it to the test, or how many schedules if these were searched.
	Checked map[string]int `json:"checked"`
	// CoveragePoints are the coverage points that were reached, by name.
	CoveragePoints []string `json:"coveragePoints,omitempty"`
	// States are all that were found, Transitions all steps that were taken.
	States      int `json:"states"`
	Transitions int `json:"transitions"`
	// Depth is the number of steps of the longest of the shortest schedules to a state, or of the longest schedule if
	// schedules were searched.
	Depth int `json:"depth"`
	// Schedules are nil if states were searched.
	Schedules *Schedules `json:"schedules,omitempty"`
	// Ended are the states in which the subject said that the run is over. Rested are those in
	// which nothing more could happen although it did not.
	Ended  int `json:"ended"`
	Rested int `json:"rested"`
	// Left is the number of states that were found and not expanded, because the search
	// has ended before.
	Left int `json:"left"`
	// Cut is what only the bounds kept from happening, CutStates the states in which nothing else could happen.
	// Of a timed run, it is the states in which the horizon has ended it.
	Cut       []Cut `json:"cut"`
	CutStates int   `json:"cutStates"`
	// Seconds and Bytes are what it took, with the time before it was interrupted; the bytes are those of the states
	// that are kept. Filed is how many states' fingerprints were in a file, because memory was full.
	Seconds float64 `json:"seconds"`
	Bytes   int     `json:"bytes"`
	Filed   int     `json:"filed,omitempty"`
	// Resumed is how many states were kept of the search when it went on, 0 if it began. GoesOn is whether the search
	// goes on if it was kept: a limit of the process ended it, not a bound of the search.
	Resumed int  `json:"resumed,omitempty"`
	GoesOn  bool `json:"goesOn,omitempty"`

	// Spread are the questions of which not all answers were looked at (Bounds.Answers), by name.
	Spread []Spread `json:"-"`
	// Fixed is how many questions were asked before the first state. Each has its first answer,
	// and what follows from others was not looked at.
	Fixed int `json:"-"`
	// Failures are those of the first depth at which there is one, each once. If schedules were searched, they are
	// those of the first schedule that has one, or of all.
	Failures []Failed `json:"-"`
}

// Schedules is what a search of schedules has covered.
type Schedules struct {
	// Complete are schedules that came to their end, Classes are those of them that are not the
	// same as another but for steps that do not conflict, Redundant are all others. Abandoned
	// were not followed to their end, because what came next was looked at elsewhere.
	Complete  int `json:"complete"`
	Classes   int `json:"classes"`
	Redundant int `json:"redundant"`
	Abandoned int `json:"abandoned"`
}

// Cut is a timer of a node that a bound kept from firing, and in how many states or at the end of how
// many schedules.
type Cut struct {
	Node  string `json:"node"`
	Timer string `json:"timer"`
	Times int    `json:"times"`
}

// Compare is the order in which cuts are listed.
func (c Cut) Compare(other Cut) int {
	return cmp.Or(cmp.Compare(c.Node, other.Node), cmp.Compare(c.Timer, other.Timer))
}

// Spread is a question with many answers, of which so many were looked at: the first, the last, and
// others evenly between.
type Spread struct {
	Question string `json:"question"`
	Answers  int    `json:"answers"`
	Looked   int    `json:"looked"`
}

// Failed is a way to fail, with a schedule to it: a shortest one if states were searched.
type Failed struct {
	explore.Failure
	Path Schedule
	// Loop is how many steps at the end of the path lead back to the same state and can be
	// repeated for ever; 0 if what is wrong is wrong at the end of the path.
	Loop int
}

// Schedule is a schedule that a search has found. As a chooser it takes it once, and cuts the run off behind it.
type Schedule interface {
	sim.Chooser
	// Begin has it taken from its first step on.
	Begin()
	// Len is its number of steps. Of a followed schedule these are the steps that the run has taken. The run ends
	// sooner where the subject says that it is over.
	Len() int
}

// Conclude gives a search its verdict, of which it has found failures, or what ended it.
func (r *Result) Conclude(properties []string) {
	unchecked := func(property string) bool { return r.Checked[property] == 0 }
	switch {
	case len(r.Failures) > 0:
		r.Verdict = Violated
	case r.Why != "":
		r.Verdict = Unknown
	case slices.ContainsFunc(properties, unchecked):
		r.Verdict = Vacuous
	default:
		r.Verdict = Proved
	}
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

// counts are what the steps out of some states come to.
type counts struct {
	Transitions int
	// Ended, Rested and Cut are states, as in Result.
	Ended, Rested, Cut int
	// Checked is, by property, how many steps put it to the test.
	Checked []int
	// Spread has how many answers a question has of which only some were looked at.
	Spread map[string]int
}

func newCounts(properties int) counts {
	return counts{Checked: make([]int, properties), Spread: map[string]int{}}
}

func (c *counts) add(more *counts) {
	c.Transitions += more.Transitions
	c.Ended, c.Rested, c.Cut = c.Ended+more.Ended, c.Rested+more.Rested, c.Cut+more.Cut
	for i, n := range more.Checked {
		c.Checked[i] += n
	}
	for what, answers := range more.Spread {
		c.noteSpread(what, answers)
	}
}

func (c *counts) noteSpread(what string, answers int) { c.Spread[what] = max(c.Spread[what], answers) }
