package races

import (
	"fmt"
	"math/rand/v2"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// requester invents requests.
type requester struct {
	rng *rand.Rand
	// begin is the revision at which the sequence begins, revision the newest one that an
	// answer had.
	begin, revision int64
	// lease is below the ids of the sequence.
	lease int64
	// values counts them, so that most name their write.
	values int
	// rewrote: the last request has deleted keys and put some of them again.
	rewrote bool
}

func newInventor(seed uint64, begin, lease int64) *requester {
	return &requester{rng: rand.New(rand.NewPCG(seed, 1)), begin: begin, revision: begin, lease: lease}
}

// one reports whether something comes about that does once in n times.
func (v *requester) one(n int) bool { return v.rng.IntN(n) == 0 }

// requestKeys are few, so that most requests meet others on the same key; one is the beginning of
// another.
var requestKeys = [...]string{"a", "a/1", "b", "c", "d"}

// many are keys of which a range has more than twelve: fewer are sorted by another algorithm.
const many, manyEnd, mostMany = "m/", "m0", 40

// all is the first key that there can be.
const all = "\x00"

// fromKey is the end of a range that has none.
const fromKey = "\x00"

func (v *requester) key() string {
	if v.one(200) {
		return ""
	}
	return requestKeys[v.rng.IntN(len(requestKeys))]
}

// span is a range, most often of one key. It may be empty.
func (v *requester) span() (key, end string) {
	switch key = v.key(); v.rng.IntN(10) {
	case 0, 1, 2:
		return key, requestKeys[v.rng.IntN(len(requestKeys))]
	case 3:
		return key, fromKey
	case 4:
		return all, fromKey
	case 5:
		return many, manyEnd
	}
	return key, ""
}

// leaseID is one of few, so that most exist, and most of those have keys.
func (v *requester) leaseID() int64 { return v.lease + 1 + v.rng.Int64N(4) }

// past is a revision around those of the sequence, also one that never was.
func (v *requester) past() int64 { return v.begin - 2 + v.rng.Int64N(v.revision-v.begin+5) }

func (v *requester) next() sim.Payload {
	if v.rewrote {
		v.rewrote = false
		return &wire.CompactionRequest{Revision: v.revision, Physical: true}
	}
	switch p := v.rng.IntN(100); {
	case p < 20:
		return v.put()
	case p < 26:
		return v.remove()
	case p < 28:
		return v.putMany()
	case p < 45:
		return v.read()
	case p < 52:
		return &wire.RangeStreamRequest{Range: v.read()}
	case p < 74:
		return v.transaction()
	case p < 76:
		// Its answer comes when all is removed: what a read meets before that would be a matter of time.
		return &wire.CompactionRequest{Revision: v.compactTo(), Physical: true}
	case p < 84:
		return &wire.LeaseGrantRequest{ID: v.leaseID(), TTL: v.ttl()}
	case p < 88:
		return &wire.LeaseRevokeRequest{ID: v.leaseID()}
	case p < 94:
		return &wire.LeaseTimeToLiveRequest{ID: v.leaseID(), Keys: v.one(2)}
	default:
		return &wire.LeaseKeepAliveRequest{ID: v.leaseID()}
	}
}

// compactTo is far from the newest revision most of the time, so that there is a past.
func (v *requester) compactTo() int64 {
	switch v.rng.IntN(8) {
	case 0:
		return v.rng.Int64N(3) - 1
	case 1:
		return v.revision
	}
	return v.begin - 1 + v.rng.Int64N(v.revision-v.begin+4)
}

func (v *requester) ttl() int64 {
	switch v.rng.IntN(20) {
	case 0:
		return v.rng.Int64N(4) - 1
	case 1:
		return 9_000_000_000 + v.rng.Int64N(2)
	}
	return 60 + v.rng.Int64N(1000)
}

func (v *requester) value() string {
	v.values++
	switch v.rng.IntN(10) {
	case 0:
		return ""
	case 1:
		return "same"
	}
	return fmt.Sprint(v.values)
}

func (v *requester) put() *wire.PutRequest {
	r := &wire.PutRequest{Key: v.key(), Value: v.value(), PrevKv: v.one(3)}
	switch v.rng.IntN(8) {
	case 0, 1:
		r.Lease = v.leaseID()
	case 2:
		r.IgnoreLease = true
	}
	if v.one(40) {
		r.Lease = v.leaseID()
	}
	if v.one(6) {
		r.IgnoreValue = true
		if !v.one(20) {
			r.Value = ""
		}
	}
	return r
}

// putMany puts about half of the many keys in one transaction: they have the revision in common, and most of them the
// value. It may delete them before that.
func (v *requester) putMany() *wire.TxnRequest {
	t := &wire.TxnRequest{}
	if v.rewrote = v.one(3); v.rewrote {
		t.Success = append(t.Success, wire.RequestOp{DeleteRange: &wire.DeleteRangeRequest{Key: many, RangeEnd: fromKey}})
	}
	for i := range mostMany {
		if v.one(2) {
			t.Success = append(t.Success, wire.RequestOp{Put: &wire.PutRequest{Key: fmt.Sprintf("%s%02d", many, i), Value: fmt.Sprint(v.rng.IntN(3))}})
		}
	}
	return t
}

func (v *requester) remove() *wire.DeleteRangeRequest {
	key, end := v.span()
	return &wire.DeleteRangeRequest{Key: key, RangeEnd: end, PrevKv: v.one(3)}
}

func (v *requester) read() *wire.RangeRequest {
	key, end := v.span()
	r := &wire.RangeRequest{Key: key, RangeEnd: end, Serializable: v.one(2), KeysOnly: v.one(8), CountOnly: v.one(8)}
	if v.one(3) {
		r.Limit = v.rng.Int64N(4) - 1
		if key == many {
			r.Limit *= 10
		}
	}
	if v.one(4) {
		r.Revision = v.past()
	}
	if v.one(60) {
		r.Revision = -v.rng.Int64N(3)
	}
	if v.one(4) || key == many {
		r.SortOrder, r.SortTarget = wire.SortOrder(v.rng.IntN(3)), wire.SortTarget(v.rng.IntN(5))
	}
	for _, bound := range []*int64{&r.MinModRevision, &r.MaxModRevision, &r.MinCreateRevision, &r.MaxCreateRevision} {
		if v.one(12) {
			*bound = v.past()
		}
	}
	return r
}

// transaction keeps away from what real servers do not survive.
func (v *requester) transaction() *wire.TxnRequest {
	t := v.nested(3)
	if deletesFromKey(t) {
		dropKept(t)
	}
	return t
}

func (v *requester) nested(depth int) *wire.TxnRequest {
	t := &wire.TxnRequest{}
	for range v.rng.IntN(3) {
		t.Compare = append(t.Compare, v.compare())
	}
	t.Success, t.Failure = v.operations(depth), v.operations(depth)
	if v.one(100) {
		for range 129 {
			t.Failure = append(t.Failure, wire.RequestOp{Range: &wire.RangeRequest{Key: "a"}})
		}
	}
	return t
}

// operations put each key once, most of the time: what puts one twice, or deletes it as
// well, is refused.
func (v *requester) operations(depth int) (ops []wire.RequestOp) {
	put := map[string]bool{}
	for range v.rng.IntN(4) {
		switch p := v.rng.IntN(10); {
		case p < 3:
			ops = append(ops, wire.RequestOp{Range: v.read()})
		case p < 7:
			r := v.put()
			if put[r.Key] && !v.one(10) {
				continue
			}
			put[r.Key] = true
			ops = append(ops, wire.RequestOp{Put: r})
		case p < 8 || depth == 0:
			ops = append(ops, wire.RequestOp{DeleteRange: v.remove()})
		default:
			ops = append(ops, wire.RequestOp{Txn: v.nested(depth - 1)})
		}
	}
	return ops
}

func (v *requester) compare() wire.Compare {
	c := wire.Compare{Target: wire.CompareTarget(v.rng.IntN(5)), Result: wire.CompareResult(v.rng.IntN(4))}
	c.Key, c.RangeEnd = v.span()
	switch c.Target {
	case wire.CompareValue:
		c.Value = []string{"", "same", fmt.Sprint(v.rng.IntN(v.values + 1))}[v.rng.IntN(3)]
	case wire.CompareVersion:
		c.Operand = v.rng.Int64N(3)
	case wire.CompareLease:
		if !v.one(3) {
			c.Operand = v.leaseID()
		}
	default:
		if !v.one(3) {
			c.Operand = v.past()
		}
	}
	return c
}

// each visits all operations of a transaction and of those within it.
func each(t *wire.TxnRequest, visit func(*wire.RequestOp)) {
	for _, ops := range [2][]wire.RequestOp{t.Success, t.Failure} {
		for i := range ops {
			visit(&ops[i])
			if ops[i].Txn != nil {
				each(ops[i].Txn, visit)
			}
		}
	}
}

func deletesFromKey(t *wire.TxnRequest) (found bool) {
	each(t, func(op *wire.RequestOp) { found = found || op.DeleteRange != nil && op.DeleteRange.RangeEnd == fromKey })
	return found
}

// dropKept has the puts keep nothing.
func dropKept(t *wire.TxnRequest) {
	each(t, func(op *wire.RequestOp) {
		if op.Put != nil {
			op.Put.IgnoreValue, op.Put.IgnoreLease = false, false
		}
	})
}
