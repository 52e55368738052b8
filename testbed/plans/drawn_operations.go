package plans

import (
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
)

var operationFeatures = []string{
	putsLarge: "large values", deletes: "deletes", deletesRanges: "deletes of ranges", transacts: "transactions",
	compares: "compares", compacts: "compactions", ranges: "ranges", rangesAtRevisions: "ranges at revisions",
	rangesInParts: "limits", rangesWithoutValues: "keys only", countsOnly: "counts only", serializes: "serializable ranges",
	givesNoKey: "requests without a key",
}

// LargeValue is so long that the events of three such puts do not fit one response to a
// watch: etcd takes up to 1.5 MiB and splits responses from 2 MiB on.
var LargeValue = strings.Repeat("x", 700<<10)

// anyOperations are reads and writes of one client of etcd, with any options.
func (p *planner) anyOperations(env *sim.Env, i int, name string) []workload.Step {
	s := drawSwarm(env, operationFeatures)
	if s.draw(putsLarge, 4, "large values in this run") != 1 {
		// They make a run slow, so that few runs have them.
		s.leave(putsLarge)
	}
	var steps []workload.Step
	for j := range p.o.Drawn.Requests {
		value := name[len("any-client"):] + "." + strconv.Itoa(j)
		steps = append(steps, p.step(p.t.KV(i), p.anyOperation(s, value), Think(p.o)))
	}
	return steps
}

func (p *planner) anyOperation(s *swarm, value string) sim.Payload {
	switch {
	case s.draw(ranges, 3, "a range") > 0:
		return p.anyRange(s)
	case s.draw(transacts, 3, "a transaction") == 1:
		return p.anyTxn(s, value)
	case s.draw(deletes, 3, "a delete") == 1:
		return p.anyDelete(s)
	case s.draw(compacts, 5, "a compaction") == 1:
		return &wire.CompactionRequest{Revision: p.anyRevision(s)}
	}
	return p.anyPut(s, value)
}

func (p *planner) anyPut(s *swarm, value string) *wire.PutRequest {
	if s.flip(putsLarge, "a large value") {
		value += LargeValue
	}
	return &wire.PutRequest{Key: p.anyKey(s), Value: value}
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
	return &wire.DeleteRangeRequest{Key: key, RangeEnd: end}
}

func (p *planner) anyRange(s *swarm) *wire.RangeRequest {
	r := p.newestRange(s)
	switch s.draw(rangesAtRevisions, 3, "revision of the range") {
	case 1:
		r.Revision = p.anyRevision(s)
	case 2:
		// etcd reads the newest state at any revision below 1.
		r.Revision = -1
	}
	return r
}

// newestRange gives no revision. The model does not answer a range of the past inside a
// transaction.
func (p *planner) newestRange(s *swarm) *wire.RangeRequest {
	key, end := p.span(s, ranges)
	return &wire.RangeRequest{
		Key: key, RangeEnd: end,
		Limit:        int64(s.draw(rangesInParts, 3, "limit")),
		KeysOnly:     s.flip(rangesWithoutValues, "keys only"),
		CountOnly:    s.flip(countsOnly, "count only"),
		Serializable: s.flip(serializes, "serializable"),
	}
}

// anyTxn compares, and has up to three operations in each branch.
func (p *planner) anyTxn(s *swarm, value string) *wire.TxnRequest {
	t := &wire.TxnRequest{}
	for range s.draw(compares, 3, "number of compares") {
		t.Compare = append(t.Compare, wire.Compare{
			Key:     p.anyKey(s),
			Target:  wire.CompareTarget(s.env.Choose(2, "target of the compare")),
			Result:  wire.CompareResult(s.env.Choose(4, "relation of the compare")),
			Operand: p.anyRevision(s) - 1,
		})
	}
	t.Success, t.Failure = p.anyBranch(s, value), p.anyBranch(s, value)
	return t
}

func (p *planner) anyBranch(s *swarm, value string) []wire.RequestOp {
	var ops []wire.RequestOp
	for i := range s.draw(transacts, 4, "number of operations") {
		switch s.env.Choose(3, "kind of operation") {
		case 0:
			ops = append(ops, wire.RequestOp{Put: p.anyPut(s, value+"."+strconv.Itoa(i))})
		case 1:
			ops = append(ops, wire.RequestOp{Range: p.newestRange(s)})
		default:
			ops = append(ops, wire.RequestOp{DeleteRange: p.anyDelete(s)})
		}
	}
	return ops
}
