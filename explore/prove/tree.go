package prove

import "slices"

// tree has, for each state, the one before it on its first shortest schedule, and the step
// between them. States are numbered in the order in which they are found, so that those of
// one layer stand together, in the order of the states before them. State 0 is the first.
type tree struct {
	parents []uint32
	steps   []step
}

func newTree() *tree { return &tree{parents: []uint32{0}, steps: []step{0}} }

func (t *tree) len() int { return len(t.parents) }

func (t *tree) add(parent uint32, s step) {
	t.parents = append(t.parents, parent)
	t.steps = append(t.steps, s)
}

// path appends the steps from the first state to this one.
func (t *tree) path(state uint32) []step {
	var reversed []step
	for ; state != 0; state = t.parents[state] {
		reversed = append(reversed, t.steps[state])
	}
	slices.Reverse(reversed)
	return reversed
}

// bytes is how much memory the tree takes.
func (t *tree) bytes() int { return 4*cap(t.parents) + 4*cap(t.steps) }
