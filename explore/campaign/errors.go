package campaign

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
)

// NondeterminismError says that a seed did not give the same run twice. Nothing
// that the simulation showed can be trusted then.
type NondeterminismError struct {
	Strategy      string
	Seed          uint64
	First, Second explore.Hash
}

func (e *NondeterminismError) Error() string {
	return fmt.Sprintf("the simulation is not deterministic: seed %d of strategy %s gave trace hash %s, then %s",
		e.Seed, e.Strategy, e.First, e.Second)
}

// PanicError says that code of the subject panicked: what builds a run or judges it. A
// panic in simulated code is a finding (explore.NoPanic).
type PanicError struct {
	// Trial: it was one of the trial runs, which have no seed of the campaign.
	Trial    bool
	Strategy string
	Seed     uint64
	Value    any
	Stack    []byte
}

// ofPanic is the error of a panic: without the stack if two checkers disagree (explore.Disputed).
func ofPanic(e *PanicError) error {
	d, disputed := e.Value.(*explore.Disputed)
	switch {
	case !disputed:
		return e
	case e.Trial:
		return fmt.Errorf("a trial run: %w", d)
	}
	return fmt.Errorf("seed %d of strategy %s: %w", e.Seed, e.Strategy, d)
}

func (e *PanicError) Error() string {
	if e.Trial {
		return fmt.Sprintf("panic in a trial run: %v\n%s", e.Value, e.Stack)
	}
	return fmt.Sprintf("panic in seed %d of strategy %s: %v\n%s", e.Seed, e.Strategy, e.Value, e.Stack)
}
