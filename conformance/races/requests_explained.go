package races

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/v3rpc"
	"github.com/watchbed/watchbed/sim/wire"
)

// Explained counts the differences whose reason is known. The contents are the same after
// them.
type Explained struct {
	// OtherReason are the transactions that both servers refuse for different reasons.
	OtherReason int
	// NoLease are the answers of keys without values that leave out a lease.
	NoLease int
}

// namesAnother reports whether both servers refuse a transaction and name different reasons.
// If several of its operations cannot be carried out, releases name different ones: up to
// 3.6 a missing key before a missing lease, from 3.7 on the lease, and up to 3.5 all puts
// before all ranges (checkRequests and checkPut at v3.5.35, checkTxn at v3.6.16 and v3.7.3).
func namesAnother(p, real, ours sim.Payload) bool {
	_, transaction := p.(*wire.TxnRequest)
	r, refused := real.(*wire.Error)
	o, refusedToo := ours.(*wire.Error)
	return transaction && refused && refusedToo && r.Message != o.Message &&
		slices.Contains(contentsOf, r.Message) && slices.Contains(contentsOf, o.Message)
}

// contentsOf are the reasons that are found in the store, and not in the request alone.
var contentsOf = []string{
	v3rpc.ErrKeyNotFound.Message, v3rpc.ErrLeaseNotFound.Message, v3rpc.ErrCompacted.Message, v3rpc.ErrFutureRev.Message,
}

// leavesLeasesOut reports whether the release answers ranges of keys without values from its
// index, which knows of no leases: 3.7, a bug (etcd-io/etcd#22209).
func (c *Comparison) leavesLeasesOut() bool { return strings.HasPrefix(c.cfg.Version, "3.7.") }

// dropLeases takes the leases out of an answer of the simulated server where that release
// leaves them out. It reports whether there were any.
func dropLeases(p, ours sim.Payload) bool {
	switch p := p.(type) {
	case *wire.RangeRequest:
		if r, ok := ours.(*wire.RangeResponse); ok {
			return dropLeasesOfRange(p, r.Kvs)
		}
	case *wire.RangeStreamRequest:
		if r, ok := ours.(*wire.RangeStreamResponse); ok {
			return dropLeasesOfRange(p.Range, r.Kvs)
		}
	case *wire.TxnRequest:
		if r, ok := ours.(*wire.TxnResponse); ok {
			return dropLeasesOfTxn(p, r)
		}
	}
	return false
}

func dropLeasesOfTxn(p *wire.TxnRequest, ours *wire.TxnResponse) (dropped bool) {
	ops := p.Failure
	if ours.Succeeded {
		ops = p.Success
	}
	for i := range ours.Responses {
		switch r := &ours.Responses[i]; {
		case r.Range != nil:
			dropped = dropLeasesOfRange(ops[i].Range, r.Range.Kvs) || dropped
		case r.Txn != nil:
			dropped = dropLeasesOfTxn(ops[i].Txn, r.Txn) || dropped
		}
	}
	return dropped
}

// dropLeasesOfRange changes key-values that are the answer's own: those without values are.
func dropLeasesOfRange(p *wire.RangeRequest, kvs []*wire.KeyValue) (dropped bool) {
	if !p.KeysOnly || p.SortTarget == wire.SortByValue {
		return false
	}
	for _, kv := range kvs {
		dropped = dropped || kv.Lease != 0
		kv.Lease = 0
	}
	return dropped
}
