package races

import (
	"encoding/json"
	"fmt"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// RequestTally counts what was compared.
type RequestTally struct {
	// Requests are all, Refused those that the real server refused, Transactions those
	// that are one, Nested those of them with another one within, Leases those about a
	// lease or with one.
	Requests, Refused, Transactions, Nested, Leases int
	// Kept are the puts that kept a value or a lease, alone or in a transaction, and were
	// carried out.
	Kept int
	// Exits are how often the real server exited.
	Exits int
	// Unstable are the ranges by value of more than one key of which some with the same value came in another order
	// than that of the keys.
	Unstable  int
	Explained Explained
	// Differences are told for people.
	Differences []string
}

func (t *RequestTally) String() string {
	return fmt.Sprintf("%d requests, %d differences; %d refused, %d transactions, %d with others within, %d about leases, %d that keep something, %d sorted unstably, %d exits; explained: %d refused for another reason, %d without a lease",
		t.Requests, len(t.Differences), t.Refused, t.Transactions, t.Nested, t.Leases, t.Kept, t.Unstable, t.Exits, t.Explained.OtherReason, t.Explained.NoLease)
}

func (t *RequestTally) add(p, answer sim.Payload) {
	t.Requests++
	_, refused := answer.(*wire.Error)
	if refused {
		t.Refused++
	}
	if _, exited := answer.(*sim.Hangup); exited {
		t.Exits++
	}
	switch p := p.(type) {
	case *wire.RangeRequest:
		if r, ok := answer.(*wire.RangeResponse); ok && p.SortTarget == wire.SortByValue && !p.KeysOnly && unstable(r.Kvs) {
			t.Unstable++
		}
	case *wire.PutRequest:
		t.addPuts(refused, p)
	case *wire.LeaseGrantRequest, *wire.LeaseRevokeRequest, *wire.LeaseTimeToLiveRequest, *wire.LeaseKeepAliveRequest:
		t.Leases++
	case *wire.TxnRequest:
		t.Transactions++
		nested := false
		var puts []*wire.PutRequest
		each(p, func(op *wire.RequestOp) {
			nested = nested || op.Txn != nil
			if op.Put != nil {
				puts = append(puts, op.Put)
			}
		})
		if nested {
			t.Nested++
		}
		t.addPuts(refused, puts...)
	}
}

func unstable(kvs []*wire.KeyValue) bool {
	for i := range max(0, len(kvs)-1) {
		if kvs[i].Value == kvs[i+1].Value && kvs[i].Key > kvs[i+1].Key {
			return true
		}
	}
	return false
}

// addPuts counts a request with puts.
func (t *RequestTally) addPuts(refused bool, puts ...*wire.PutRequest) {
	leases, kept := false, false
	for _, p := range puts {
		leases = leases || p.Lease != 0 || p.IgnoreLease
		kept = kept || p.IgnoreLease || p.IgnoreValue
	}
	if leases {
		t.Leases++
	}
	if kept && !refused {
		t.Kept++
	}
}

// show is a request with all its fields.
func show(p sim.Payload) string {
	text, err := json.Marshal(p)
	if err != nil {
		return p.Label()
	}
	return fmt.Sprintf("%T %s", p, text)
}
