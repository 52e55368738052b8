package prove

import (
	"fmt"
	"io"
	"slices"
)

// tree has, for each state, the one before it on its first shortest schedule, and the step
// between them. States are numbered in the order in which they are found, so that those of
// one layer stand together, in the order of the states before them. State 0 is the first.
type tree struct {
	// parents and steps are those of the states from number filed on; the others are in the file.
	parents []uint32
	steps   []step
	filed   int
	// file has the states in the form of keeping, from number 1 on.
	file io.ReaderAt
}

func newTree() *tree { return &tree{parents: []uint32{0}, steps: []step{0}} }

func (t *tree) len() int { return t.filed + len(t.parents) }

func (t *tree) add(parent uint32, s step) {
	t.parents = append(t.parents, parent)
	t.steps = append(t.steps, s)
}

// at is the state before this one, and the step between them. It may be called by several
// goroutines while add and forget are not.
func (t *tree) at(state uint32) (parent uint32, s step, err error) {
	if i := int(state) - t.filed; i >= 0 {
		return t.parents[i], t.steps[i], nil
	}
	if state == 0 {
		return 0, 0, nil
	}
	b := make([]byte, stateBytes)
	if _, err := t.file.ReadAt(b, int64(state-1)*int64(len(b))); err != nil {
		return 0, 0, fmt.Errorf("cannot read a state that is kept: %w", err)
	}
	_, parent, s = readState(b)
	return parent, s, nil
}

// forget leaves all states to the file, which has them.
func (t *tree) forget() {
	t.filed = t.len()
	t.parents, t.steps = nil, nil
}

// path appends the steps from the first state to this one.
func (t *tree) path(state uint32) ([]step, error) {
	var reversed []step
	for state != 0 {
		parent, s, err := t.at(state)
		if err != nil {
			return nil, err
		}
		reversed = append(reversed, s)
		state = parent
	}
	slices.Reverse(reversed)
	return reversed, nil
}

// bytes is how much memory the tree takes.
func (t *tree) bytes() int { return 4*cap(t.parents) + 4*cap(t.steps) }
