package linearizability

import (
	"math"
	"math/rand/v2"
	"slices"

	"pgregory.net/rapid"

	"github.com/watchbed/watchbed/model"
)

// dice decide everything about a random history: a fast source for the large
// figures, rapid's for those that should shrink.
type dice interface{ roll(n int) int }

type fastDice struct{ *rand.Rand }

func (d fastDice) roll(n int) int { return d.IntN(n) }

type rapidDice struct{ t *rapid.T }

func (d rapidDice) roll(n int) int { return rapid.IntRange(0, n-1).Draw(d.t, "roll") }

// simulated is a correct store with clients whose calls, effects and returns
// interleave at random.
type simulated struct {
	dice    dice
	keys    []string
	history *model.History
	store   *model.Store
	past    map[int64]*model.Store
	log     *model.Log
	tick    int64
	// truth: ground truth is known. silent: the answers to lists, and to writes
	// that change nothing, have no revision.
	truth, silent bool
	// inFlight is each client's operation, -1 if none.
	inFlight []int
	applied  []bool
	// lost are operations that were given up before they took effect.
	lost []int
}

func randomHistory(d dice, operations int) *model.History { return simulate(d, operations).history }

func simulate(d dice, operations int) *simulated {
	s := &simulated{
		dice: d, keys: []string{"a", "b", "c"}[:1+d.roll(3)], past: map[int64]*model.Store{},
		truth: d.roll(2) == 0, silent: d.roll(6) == 0,
	}
	clients := 1 + d.roll(4)
	s.history = &model.History{Clients: []string{"0", "1", "2", "3"}[:clients], Initial: model.Initial{Revision: 1}}
	if d.roll(3) == 0 {
		s.history.Initial = model.Initial{Revision: 6, Items: []*model.Item{{Key: "a", Value: "old", CreateRevision: 3, ModRevision: 5, Version: 2, Lease: int64(d.roll(2))}}}
	}
	s.store, s.log = model.NewStore(s.history.Initial), model.NewLog(s.history.Initial)
	s.past[s.store.Revision()] = s.store.Clone()
	s.inFlight, s.applied = make([]int, clients), make([]bool, clients)
	for i := range s.inFlight {
		s.inFlight[i] = -1
	}
	for len(s.history.Operations) < operations || s.busy() {
		s.event(operations)
	}
	for i := range s.history.Operations {
		if op := &s.history.Operations[i]; op.Outcome == model.Unknown && !s.truth {
			op.Commit = 0
		}
	}
	return s
}

func (s *simulated) busy() bool {
	for _, op := range s.inFlight {
		if op >= 0 {
			return true
		}
	}
	return false
}

func (s *simulated) event(operations int) {
	if len(s.lost) > 0 && s.dice.roll(4) == 0 {
		op := s.lost[0]
		s.lost = s.lost[1:]
		s.effect(&s.history.Operations[op])
		return
	}
	c := s.dice.roll(len(s.inFlight))
	at := s.inFlight[c]
	if at < 0 {
		if len(s.history.Operations) == operations {
			return
		}
		s.inFlight[c], s.applied[c] = len(s.history.Operations), false
		s.tick++
		s.history.Operations = append(s.history.Operations, model.Operation{Client: c, Call: s.tick, Request: s.request()})
		return
	}
	op := &s.history.Operations[at]
	switch {
	case s.dice.roll(16) == 0:
		op.Outcome, op.Return, op.Result = model.Unknown, math.MaxInt64, nil
		if !s.applied[c] && op.Request.IsWrite() {
			op.Commit = -1
			s.lost = append(s.lost, at)
		}
		s.inFlight[c] = -1
	case !s.applied[c] && s.dice.roll(20) == 0:
		s.tick++
		op.Outcome, op.Return, op.Result = model.Failed, s.tick, &model.Result{Err: model.Unavailable}
		s.inFlight[c] = -1
	case !s.applied[c]:
		s.effect(op)
		s.applied[c] = true
	default:
		s.tick++
		op.Return = s.tick
		if op.Outcome == model.Done {
			op.Commit = 0
		}
		s.inFlight[c] = -1
	}
}

// effect lets the operation happen now, and notes what it answers.
func (s *simulated) effect(op *model.Operation) {
	before := s.store.Revision()
	var res model.Result
	switch {
	case op.Request.IsWrite():
		// Which leases there are is not judged.
		grantNamed(s.log, op.Request)
		s.store = s.log.At(before).Clone()
		res = s.store.Apply(op.Request)
		s.log.Append(op.Request)
		op.Commit = -1
		if s.store.Revision() > before {
			op.Commit = s.store.Revision()
			s.past[s.store.Revision()] = s.store.Clone()
		} else if s.silent {
			res.Revision = 0
		}
	case op.Request.Freshness == model.Consistent:
		res = s.store.Read(op.Request)
	default:
		rev := before
		switch op.Request.Freshness {
		case model.Exact, model.NotOlderThan:
			// The request was made up before the answer can be.
			rev = min(rev, max(op.Request.Revision, s.history.Initial.Revision))
			op.Request.Revision = rev
		default:
			if back := int64(s.dice.roll(3)); rev-back >= s.history.Initial.Revision {
				rev -= back
			}
		}
		res = s.past[rev].Read(op.Request)
	}
	if op.Request.Kind == model.Get || op.Request.Kind == model.List && s.silent {
		res.Revision = 0
	}
	if op.Outcome == model.Done {
		op.Result = &res
		if res.Err != model.OK {
			op.Outcome = model.Failed
		}
	}
}

func (s *simulated) key() string { return s.keys[s.dice.roll(len(s.keys))] }

func (s *simulated) value() string { return []string{"x", "y", "z"}[s.dice.roll(3)] }

func (s *simulated) request() *model.Request {
	switch s.dice.roll(11) {
	case 10:
		return &model.Request{Kind: model.LeaseRevoke, Lease: 1 + int64(s.dice.roll(2))}
	case 0, 1, 2:
		return s.put(s.key())
	case 3:
		r := &model.Request{Kind: model.Delete, Key: s.key(), PrevKV: s.dice.roll(2) == 0}
		if s.dice.roll(3) == 0 {
			r.End = "\x00"
		}
		return r
	case 4:
		return s.transaction()
	case 5, 6:
		return s.fresh(&model.Request{Kind: model.Get, Key: s.key()})
	default:
		r := &model.Request{Kind: model.List, Key: "a", End: "z"}
		switch s.dice.roll(8) {
		case 0:
			r.CountOnly = true
		case 1:
			r.Limit = 1
		case 2:
			r.KeysOnly = true
		case 3:
			r.Key, r.End = "b", "\x00"
		}
		return s.fresh(r)
	}
}

func (s *simulated) fresh(r *model.Request) *model.Request {
	switch s.dice.roll(12) {
	case 0, 1:
		r.Freshness = model.Any
	case 2:
		r.Freshness, r.Revision = model.NotOlderThan, int64(1+s.dice.roll(9))
	case 3:
		r.Freshness, r.Revision = model.Exact, int64(1+s.dice.roll(9))
	}
	return r
}

// put may keep the value that is there, if the key is.
func (s *simulated) put(key string) *model.Request {
	r := &model.Request{Kind: model.Put, Key: key, Value: s.value(), PrevKV: s.dice.roll(3) == 0}
	if s.dice.roll(8) == 0 {
		r.Value, r.IgnoreValue = "", true
	}
	switch s.dice.roll(8) {
	case 0:
		r.IgnoreLease = true
	case 1, 2:
		r.Lease = 1 + int64(s.dice.roll(2))
	}
	return r
}

// transaction may have others in it.
func (s *simulated) transaction() *model.Request {
	r := s.flat()
	for s.dice.roll(3) == 0 {
		inner := s.flat()
		if s.dice.roll(2) == 0 {
			r.Success = append(r.Success, *inner)
		} else {
			r.Failure = append([]model.Request{*inner}, r.Failure...)
		}
	}
	if does(r, func(op *model.Request) bool { return op.Kind == model.Delete }) {
		// What a deletion takes away no put of the same transaction can keep.
		does(r, func(op *model.Request) bool {
			op.IgnoreValue, op.IgnoreLease = false, false
			return false
		})
	}
	return r
}

// does reports whether something is true of a part of a transaction.
func does(r *model.Request, is func(op *model.Request) bool) bool {
	for _, branch := range [...][]model.Request{r.Success, r.Failure} {
		for i := range branch {
			if is(&branch[i]) || does(&branch[i], is) {
				return true
			}
		}
	}
	return false
}

func (s *simulated) flat() *model.Request {
	key := s.key()
	c := model.Compare{Key: key, Target: model.CompareTarget(s.dice.roll(5)), Op: model.CompareOp(s.dice.roll(4)), Value: s.value()}
	if it := s.store.Get(key); it != nil && s.dice.roll(2) == 0 {
		c.Operand = it.ModRevision
	}
	r := &model.Request{Kind: model.Txn, Compare: []model.Compare{c}}
	switch s.dice.roll(5) {
	case 4:
		// etcd refuses to touch a key twice; the specification need not.
		r.Success = []model.Request{{Kind: model.Delete, Key: key}, {Kind: model.Put, Key: key}}
	case 3:
		r.Success = []model.Request{{Kind: model.Put, Key: key, Value: s.value()}}
		r.Failure = []model.Request{*s.put(key)}
	case 0:
		r.Success = []model.Request{{Kind: model.Put, Key: key, Value: s.value()}}
		r.Failure = []model.Request{{Kind: model.Get, Key: key}}
	case 1:
		r.Success = []model.Request{{Kind: model.Delete, Key: key}, {Kind: model.List, Key: "a", End: "z"}}
	case 2:
		r.Success = []model.Request{{Kind: model.Put, Key: "a", Value: s.value()}, {Kind: model.Put, Key: "b", Value: s.value()}}
	}
	return r
}

// mutations change one thing about a history, each what a kind of bug would
// change. They report whether there was anything to change.
var mutations = []struct {
	name   string
	change func(dice, *model.History) bool
}{
	{"stale read", func(d dice, h *model.History) bool {
		return mutateRead(d, h, func(op *model.Operation, stale model.Result) bool {
			*op.Result = stale
			return true
		})
	}},
	{"stale data at the right revision", func(d dice, h *model.History) bool {
		return mutateRead(d, h, func(op *model.Operation, stale model.Result) bool {
			stale.Revision = op.Result.Revision
			*op.Result = stale
			return true
		})
	}},
	{"ghost", func(d dice, h *model.History) bool {
		return mutateItems(d, h, func(op *model.Operation) {
			op.Result.Items = append(op.Result.Items, &model.Item{Key: "g", Value: "x", CreateRevision: 2, ModRevision: 2, Version: 1})
			op.Result.Count++
		})
	}},
	{"missing item", func(d dice, h *model.History) bool {
		return mutateItems(d, h, func(op *model.Operation) {
			if n := len(op.Result.Items); n > 0 {
				op.Result.Items = op.Result.Items[:n-1]
				op.Result.Count--
			}
		})
	}},
	{"wrong value", func(d dice, h *model.History) bool {
		return mutateItem(d, h, func(it *model.Item) { it.Value += "!" })
	}},
	{"wrong mod revision", func(d dice, h *model.History) bool {
		return mutateItem(d, h, func(it *model.Item) { it.ModRevision += int64(1 - 2*d.roll(2)) })
	}},
	{"wrong version", func(d dice, h *model.History) bool {
		return mutateItem(d, h, func(it *model.Item) { it.Version++ })
	}},
	{"wrong lease", func(d dice, h *model.History) bool {
		return mutateItem(d, h, func(it *model.Item) { it.Lease = (it.Lease + 1 + int64(d.roll(2))) % 3 })
	}},
	{"revocation of another lease", func(d dice, h *model.History) bool {
		op := pick(d, h, func(op *model.Operation) bool { return op.Request.Kind == model.LeaseRevoke })
		if op != nil {
			op.Request = &model.Request{Kind: model.LeaseRevoke, Lease: 3 - op.Request.Lease}
		}
		return op != nil
	}},
	{"wrong count", func(d dice, h *model.History) bool {
		return mutateItems(d, h, func(op *model.Operation) { op.Result.Count++ })
	}},
	{"wrong more", func(d dice, h *model.History) bool {
		return mutateItems(d, h, func(op *model.Operation) { op.Result.More = !op.Result.More })
	}},
	{"wrong list revision", func(d dice, h *model.History) bool {
		return mutateItems(d, h, func(op *model.Operation) {
			if op.Result.Revision > 0 {
				op.Result.Revision += int64(1 - 2*d.roll(2))
			}
		})
	}},
	{"duplicate revision", func(d dice, h *model.History) bool {
		a, b := pick(d, h, isEffective), pick(d, h, isEffective)
		if a == nil || a == b {
			return false
		}
		a.Result.Revision = b.Result.Revision
		return true
	}},
	{"revisions in the wrong order", func(d dice, h *model.History) bool {
		a, b := pick(d, h, isEffective), pick(d, h, isEffective)
		if a == nil || a == b {
			return false
		}
		a.Result.Revision, b.Result.Revision = b.Result.Revision, a.Result.Revision
		return true
	}},
	{"wrong write revision", func(d dice, h *model.History) bool {
		op := pick(d, h, func(op *model.Operation) bool {
			return op.Outcome == model.Done && op.Request.IsWrite() && op.Result.Revision > 1
		})
		if op != nil {
			op.Result.Revision += int64(1 - 2*d.roll(2))
		}
		return op != nil
	}},
	{"wrong no-op flag", func(d dice, h *model.History) bool {
		op := pick(d, h, func(op *model.Operation) bool { return op.Outcome == model.Done && op.Request.Kind == model.Delete })
		if op != nil {
			op.Result.Deleted = 1 - min(1, op.Result.Deleted)
		}
		return op != nil
	}},
	{"wrong number of deletions", func(d dice, h *model.History) bool {
		op := pick(d, h, func(op *model.Operation) bool { return isEffective(op) && op.Request.Kind == model.Delete })
		if op != nil {
			op.Result.Deleted++
		}
		return op != nil
	}},
	{"wrong previous item", func(d dice, h *model.History) bool {
		op := pick(d, h, func(op *model.Operation) bool { return op.Outcome == model.Done && len(op.Result.Prev) > 0 })
		if op == nil {
			return false
		}
		it := *op.Result.Prev[0]
		switch d.roll(5) {
		case 0:
			it.Key += "!"
		case 1:
			it.Value += "!"
		case 2:
			it.ModRevision++
		case 3:
			it.Version++
		}
		op.Result.Prev = append([]*model.Item{&it}, op.Result.Prev[1:]...)
		if it == *op.Result.Prev[0] && d.roll(2) == 0 {
			op.Result.Prev = op.Result.Prev[1:]
		}
		return true
	}},
	{"wrong success flag", func(d dice, h *model.History) bool {
		op := pick(d, h, func(op *model.Operation) bool { return op.Outcome == model.Done && op.Request.Kind == model.Txn })
		if op != nil {
			*op.Result = blank(op.Request, !op.Result.Succeeded, op.Result.Revision)
		}
		return op != nil
	}},
	{"wrong success flag of an inner transaction", func(d dice, h *model.History) bool {
		op := pick(d, h, func(op *model.Operation) bool { return op.Outcome == model.Done && within(op.Request, op.Result) >= 0 })
		if op != nil {
			i := within(op.Request, op.Result)
			inner := &op.Request.Branch(op.Result.Succeeded)[i]
			op.Result.Results[i] = blank(inner, !op.Result.Results[i].Succeeded, 0)
		}
		return op != nil
	}},
	{"lost write", func(d dice, h *model.History) bool {
		op := pick(d, h, isEffective)
		if op != nil {
			op.Outcome, op.Result = model.Failed, &model.Result{Err: model.Unavailable}
		}
		return op != nil
	}},
	{"real time swapped", func(d dice, h *model.History) bool {
		done := func(op *model.Operation) bool { return op.Outcome == model.Done }
		a, b := pick(d, h, done), pick(d, h, done)
		if a == nil || a == b {
			return false
		}
		a.Client, b.Client = b.Client, a.Client
		a.Request, b.Request = b.Request, a.Request
		a.Result, b.Result = b.Result, a.Result
		return true
	}},
	{"ground truth elsewhere", func(d dice, h *model.History) bool {
		op := pick(d, h, func(op *model.Operation) bool { return op.Outcome == model.Unknown && op.Commit != 0 })
		if op == nil {
			return false
		}
		if op.Commit++; op.Commit == 0 {
			op.Commit = h.Initial.Revision + 1
		}
		return true
	}},
}

// blank is an answer that says of a transaction no more than whether it succeeds.
func blank(r *model.Request, succeeds bool, revision int64) model.Result {
	res := model.Result{Succeeded: succeeds, Revision: revision}
	if r.Kind == model.Txn {
		for i := range r.Branch(succeeds) {
			res.Results = append(res.Results, blank(&r.Branch(succeeds)[i], false, 0))
		}
	}
	return res
}

// within is the place of a transaction in the branch that a request took, -1 if it has none.
func within(r *model.Request, res *model.Result) int {
	return slices.IndexFunc(r.Branch(res.Succeeded), func(op model.Request) bool { return op.Kind == model.Txn })
}

func isEffective(op *model.Operation) bool {
	return op.Outcome == model.Done && op.Request.IsWrite() && op.Request.Changed(op.Result)
}

func isAnsweredRead(op *model.Operation) bool {
	return op.Outcome == model.Done && !op.Request.IsWrite()
}

// pick returns one of the operations, nil if none fits.
func pick(d dice, h *model.History, fits func(*model.Operation) bool) *model.Operation {
	var at []int
	for i := range h.Operations {
		if fits(&h.Operations[i]) {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return nil
	}
	return &h.Operations[at[d.roll(len(at))]]
}

func mutateItems(d dice, h *model.History, change func(*model.Operation)) bool {
	op := pick(d, h, isAnsweredRead)
	if op == nil {
		return false
	}
	op.Result.Items = append([]*model.Item(nil), op.Result.Items...)
	change(op)
	return true
}

func mutateItem(d dice, h *model.History, change func(*model.Item)) bool {
	op := pick(d, h, func(op *model.Operation) bool { return isAnsweredRead(op) && len(op.Result.Items) > 0 })
	if op == nil {
		return false
	}
	op.Result.Items = append([]*model.Item(nil), op.Result.Items...)
	i := d.roll(len(op.Result.Items))
	it := *op.Result.Items[i]
	change(&it)
	op.Result.Items[i] = &it
	return true
}

// mutateRead hands out what a read would have answered some revisions ago.
func mutateRead(d dice, h *model.History, change func(*model.Operation, model.Result) bool) bool {
	op := pick(d, h, isAnsweredRead)
	if op == nil {
		return false
	}
	var writes []*model.Operation
	for i := range h.Operations {
		if isEffective(&h.Operations[i]) {
			writes = append(writes, &h.Operations[i])
		}
	}
	if len(writes) == 0 {
		return false
	}
	upTo := writes[d.roll(len(writes))].Result.Revision
	log := model.NewLog(h.Initial)
	for rev := log.Revision() + 1; rev < upTo; rev++ {
		next := writeAt(h, rev)
		if next == nil {
			return false
		}
		grantNamed(log, next)
		log.Append(next)
	}
	stale := log.At(log.Revision()).Read(op.Request)
	if op.Result.Revision == 0 {
		stale.Revision = 0
	}
	return change(op, stale)
}

func writeAt(h *model.History, rev int64) *model.Request {
	for i := range h.Operations {
		op := &h.Operations[i]
		if isEffective(op) && op.Result.Revision == rev || op.Outcome == model.Unknown && op.Commit == rev {
			return op.Request
		}
	}
	return nil
}
