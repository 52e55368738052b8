package linearizability

import (
	"context"

	"github.com/anishathalye/porcupine"

	"github.com/watchbed/watchbed/model"
)

// state is the store of the sequential specification. It never changes once
// made: porcupine comes back to it when it backtracks.
type state struct {
	contents
	revision int64
}

// program is the state of a sequential check: the store, and how many
// operations of each client have happened.
type program struct {
	store *state
	next  []int32
}

// call is an operation as the specification sees it, prepared once for all the
// times that porcupine tries it.
type call struct {
	request *model.Request
	// result is nil if the client got no answer.
	result *model.Result
	// made is the revision that the operation makes, if it is known: one that
	// would make another cannot happen. observed is the same for answers of
	// reads, and of writes that changed nothing. 0 is not known.
	made, observed int64
	// writes is set if the operation changes the store, by its own answer, or
	// may do so if it has none.
	writes bool
	// revokes is set if only the store says whether the operation changes it: the answer to a
	// LeaseRevoke does not. observed is the revision of that answer, 0 if it has none.
	revokes bool
	// client and turn place the operation in its client's program: turn
	// operations of the client come before it. open ones hold back none of
	// those behind them.
	client, turn int32
	open         bool
}

// specification counts the calls of its own Step, which is the budget: a time
// limit would make the verdict depend on the machine.
type specification struct {
	steps, budget int
	initial       *state
	clients       int
	items         arena
	scratch       []*model.Item
}

func (s *specification) spent() bool { return s.steps > s.budget }

// step carries out one operation on a store. It returns nil if a store in this
// state could not have answered so.
func (s *specification) step(st *state, c *call) *state {
	if c.revokes && st.holds(c.request.Lease) {
		if c.observed != 0 && c.observed != st.revision+1 {
			return nil
		}
		after := &state{contents: st.clone(), revision: st.revision + 1}
		after.contents.revoke(c.request.Lease)
		return after
	}
	if !c.writes {
		if c.observed != 0 && c.observed != st.revision {
			return nil
		}
		if c.request.IsWrite() {
			if !st.idle(c.request, c.result, &s.scratch) {
				return nil
			}
		} else if !st.answers(c.request, c.result, &s.scratch) {
			return nil
		}
		return st
	}
	if c.made != 0 && c.made != st.revision+1 {
		return nil
	}
	after := &state{contents: st.clone(), revision: st.revision + 1}
	if st.plain {
		after.revision = st.revision
	}
	changed, right := after.apply(c.request, c.result, after.revision, &s.scratch)
	if !right {
		return nil
	}
	if !changed {
		// An answered write says whether it changed anything, one with a
		// revision from ground truth did; only a lost one may be idle.
		if c.result != nil || c.made != 0 {
			return nil
		}
		return st
	}
	return after
}

func (s *specification) count() bool {
	s.steps++
	return s.steps <= s.budget
}

func hashState(st *state) uint64 { return st.digest ^ uint64(st.revision)*0x9e3779b97f4a7c15 }

func equalStates(a, b *state) bool {
	if a == b {
		return true
	}
	if a.revision != b.revision || a.digest != b.digest {
		return false
	}
	if a.base != nil {
		// All states of a search have the same base.
		return a.differsLike(&b.contents) && b.differsLike(&a.contents)
	}
	x, y := iterate(&a.contents), iterate(&b.contents)
	for {
		i, j := x(), y()
		if i == nil || j == nil {
			return i == j
		}
		if i != j && *i != *j {
			return false
		}
	}
}

// differsLike reports whether other contents have what these have, where these differ from
// their base.
func (c *contents) differsLike(other *contents) bool {
	next := iterate(c)
	for it := next(); it != nil; it = next() {
		have := other.get(it.Key)
		if isGone(it) != (have == nil) || have != nil && *have != *it {
			return false
		}
	}
	return true
}

// iterate goes through what the chunks have.
func iterate(c *contents) func() *model.Item {
	chunk, at := 0, 0
	return func() *model.Item {
		for chunk < len(c.chunks) {
			if at < len(c.chunks[chunk]) {
				at++
				return c.chunks[chunk][at-1]
			}
			chunk, at = chunk+1, 0
		}
		return nil
	}
}

// realTime is the specification whose order porcupine holds to the intervals of
// the operations.
func (s *specification) realTime() porcupine.Model {
	step := func(from, input, _ any) (bool, any) {
		if !s.count() {
			return false, nil
		}
		after := s.step(from.(*state), input.(*call))
		return after != nil, after
	}
	return porcupine.Model{
		Init:        func() any { return s.initial },
		Step:        step,
		StepContext: func(_ context.Context, from, input, output any) (bool, any) { return step(from, input, output) },
		Equal:       func(a, b any) bool { return equalStates(a.(*state), b.(*state)) },
		Hash:        func(a any) uint64 { return hashState(a.(*state)) },
	}
}

// programOrder is the specification that itself refuses what is out of its
// client's turn; the intervals must all overlap.
func (s *specification) programOrder() porcupine.Model {
	step := func(from, input, _ any) (bool, any) {
		if !s.count() {
			return false, nil
		}
		at, c := from.(*program), input.(*call)
		if c.open {
			if at.next[c.client] < c.turn {
				return false, nil
			}
		} else if at.next[c.client] != c.turn {
			return false, nil
		}
		store := s.step(at.store, c)
		if store == nil {
			return false, nil
		}
		after := &program{store: store, next: at.next}
		if !c.open {
			after.next = append(make([]int32, 0, len(at.next)), at.next...)
			after.next[c.client]++
		}
		return true, after
	}
	return porcupine.Model{
		Init:        func() any { return &program{store: s.initial, next: make([]int32, s.clients)} },
		Step:        step,
		StepContext: func(_ context.Context, from, input, output any) (bool, any) { return step(from, input, output) },
		// porcupine compares states only where the same operations have
		// happened: the turns are equal then.
		Equal: func(a, b any) bool { return equalStates(a.(*program).store, b.(*program).store) },
		Hash:  func(a any) uint64 { return hashState(a.(*program).store) },
	}
}
