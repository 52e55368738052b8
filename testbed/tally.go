package testbed

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
)

// Tally counts how often a run put a property to the test, and keeps the first
// violation.
type Tally struct {
	Exercised int
	label     string
	why       fmt.Stringer
}

// Violate notes a violation with its cause in a word; only the first one counts.
func (t *Tally) Violate(label string, why fmt.Stringer) {
	if t.why == nil {
		t.label, t.why = label, why
	}
}

// Violated reports whether there was a violation.
func (t *Tally) Violated() bool { return t.why != nil }

// Finding is what the tally comes to.
func (t *Tally) Finding() explore.Finding {
	f := explore.Finding{Exercised: t.Exercised, Label: t.label, Why: t.why}
	switch {
	case t.why != nil:
		f.Verdict = model.Violated
	case t.Exercised > 0:
		f.Verdict = model.Holds
	}
	return f
}
