package linearizability

import (
	"fmt"
	"slices"

	"github.com/anishathalye/porcupine"

	"github.com/watchbed/watchbed/model"
)

// A history that never speaks of revisions is one of registers: values that are written,
// read and compared. Two orders that leave the same values leave the same store then,
// and keys that no operation touches together can be judged by themselves. Both make a
// search short that would take for ever with revisions to guess.

// isPlain reports whether no call depends on revisions.
func (p *Porcupine) isPlain() bool {
	return !slices.ContainsFunc(p.calls, func(c call) bool {
		return c.made != 0 || c.observed != 0 || !plainRequest(c.request) || c.result != nil && !plainResult(c.result)
	})
}

// plainRequest reports whether a request means the same at all revisions. Compared with 0,
// they only say whether a key is there.
func plainRequest(r *model.Request) bool {
	if r.Lease != 0 {
		return false
	}
	s := r.Selection
	if s.MinMod != 0 || s.MaxMod != 0 || s.MinCreate != 0 || s.MaxCreate != 0 || s.SortBy != model.ByKey && s.SortBy != model.ByValue {
		return false
	}
	if slices.ContainsFunc(r.Compare, func(c model.Compare) bool {
		return c.Target == model.CompareLease || c.Target != model.CompareValue && c.Operand != 0
	}) {
		return false
	}
	for _, branch := range [...][]model.Request{r.Success, r.Failure} {
		for i := range branch {
			if !plainRequest(&branch[i]) {
				return false
			}
		}
	}
	return true
}

func plainResult(res *model.Result) bool {
	numbered := func(it *model.Item) bool {
		return it.CreateRevision != 0 || it.ModRevision != 0 || it.Version != 0 || it.Lease != 0
	}
	return !slices.ContainsFunc(res.Items, numbered) && !slices.ContainsFunc(res.Prev, numbered) && !slices.ContainsFunc(res.Results, func(r model.Result) bool { return !plainResult(&r) })
}

// parts are the operations that can be judged apart. An order of all of them exists if
// one of each part does, as linearizability is local (Herlihy and Wing, 1990, section
// 3.3). Sequential consistency is not.
func (p *Porcupine) parts(prop Property) [][]porcupine.Operation {
	whole := [][]porcupine.Operation{p.operations}
	if !p.plain || prop == Sequential {
		return whole
	}
	at := map[string]int{}
	var parts [][]porcupine.Operation
	for i := range p.calls {
		key, ok := onlyKey(p.calls[i].request)
		if !ok {
			return whole
		}
		n, known := at[key]
		if !known {
			n = len(parts)
			at[key] = n
			parts = append(parts, nil)
		}
		parts[n] = append(parts[n], p.operations[i])
	}
	return parts
}

// onlyKey is the one key that a request is about.
func onlyKey(r *model.Request) (key string, ok bool) {
	ok = true
	ranges(r, func(k, end string) {
		ok = ok && end == "" && (key == "" || k == key)
		key = k
	})
	return key, ok && key != ""
}

// A write of unknown outcome may happen at any time after its call, or never, so that a search through all
// orders grows exponentially with the number of these writes. Of registers it need not look at all
// orders. Take one that is right, in which each operation is about one key:
//
//   - A write of unknown outcome that changes nothing, or that is followed by an operation which does not
//     depend on it, can be left out: if the next one is about another key, the two can change places,
//     and if it writes the same key without a look at it, no operation sees the first.
//   - Of two that ask for the same, either may happen first if both can.
//
// So a lazy search lets such a write happen only if the next operation depends on it, and of those that
// are alike only the first; what is left out comes at the end, and does nothing.

// prepareLazy decides whether a search can be lazy, and notes what it has to know of the calls.
func (p *Porcupine) prepareLazy() {
	s := &p.spec
	s.lazy = p.plain && slices.ContainsFunc(p.calls, func(c call) bool { return c.open })
	for i := 0; s.lazy && i < len(p.calls); i++ {
		c := &p.calls[i]
		c.key, s.lazy = onlyKey(c.request)
		c.looks = looks(c.request, !c.open)
	}
	if !s.lazy {
		return
	}
	open, alike := 0, map[string][]*call{}
	for i := range p.calls {
		if c := &p.calls[i]; c.open {
			what := fmt.Sprintf("%+v", *c.request)
			c.number, c.alike = open, alike[what]
			alike[what] = append(alike[what], c)
			open++
		}
	}
	s.initial.used = make([]uint64, (open+63)/64)
}

// begin makes the initial state that of a part of the operations.
func (s *specification) begin(part []porcupine.Operation) {
	s.initial.left = 0
	for i := range part {
		if !part[i].Input.(*call).open {
			s.initial.left++
		}
	}
}

// looks reports whether what a request does or is answered depends on the store.
func looks(r *model.Request, answered bool) bool {
	inBranch := func(b model.Request) bool { return looks(&b, answered) }
	switch r.Kind {
	case model.Put:
		return r.IgnoreValue || r.IgnoreLease || answered && r.PrevKV
	case model.Delete:
		return answered
	case model.Txn:
		return len(r.Compare) > 0 || slices.ContainsFunc(r.Success, inBranch) || slices.ContainsFunc(r.Failure, inBranch)
	}
	return true
}

func (st *state) hasUsed(c *call) bool { return st.used[c.number/64]>>(c.number%64)&1 != 0 }

// barred reports whether a call need not be tried. may reports whether another could have happened by now,
// nil if all that were called before can.
func (s *specification) barred(st *state, c *call, may func(*call) bool) bool {
	switch {
	case !s.lazy || c.open && st.left == 0:
		return false
	case st.needed && (!c.looks || c.key != st.key):
		return true
	case !c.open || len(c.alike) == 0:
		return false
	case may == nil:
		// They happen in the order of their calls.
		return !st.hasUsed(c.alike[len(c.alike)-1])
	}
	return slices.ContainsFunc(c.alike, func(other *call) bool { return !st.hasUsed(other) && may(other) })
}

// lazyStep is step in a lazy search.
func (s *specification) lazyStep(st *state, c *call) *state {
	if c.open && st.left == 0 {
		// No answer depends on it any more.
		return st
	}
	after := s.apply(st, c)
	if after == nil || c.open && after.Equal(&st.Contents) {
		return nil
	}
	next := &state{Contents: after.Contents, revision: after.revision, used: st.used, left: st.left}
	if c.open {
		next.needed, next.key = true, c.key
		next.used = slices.Clone(st.used)
		next.used[c.number/64] |= 1 << (c.number % 64)
	} else {
		next.left--
	}
	return next
}
