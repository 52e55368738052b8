package plans

import (
	"slices"
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// The features of a client of etcd.
const (
	putsLarge feature = iota
	deletes
	deletesRanges
	transacts
	compares
	compacts
	ranges
	rangesAtRevisions
	rangesInParts
	rangesWithoutValues
	countsOnly
	serializes
	givesNoKey
	asksTooMuch
	comparesRanges
	sorts
	bounds
	wantsPrevious
	nests
	keepsValues
	leases
	putsOnLeases
	keepsLeases
	streamsRanges
)

var operationFeatures = []string{
	putsLarge: "large values", deletes: "deletes", deletesRanges: "deletes of ranges", transacts: "transactions",
	compares: "compares", compacts: "compactions", ranges: "ranges", rangesAtRevisions: "ranges at revisions",
	rangesInParts: "limits", rangesWithoutValues: "keys only", countsOnly: "counts only", serializes: "serializable ranges",
	givesNoKey: "requests without a key", asksTooMuch: "transactions of too many operations",
	comparesRanges: "compares of ranges", sorts: "sorted ranges", bounds: "ranges of revisions", wantsPrevious: "previous values",
	nests: "nested transactions", keepsValues: "puts that keep the value",
	leases: "leases", putsOnLeases: "puts on leases", keepsLeases: "puts that keep the lease",
	streamsRanges: "RangeStreams",
}

// featuresOfEtcd leaves out what clients do not do.
func featuresOfEtcd(o *workload.DrawnOptions) []string {
	return without(operationFeatures, optional{nests, o.Nested}, optional{keepsValues, o.Nested},
		optional{leases, o.Leases}, optional{putsOnLeases, o.Leases}, optional{keepsLeases, o.Leases}, optional{streamsRanges, o.Streams})
}

// anyOperations are reads and writes of one client of etcd, with any options.
func (p *planner) anyOperations(env source, i int, name string) []workload.Step {
	s := drawSwarm(env, featuresOfEtcd(&p.o.Drawn))
	if s.has(nests) {
		// It is of no use without these two, and of the transactions of a client that makes each mistake few are
		// carried out.
		s.use(transacts, compares)
		if s.flip(nests, "well-formed") {
			s.leave(givesNoKey, asksTooMuch, keepsValues)
		}
	}
	var steps []workload.Step
	for j := range p.o.Drawn.Requests {
		value := name[len("any-client"):] + "." + strconv.Itoa(j)
		steps = append(steps, p.step(p.t.KV(i, j), p.anyOperation(s, value), Think(p.o)))
	}
	return steps
}

// anyOperation is of any kind that the client uses in this run. Every client puts.
func (p *planner) anyOperation(s *swarm, value string) sim.Payload {
	kinds := []func() sim.Payload{func() sim.Payload { return p.anyPut(s, value) }}
	for _, k := range [...]struct {
		uses feature
		draw func() sim.Payload
	}{
		{ranges, func() sim.Payload { return p.anyRange(s) }},
		{transacts, func() sim.Payload { return p.anyTxn(s, value, 0) }},
		{nests, func() sim.Payload { return p.anyTxn(s, value, 0) }},
		{nests, func() sim.Payload { return p.anyTxn(s, value, 0) }},
		{streamsRanges, func() sim.Payload { return p.anyRangeStream(s) }},
		{streamsRanges, func() sim.Payload { return p.anyRangeStream(s) }},
		{deletes, func() sim.Payload { return p.anyDelete(s) }},
		// Most of them are of use only together with others.
		{putsOnLeases, func() sim.Payload { return p.anyPut(s, value) }},
		{putsOnLeases, func() sim.Payload { return p.anyPut(s, value) }},
		{leases, func() sim.Payload { return p.anyLeaseRequest(s) }},
		{leases, func() sim.Payload { return p.anyLeaseRequest(s) }},
		{leases, func() sim.Payload { return p.anyLeaseRequest(s) }},
		{compacts, func() sim.Payload { return p.anyCompaction(s) }},
	} {
		if s.has(k.uses) {
			kinds = append(kinds, k.draw)
		}
	}
	return kinds[s.env.Choose(len(kinds), "kind of request")]()
}

func (p *planner) anyCompaction(s *swarm) *wire.CompactionRequest {
	r := &wire.CompactionRequest{Revision: p.anyRevision(s)}
	if p.o.Drawn.Physical {
		r.Physical = s.env.Choose(2, "physical compaction") == 1
	}
	return r
}

func (p *planner) anyPut(s *swarm, value string) *wire.PutRequest {
	put := p.anyValue(s, value)
	if s.flip(keepsLeases, "lease that is there") {
		put.IgnoreLease = true
		// With a lease as well etcd refuses it.
		put.Lease = int64(s.draw(putsOnLeases, 5, "lease") / 4)
	} else if s.draw(putsOnLeases, 4, "put on a lease") > 0 {
		put.Lease = p.anyLease(s)
	}
	return put
}

func (p *planner) anyValue(s *swarm, value string) *wire.PutRequest {
	switch s.draw(keepsValues, 5, "value that is there") {
	case 1, 2:
		return &wire.PutRequest{Key: p.anyKey(s), IgnoreValue: true, PrevKv: s.flip(wantsPrevious, "previous value")}
	case 3:
		// etcd refuses it: it has a value as well.
		return &wire.PutRequest{Key: p.anyKey(s), Value: value, IgnoreValue: true}
	}
	value += strings.Repeat("x", s.draw(putsLarge, 3, "size of the value")*p.o.Drawn.LargeBytes)
	return &wire.PutRequest{Key: p.anyKey(s), Value: value, PrevKv: s.flip(wantsPrevious, "previous value")}
}

func (p *planner) anyKey(s *swarm) string {
	if s.draw(givesNoKey, 8, "no key") == 1 {
		return ""
	}
	keys := max(1, p.o.Keys)
	if keys == 1 {
		return p.t.Key(0)
	}
	return p.t.Key(s.env.Choose(keys, "key"))
}

// everyKey begins the range of all keys that there are.
const everyKey = "/"

// span is a range of keys: one key, all objects of the resource, all keys from one on,
// every key, or none.
func (p *planner) span(s *swarm, f feature) (key, end string) {
	prefix := topology.Prefix(0)
	switch s.draw(f, 5, "range of keys") {
	case 1:
		return prefix, model.PrefixEnd(prefix)
	case 2:
		return p.t.Key(0), "\x00"
	case 3:
		return everyKey, "\x00"
	case 4:
		return model.PrefixEnd(prefix), prefix
	}
	return p.anyKey(s), ""
}

func (p *planner) anyDelete(s *swarm) *wire.DeleteRangeRequest {
	key, end := p.span(s, deletesRanges)
	return &wire.DeleteRangeRequest{Key: key, RangeEnd: end, PrevKv: s.flip(wantsPrevious, "previous values")}
}

func (p *planner) anyRange(s *swarm) *wire.RangeRequest {
	r := p.anyRangeInTxn(s)
	if r.Revision == 0 && s.draw(rangesAtRevisions, 3, "revision below 0") == 1 {
		// etcd reads the newest state. Inside a transaction it refuses such a range once
		// it has compacted.
		r.Revision = -1
	}
	return r
}

// anyRangeStream has mostly what etcd does not refuse. It has no revision below 0: EtcdServer.rangeStream pins later
// chunks for 0 only, and reads each of them at the newest revision then.
func (p *planner) anyRangeStream(s *swarm) *wire.RangeStreamRequest {
	r := p.anyRangeInTxn(s)
	if s.env.Choose(4, "order and bounds of the stream") > 0 {
		r.SortOrder, r.SortTarget = wire.SortNone, 0
		r.MinModRevision, r.MaxModRevision, r.MinCreateRevision, r.MaxCreateRevision = 0, 0, 0, 0
	}
	return &wire.RangeStreamRequest{Range: r}
}

func (p *planner) anyRangeInTxn(s *swarm) *wire.RangeRequest {
	key, end := p.span(s, ranges)
	r := &wire.RangeRequest{
		Key: key, RangeEnd: end,
		Limit:        int64(s.draw(rangesInParts, 3, "limit")),
		KeysOnly:     s.flip(rangesWithoutValues, "keys only"),
		CountOnly:    s.flip(countsOnly, "count only"),
		Serializable: s.flip(serializes, "serializable"),
	}
	if s.flip(rangesAtRevisions, "revision of the range") {
		r.Revision = p.anyRevision(s)
	}
	if r.SortOrder = wire.SortOrder(s.draw(sorts, 3, "order")); r.SortOrder != wire.SortNone {
		r.SortTarget = wire.SortTarget(s.env.Choose(5, "field to sort by"))
	}
	if bound := s.draw(bounds, 5, "bound of revisions"); bound > 0 {
		*[...]*int64{&r.MinModRevision, &r.MaxModRevision, &r.MinCreateRevision, &r.MaxCreateRevision}[bound-1] = p.anyRevision(s)
	}
	return r
}

// deepest is how many transactions there are around one at most.
const deepest = 2

// anyTxn compares, and has up to three operations in each branch. There are so many
// transactions around it.
func (p *planner) anyTxn(s *swarm, value string, around int) *wire.TxnRequest {
	t := &wire.TxnRequest{}
	for range s.draw(compares, 3, "number of compares") {
		t.Compare = append(t.Compare, p.anyCompare(s))
	}
	t.Success, t.Failure = p.anyBranch(s, value, around), p.anyBranch(s, value, around)
	if s.draw(asksTooMuch, 4, "too many operations") == 1 {
		// Within another one fewer are too many, or not yet: that depends on the outer one.
		for range tooManyOps - 2*around {
			t.Failure = append(t.Failure, wire.RequestOp{Range: &wire.RangeRequest{Key: everyKey}})
		}
	}
	if around == 0 && s.draw(nests, 4, "keys written twice") > 0 {
		deleteApart(t, putOnce(t, nil))
	}
	if around == 0 && deletesFromOn(t) {
		keepNothing(t)
	}
	return t
}

// putOnce leaves puts out whose key another one of the transaction has, and adds the others: etcd refuses a transaction
// that writes a key twice, and one within others has rarely another fate.
func putOnce(t *wire.TxnRequest, written []string) []string {
	again := func(op wire.RequestOp) bool {
		switch {
		case op.Txn != nil:
			written = putOnce(op.Txn, written)
		case op.Put != nil && slices.Contains(written, op.Put.Key):
			return true
		case op.Put != nil:
			written = append(written, op.Put.Key)
		}
		return false
	}
	t.Success, t.Failure = slices.DeleteFunc(t.Success, again), slices.DeleteFunc(t.Failure, again)
	return written
}

// deleteApart leaves deletions out of what the transaction puts.
func deleteApart(t *wire.TxnRequest, written []string) {
	meets := func(op wire.RequestOp) bool {
		if op.Txn != nil {
			deleteApart(op.Txn, written)
		}
		return op.DeleteRange != nil && slices.ContainsFunc(written, func(key string) bool { return model.InRange(key, op.DeleteRange.Key, op.DeleteRange.RangeEnd) })
	}
	t.Success, t.Failure = slices.DeleteFunc(t.Success, meets), slices.DeleteFunc(t.Failure, meets)
}

// deletesFromOn reports whether a transaction may delete everything from a key on.
func deletesFromOn(t *wire.TxnRequest) bool {
	return slices.ContainsFunc(slices.Concat(t.Success, t.Failure), func(op wire.RequestOp) bool {
		return op.DeleteRange != nil && op.DeleteRange.RangeEnd == "\x00" || op.Txn != nil && deletesFromOn(op.Txn)
	})
}

// keepNothing has the puts of a transaction keep nothing. etcd panics if the same
// transaction has deleted the key, which it does not see beforehand of a deletion up to "\x00".
func keepNothing(t *wire.TxnRequest) {
	for _, op := range slices.Concat(t.Success, t.Failure) {
		switch {
		case op.Put != nil:
			op.Put.IgnoreValue, op.Put.IgnoreLease = false, false
		case op.Txn != nil:
			keepNothing(op.Txn)
		}
	}
}

func (p *planner) anyCompare(s *swarm) wire.Compare {
	key, end := p.span(s, comparesRanges)
	targets := 4
	if s.has(putsOnLeases) {
		targets++
	}
	c := wire.Compare{
		Key: key, RangeEnd: end,
		Target: wire.CompareTarget(s.env.Choose(targets, "target of the compare")),
		Result: wire.CompareResult(s.env.Choose(4, "relation of the compare")),
	}
	switch c.Target {
	case wire.CompareValue:
		// What is there before the run comes behind the values that clients put.
		c.Value = [...]string{"initial", "-2"}[s.env.Choose(2, "value to compare with")]
	case wire.CompareLease:
		c.Operand = int64(s.env.Choose(3, "lease to compare with"))
	case wire.CompareVersion:
		c.Operand = int64(s.env.Choose(3, "version to compare with"))
	default:
		c.Operand = p.anyRevision(s) - 1
	}
	return c
}

// tooManyOps is one more than etcd takes in a branch of a transaction.
const tooManyOps = 129

// innerTxn puts a transaction in the place of an operation, if the client nests them.
func (p *planner) innerTxn(s *swarm, value string, around int, before []wire.RequestOp) *wire.TxnRequest {
	if around == deepest || !s.flip(nests, "transaction within it") {
		return nil
	}
	t := p.anyTxn(s, value, around+1)
	// What was put just before it is no more what its compares look at.
	i := slices.IndexFunc(before, func(op wire.RequestOp) bool { return op.Put != nil && !op.Put.IgnoreValue })
	if i >= 0 && s.draw(compares, 4, "compare what was put just before") > 0 {
		put := before[i].Put
		t.Compare = []wire.Compare{{Key: put.Key, Target: wire.CompareValue, Result: wire.CompareEqual, Value: put.Value}}
	}
	return t
}

func (p *planner) anyBranch(s *swarm, value string, around int) []wire.RequestOp {
	var ops []wire.RequestOp
	for i := range s.draw(transacts, 4, "number of operations") {
		if inner := p.innerTxn(s, value+"."+strconv.Itoa(i), around, ops); inner != nil {
			ops = append(ops, wire.RequestOp{Txn: inner})
			continue
		}
		switch s.env.Choose(3, "kind of operation") {
		case 0:
			ops = append(ops, wire.RequestOp{Put: p.anyPut(s, value+"."+strconv.Itoa(i))})
		case 1:
			ops = append(ops, wire.RequestOp{Range: p.anyRangeInTxn(s)})
		default:
			ops = append(ops, wire.RequestOp{DeleteRange: p.anyDelete(s)})
		}
	}
	return ops
}
