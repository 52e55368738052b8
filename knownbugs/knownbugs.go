// Package knownbugs (unstable) says of each bug that caches, etcd, its client library, informers
// and compactors had, or that one easily could have: the issue, the release that fixed it, what plants it, and
// where it shows. A file has those of one part. A program that imports the package, for its side effects alone,
// knows them all. The code of a bug is a value of an option in sim, or is registered here as a value of a seam.
//
// The package must never import diagnosis, report or a command.
package knownbugs

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"
)

// Figure is how soon a bug shows in its scenario. A trial is a number of schedules in a
// row of which the last is the first to violate the property; the next trial begins
// behind it.
type Figure struct {
	Bug, Scenario, Property, Strategy string
	// Schedules is how many seeds, from FirstSeed on, the trials took in all.
	FirstSeed, Schedules uint64
	Trials               int
	// Median is that of the trials, in schedules. Bound95 is the number of
	// schedules within which the bug shows in 95 of 100 campaigns, as far as
	// can be said with 95 % confidence.
	Median, Bound95 uint64
}

//go:embed detection.json
var recorded []byte

// Figures are those that the tests of this package measured, in the order of testbed.KnownBugs. It panics if the file
// that is built in cannot be read: a test reads it.
var Figures = sync.OnceValue(func() (all []Figure) {
	if err := json.Unmarshal(recorded, &all); err != nil {
		panic("knownbugs/detection.json: " + err.Error())
	}
	return all
})

// FigureOf is the figure of a bug; ok is false if it was not measured.
func FigureOf(bug string) (f Figure, ok bool) {
	for _, f := range Figures() {
		if f.Bug == bug {
			return f, true
		}
	}
	return Figure{}, false
}

// String is the figure in words, without the scenario.
func (f Figure) String() string {
	if f.Schedules == uint64(f.Trials) {
		return fmt.Sprintf("in each of %d schedules", f.Schedules)
	}
	if f.Median == 1 {
		return fmt.Sprintf("mostly in the first schedule, within %d in 95 of 100 campaigns", f.Bound95)
	}
	return fmt.Sprintf("median %d schedules, within %d in 95 of 100 campaigns", f.Median, f.Bound95)
}
