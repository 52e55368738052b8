package races

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// plan is what the clients of a race will do.
type plan struct {
	// begin is the revision of the store before it.
	begin int64
	// before is written before the race, one after the other: the history that watches
	// may ask for.
	before []sim.Payload
	// requests are, by client, what it asks.
	requests [len(names)][]invention
}

// invention is a request that a client sends after a pause.
type invention struct {
	pause   time.Duration
	payload sim.Payload
}

// inventor invents the requests of a race.
type inventor struct {
	rng *rand.Rand
	// prefix is that of the race's keys, begin the revision of the store before it.
	prefix string
	begin  int64
	// values counts them, so that each names its write.
	values int
	// watches counts the watches of the stream.
	watches int64
}

func newPlan(seed uint64, prefix string, begin int64) *plan {
	v := &inventor{rng: rand.New(rand.NewPCG(seed, 0)), prefix: prefix, begin: begin}
	p := &plan{begin: begin}
	for range v.rng.IntN(4) {
		p.before = append(p.before, v.put())
	}
	for range 3 + v.rng.IntN(5) {
		p.requests[stream] = append(p.requests[stream], invention{v.pause(), v.onStream()})
	}
	for range 2 + v.rng.IntN(6) {
		p.requests[writer] = append(p.requests[writer], invention{v.pause(), v.write()})
	}
	for range 2 + v.rng.IntN(4) {
		p.requests[reader] = append(p.requests[reader], invention{v.pause(), v.read()})
	}
	return p
}

// pause is most often none, so that requests meet, and now and then up to half a
// period of syncWatchersLoop, so that watches are met in every state.
func (v *inventor) pause() time.Duration {
	switch p := v.rng.IntN(10); {
	case p < 6:
		return 0
	case p < 9:
		return time.Duration(v.rng.Int64N(int64(2 * time.Millisecond)))
	default:
		return time.Duration(v.rng.Int64N(int64(50 * time.Millisecond)))
	}
}

// keys are few, so that most requests meet others on the same key.
const keys = 3

func (v *inventor) key() string { return v.prefix + string(rune('a'+v.rng.IntN(keys))) }

// end is behind all keys of the race.
func (v *inventor) end() string { return v.prefix + "\xff" }

// revision is one that the race may have when the request comes.
func (v *inventor) revision() int64 { return v.begin + 1 + v.rng.Int64N(5) }

func (v *inventor) put() *wire.PutRequest {
	v.values++
	return &wire.PutRequest{Key: v.key(), Value: fmt.Sprint(v.values), PrevKv: v.rng.IntN(5) == 0}
}

func (v *inventor) remove() *wire.DeleteRangeRequest {
	r := &wire.DeleteRangeRequest{Key: v.key(), PrevKv: v.rng.IntN(5) == 0}
	if v.rng.IntN(3) == 0 {
		r.Key, r.RangeEnd = v.prefix, v.end()
	}
	return r
}

func (v *inventor) write() sim.Payload {
	switch p := v.rng.IntN(20); {
	case p < 12:
		return v.put()
	case p < 15:
		return v.remove()
	case p < 18:
		return v.transaction()
	default:
		return &wire.CompactionRequest{Revision: v.revision()}
	}
}

// transaction changes several keys at one revision, or reads if its comparison fails.
func (v *inventor) transaction() *wire.TxnRequest {
	key := v.key()
	txn := &wire.TxnRequest{
		Compare: []wire.Compare{{Key: key, Target: wire.CompareVersion, Operand: v.rng.Int64N(2)}},
		Failure: []wire.RequestOp{{Range: v.list()}},
	}
	v.values++
	txn.Success = append(txn.Success, wire.RequestOp{Put: &wire.PutRequest{Key: key, Value: fmt.Sprint(v.values)}})
	if other := v.key(); other != key {
		txn.Success = append(txn.Success, wire.RequestOp{DeleteRange: &wire.DeleteRangeRequest{Key: other}})
	}
	return txn
}

func (v *inventor) list() *wire.RangeRequest {
	return &wire.RangeRequest{Key: v.prefix, RangeEnd: v.end()}
}

func (v *inventor) read() sim.Payload {
	r := v.list()
	if v.rng.IntN(3) == 0 {
		r = &wire.RangeRequest{Key: v.key()}
	}
	r.Serializable = v.rng.IntN(3) > 0
	if v.rng.IntN(6) == 0 {
		r.Revision = v.revision()
	}
	return r
}

func (v *inventor) onStream() sim.Payload {
	switch p := v.rng.IntN(20); {
	case p < 9 || v.watches == 0:
		return v.create()
	case p < 17:
		return &wire.WatchProgressRequest{}
	default:
		return &wire.WatchCancelRequest{WatchID: v.rng.Int64N(v.watches)}
	}
}

func (v *inventor) create() *wire.WatchCreateRequest {
	v.watches++
	r := &wire.WatchCreateRequest{Key: v.prefix, RangeEnd: v.end(), PrevKv: v.rng.IntN(3) == 0}
	if v.rng.IntN(3) == 0 {
		r.Key, r.RangeEnd = v.key(), ""
	}
	switch v.rng.IntN(6) {
	case 0:
		r.Filters = wire.NoPut
	case 1:
		r.Filters = wire.NoDelete
	}
	switch p := v.rng.IntN(20); {
	case p < 7:
	case p < 19:
		r.StartRevision = v.revision()
	default:
		r.StartRevision = -1
	}
	return r
}
