package linearizability

import (
	"context"

	"github.com/anishathalye/porcupine"

	"github.com/watchbed/watchbed/linearizability/items"
	"github.com/watchbed/watchbed/model"
)

// state is the store of the sequential specification. It never changes once
// made: porcupine comes back to it when it backtracks.
type state struct {
	items.Contents
	revision int64
	// needed, used and left are those of a lazy search. needed: a write of unknown outcome happened last, so
	// that the next operation has to be one of its key that depends on it. used are such writes that have
	// happened, by their numbers. left is how many answered operations have not.
	needed bool
	key    string
	used   []uint64
	left   int
}

// program is the state of a sequential check: the store, and how many
// operations of each client have happened. now is nil or the only one that can be next.
type program struct {
	store *state
	next  []int32
	now   *call
}

// call is an operation as the specification sees it, prepared once for all the
// times that porcupine tries it.
type call struct {
	request *model.Request
	// result is nil if the client got no answer.
	result *model.Result
	// made is the revision that the operation makes, if it is known: the operation
	// cannot happen where it would make another one. observed is the same for answers of
	// reads, and of writes that changed nothing. 0 is not known.
	made, observed int64
	// writes is set if the operation changes the store, by its own answer, or
	// may do so if it has none.
	writes bool
	// revokes is set if only the store says whether the operation changes it: the answer to a
	// LeaseRevoke does not. observed is the revision of that answer, 0 if it has none.
	revokes bool
	// number is that of a call without an answer in a lazy search, alike are the calls before it that ask
	// for the same. looks: what the operation does or answers depends on the store.
	number int
	alike  []*call
	key    string
	looks  bool
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
	// kept counts the states that are remembered, of which there may be so many.
	kept, keeps int
	// lazy: see plain.go.
	lazy bool
	// initial is the state of a history, first that of the part which is judged.
	initial, first *state
	clients        int
	// turns are the answered calls of each client in their order, if any can be next because it changes
	// nothing.
	turns   [][]*call
	items   items.Arena
	scratch []*model.Item
}

func (s *specification) spent() bool { return s.steps >= s.budget || s.kept > s.keeps }

// step carries out one operation on a store. It returns nil if a store in this
// state could not have answered so.
func (s *specification) step(st *state, c *call) *state {
	if s.lazy {
		return s.lazyStep(st, c)
	}
	return s.apply(st, c)
}

// apply is step where all operations are tried.
func (s *specification) apply(st *state, c *call) *state {
	if c.revokes && st.Holds(c.request.Lease) {
		if c.observed != 0 && c.observed != st.revision+1 {
			return nil
		}
		after := &state{Contents: st.Clone(), revision: st.revision + 1}
		after.Revoke(c.request.Lease)
		return after
	}
	if !c.writes {
		if c.observed != 0 && c.observed != st.revision {
			return nil
		}
		if c.request.IsWrite() {
			if !st.Idle(c.request, c.result, &s.scratch) {
				return nil
			}
		} else if !st.Answers(c.request, c.result, &s.scratch) {
			return nil
		}
		return st
	}
	if c.made != 0 && c.made != st.revision+1 {
		return nil
	}
	after := &state{Contents: st.Clone(), revision: st.revision + 1}
	if st.Plain {
		after.revision = st.revision
	}
	changed, right := after.Apply(c.request, c.result, after.revision, &s.scratch)
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
	if s.spent() {
		return false
	}
	s.steps++
	return true
}

func (s *specification) keep(st *state) {
	if st != nil {
		s.kept++
	}
}

func hashState(st *state) uint64 {
	h := st.Digest() ^ uint64(st.revision)*0x9e3779b97f4a7c15
	if st.needed {
		h = ^h
	}
	return h
}

func equalStates(a, b *state) bool {
	return a == b || a.revision == b.revision && a.needed == b.needed && a.key == b.key && a.Equal(&b.Contents)
}

// realTime is the specification whose order porcupine holds to the intervals of
// the operations.
func (s *specification) realTime() porcupine.Model {
	step := func(from, input, _ any) (bool, any) {
		st, c := from.(*state), input.(*call)
		if s.barred(st, c, nil) || !s.count() {
			return false, nil
		}
		after := s.step(st, c)
		s.keep(after)
		return after != nil, after
	}
	return porcupine.Model{
		Init:        func() any { return s.first },
		Step:        step,
		StepContext: func(_ context.Context, from, input, output any) (bool, any) { return step(from, input, output) },
		Equal:       func(a, b any) bool { return equalStates(a.(*state), b.(*state)) },
		Hash:        func(a any) uint64 { return hashState(a.(*state)) },
	}
}

// idle looks for an operation that can be next and changes nothing. In a right order it can come at once: of its
// client nothing comes between, and others cannot tell.
func (s *specification) idle(at *program) {
	for client, calls := range s.turns {
		if n := int(at.next[client]); n < len(calls) {
			if c := calls[n]; !c.writes && !c.revokes && s.apply(at.store, c) != nil {
				at.now = c
				return
			}
		}
	}
}

// programOrder is the specification that itself refuses what is out of its
// client's turn; the intervals must all overlap.
func (s *specification) programOrder() porcupine.Model {
	step := func(from, input, _ any) (bool, any) {
		at, c := from.(*program), input.(*call)
		if at.now != nil && at.now != c {
			return false, nil
		}
		may := func(open *call) bool { return at.next[open.client] >= open.turn }
		if s.barred(at.store, c, may) || !s.count() {
			return false, nil
		}
		if c.open && !may(c) || !c.open && at.next[c.client] != c.turn {
			return false, nil
		}
		store := s.step(at.store, c)
		s.keep(store)
		if store == nil {
			return false, nil
		}
		after := &program{store: store, next: at.next}
		if !c.open {
			after.next = append(make([]int32, 0, len(at.next)), at.next...)
			after.next[c.client]++
		}
		s.idle(after)
		return true, after
	}
	return porcupine.Model{
		Init: func() any {
			first := &program{store: s.first, next: make([]int32, s.clients)}
			s.idle(first)
			return first
		},
		Step:        step,
		StepContext: func(_ context.Context, from, input, output any) (bool, any) { return step(from, input, output) },
		// porcupine compares states only where the same operations have
		// happened: the turns are equal then.
		Equal: func(a, b any) bool { return equalStates(a.(*program).store, b.(*program).store) },
		Hash:  func(a any) uint64 { return hashState(a.(*program).store) },
	}
}
