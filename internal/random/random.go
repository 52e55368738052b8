// Package random makes random histories, changes one thing about them, and judges them by trying every order. It is for
// tests of the judges, and must never import one.
package random

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/watchbed/watchbed/linearizability/items"
	"github.com/watchbed/watchbed/model"
)

// Dice decide everything about a random history: each call is a number from 0 on and below n. A source of random
// numbers is fast, and rapid's shrinks.
type Dice func(n int) int

// NewDice are those of a source of random numbers with this seed.
func NewDice(seed1, seed2 uint64) Dice { return rand.New(rand.NewPCG(seed1, seed2)).IntN }

// Simulated is a correct store with clients whose calls, effects and returns
// interleave at random.
type Simulated struct {
	dice    Dice
	keys    []string
	History *model.History
	Log     *model.Log
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

// Simulate makes a history of so many operations.
func Simulate(d Dice, operations int) *Simulated {
	s := &Simulated{
		dice: d, keys: []string{"a", "b", "c"}[:1+d(3)], truth: d(2) == 0, silent: d(6) == 0,
	}
	clients := 1 + d(4)
	s.History = &model.History{Clients: []string{"0", "1", "2", "3"}[:clients], Initial: model.Initial{Revision: 1}}
	if d(3) == 0 {
		s.History.Initial = model.Initial{Revision: 6, Items: []*model.Item{{Key: "a", Value: "old", CreateRevision: 3, ModRevision: 5, Version: 2, Lease: int64(d(2))}}}
	}
	s.Log = model.NewLog(s.History.Initial)
	s.inFlight, s.applied = make([]int, clients), make([]bool, clients)
	for i := range s.inFlight {
		s.inFlight[i] = -1
	}
	for len(s.History.Operations) < operations || s.busy() {
		s.event(operations)
	}
	for i := range s.History.Operations {
		if op := &s.History.Operations[i]; op.Outcome == model.Unknown && !s.truth {
			op.Commit = 0
		}
	}
	return s
}

func (s *Simulated) busy() bool {
	return slices.ContainsFunc(s.inFlight, func(op int) bool { return op >= 0 })
}

func (s *Simulated) event(operations int) {
	if len(s.lost) > 0 && s.dice(4) == 0 {
		op := s.lost[0]
		s.lost = s.lost[1:]
		s.effect(&s.History.Operations[op])
		return
	}
	c := s.dice(len(s.inFlight))
	at := s.inFlight[c]
	if at < 0 {
		if len(s.History.Operations) == operations {
			return
		}
		s.inFlight[c], s.applied[c] = len(s.History.Operations), false
		s.tick++
		s.History.Operations = append(s.History.Operations, model.Operation{Client: c, Call: s.tick, Request: s.request()})
		return
	}
	op := &s.History.Operations[at]
	switch {
	case s.dice(16) == 0:
		op.Outcome, op.Return, op.Result = model.Unknown, math.MaxInt64, nil
		if !s.applied[c] && op.Request.IsWrite() {
			op.Commit = -1
			s.lost = append(s.lost, at)
		}
		s.inFlight[c] = -1
	case !s.applied[c] && s.dice(20) == 0:
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
func (s *Simulated) effect(op *model.Operation) {
	before := s.Log.Revision()
	var res model.Result
	switch {
	case op.Request.IsWrite():
		// Which leases there are is not judged.
		items.GrantNamed(s.Log, op.Request)
		res = s.Log.At(before).Clone().Apply(op.Request)
		s.Log.Append(op.Request)
		op.Commit = -1
		if s.Log.Revision() > before {
			op.Commit = s.Log.Revision()
		} else if s.silent {
			res.Revision = 0
		}
	case op.Request.Freshness == model.Consistent:
		res = s.Log.At(before).Read(op.Request)
	default:
		rev := before
		switch op.Request.Freshness {
		case model.Exact, model.NotOlderThan:
			// The request was made up before the answer can be.
			rev = min(rev, max(op.Request.Revision, s.History.Initial.Revision))
			op.Request.Revision = rev
		default:
			if back := int64(s.dice(3)); rev-back >= s.History.Initial.Revision {
				rev -= back
			}
		}
		res = s.Log.At(rev).Read(op.Request)
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

func (s *Simulated) key() string { return s.keys[s.dice(len(s.keys))] }

func (s *Simulated) value() string { return []string{"x", "y", "z"}[s.dice(3)] }

func (s *Simulated) request() *model.Request {
	switch s.dice(11) {
	case 10:
		return &model.Request{Kind: model.LeaseRevoke, Lease: 1 + int64(s.dice(2))}
	case 0, 1, 2:
		return s.put(s.key())
	case 3:
		r := &model.Request{Kind: model.Delete, Key: s.key(), PrevKV: s.dice(2) == 0}
		if s.dice(3) == 0 {
			r.End = "\x00"
		}
		return r
	case 4:
		return s.transaction()
	case 5, 6:
		return s.fresh(&model.Request{Kind: model.Get, Key: s.key()})
	default:
		r := &model.Request{Kind: model.List, Key: "a", End: "z"}
		switch s.dice(8) {
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

func (s *Simulated) fresh(r *model.Request) *model.Request {
	switch s.dice(12) {
	case 0, 1:
		r.Freshness = model.Any
	case 2:
		r.Freshness, r.Revision = model.NotOlderThan, int64(1+s.dice(9))
	case 3:
		r.Freshness, r.Revision = model.Exact, int64(1+s.dice(9))
	}
	return r
}

// put may keep the value that is there, if the key is.
func (s *Simulated) put(key string) *model.Request {
	r := &model.Request{Kind: model.Put, Key: key, Value: s.value(), PrevKV: s.dice(3) == 0}
	if s.dice(8) == 0 {
		r.Value, r.IgnoreValue = "", true
	}
	switch s.dice(8) {
	case 0:
		r.IgnoreLease = true
	case 1, 2:
		r.Lease = 1 + int64(s.dice(2))
	}
	return r
}

// transaction may have others in it.
func (s *Simulated) transaction() *model.Request {
	r := s.flat()
	for s.dice(3) == 0 {
		inner := s.flat()
		if s.dice(2) == 0 {
			r.Success = append(r.Success, *inner)
		} else {
			r.Failure = append([]model.Request{*inner}, r.Failure...)
		}
	}
	if items.Any(r, func(op *model.Request) bool { return op.Kind == model.Delete }) {
		// What a deletion takes away no put of the same transaction can keep.
		items.EachPut(r, func(put *model.Request) { put.IgnoreValue, put.IgnoreLease = false, false })
	}
	return r
}

func (s *Simulated) flat() *model.Request {
	key := s.key()
	c := model.Compare{Key: key, Target: model.CompareTarget(s.dice(5)), Op: model.CompareOp(s.dice(4)), Value: s.value()}
	if it := s.Log.At(s.Log.Revision()).Get(key); it != nil && s.dice(2) == 0 {
		c.Operand = it.ModRevision
	}
	r := &model.Request{Kind: model.Txn, Compare: []model.Compare{c}}
	switch s.dice(5) {
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
