package linearizability

import (
	"fmt"
	"slices"

	"github.com/anishathalye/porcupine"

	"github.com/watchbed/watchbed/linearizability/items"
	"github.com/watchbed/watchbed/model"
)

// A history that never speaks of revisions is one of registers: values that are written,
// read and compared. Two orders that leave the same values leave the same store then,
// and keys that no operation touches together can be judged by themselves. Both make a
// search short that would take for ever with revisions to guess.

// isPlain reports whether no call depends on revisions.
func (p *Porcupine) isPlain() bool {
	return !slices.ContainsFunc(p.calls, func(c call) bool {
		return c.made != 0 || c.observed != 0 || items.Any(c.request, isNumbered) || c.result != nil && !plainResult(c.result)
	})
}

// isNumbered reports whether a request does not mean the same at all revisions. Compared with 0, they only say whether
// a key is there.
func isNumbered(r *model.Request) bool {
	s := r.Selection
	return r.Lease != 0 || s.MinMod != 0 || s.MaxMod != 0 || s.MinCreate != 0 || s.MaxCreate != 0 || s.SortBy != model.ByKey && s.SortBy != model.ByValue ||
		slices.ContainsFunc(r.Compare, func(c model.Compare) bool {
			return c.Target == model.CompareLease || c.Target != model.CompareValue && c.Operand != 0
		})
}

func plainResult(res *model.Result) bool {
	numbered := func(it *model.Item) bool {
		return it.CreateRevision != 0 || it.ModRevision != 0 || it.Version != 0 || it.Lease != 0
	}
	return !slices.ContainsFunc(res.Items, numbered) && !slices.ContainsFunc(res.Prev, numbered) && !slices.ContainsFunc(res.Results, func(r model.Result) bool { return !plainResult(&r) })
}

// part are operations that are judged apart from others.
type part struct {
	operations []porcupine.Operation
	// begins is what they begin with, nil if that is the initial state.
	begins *state
}

// parts are the operations that can be judged apart. An order of all of them exists if
// one of each part does, as linearizability is local (Herlihy and Wing, 1990, section
// 3.3). Sequential consistency is not.
func (p *Porcupine) parts(prop Property) []part {
	whole := []part{{operations: p.operations}}
	if !p.plain || prop == Sequential {
		return whole
	}
	at := map[string]int{}
	var parts []part
	for i := range p.calls {
		key, ok := onlyKey(p.calls[i].request)
		if !ok {
			return whole
		}
		n, known := at[key]
		if !known {
			n = len(parts)
			at[key] = n
			parts = append(parts, part{})
		}
		parts[n].operations = append(parts[n].operations, p.operations[i])
	}
	var cut []part
	for _, of := range parts {
		cut = p.cut(cut, of.operations)
	}
	return cut
}

// leastApart is from how many operations on those of one key are judged in parts: for each state that a search has
// come to, porcupine keeps the set of all operations that have happened.
const leastApart = 1000

// cut adds the operations of one key in parts. An operation that overlaps no other comes behind all that were called
// before it. If it says what the key is then, what was called later can be judged apart from the others.
func (p *Porcupine) cut(to []part, operations []porcupine.Operation) []part {
	next := part{}
	last := int64(beforeAll)
	from := 0
	for i := range operations {
		op := &operations[i]
		alone := last < op.Call && i+1 < len(operations) && op.Return < operations[i+1].Call
		last = max(last, op.Return)
		if !alone || i+1-from < p.least {
			continue
		}
		if after, told := p.after(op.Input.(*call)); told {
			next.operations = operations[from : i+1]
			to = append(to, next)
			next, from = part{begins: after}, i+1
		}
	}
	next.operations = operations[from:]
	return append(to, next)
}

// after is the state behind a call, if its request and answer tell.
func (p *Porcupine) after(c *call) (st *state, told bool) {
	st = &state{Contents: items.Contents{Arena: &p.spec.items, Persistent: true, Plain: true}, revision: p.spec.initial.revision}
	st.used = p.spec.initial.used
	it := &model.Item{Key: c.request.Key, Value: c.request.Value, CreateRevision: 1, ModRevision: 1, Version: 1}
	switch {
	case c.request.Kind == model.Put && !c.request.IgnoreValue:
	case c.request.Kind == model.Get && len(c.result.Items) == 1:
		it.Value = c.result.Items[0].Value
	case c.request.Kind == model.Get, c.request.Kind == model.Delete:
		return st, true
	default:
		return nil, false
	}
	st.Set(it)
	return st, true
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

// begin makes the state that a search begins with that of a part.
func (s *specification) begin(of part) {
	s.first = s.initial
	if of.begins != nil {
		s.first = of.begins
	}
	s.first.left = 0
	for i := range of.operations {
		if !of.operations[i].Input.(*call).open {
			s.first.left++
		}
	}
}

// looks reports whether what a request does or is answered depends on the store.
func looks(r *model.Request, answered bool) bool {
	return items.Any(r, func(r *model.Request) bool {
		switch r.Kind {
		case model.Put:
			return r.IgnoreValue || r.IgnoreLease || answered && r.PrevKV
		case model.Delete:
			return answered
		case model.Txn:
			return len(r.Compare) > 0
		}
		return true
	})
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
