package explore

import (
	"fmt"

	"github.com/watchbed/watchbed/model"
)

// Finding is what one run showed about one property.
type Finding struct {
	Property string
	Verdict  model.Verdict
	// Exercised is how often the run checked the property. A property that was
	// never checked cannot hold; it is vacuous.
	Exercised int
	// Label is the cause of a violation in few words. With the property it says
	// what "fails the same way" means.
	Label string
	// Why explains a violation. It is valid until the next run begins, and is
	// rendered only on demand; nil if there is nothing to say. It may implement
	// Concerned.
	Why fmt.Stringer
}

// Failure is the way in which this finding's property is violated.
func (f *Finding) Failure() Failure { return Failure{f.Property, f.Label} }

// Failure is a way to fail: two runs with equal failures fail the same way.
type Failure struct {
	Property, Label string
}

func (f Failure) String() string {
	if f.Label == "" {
		return f.Property
	}
	return f.Property + " (" + f.Label + ")"
}
