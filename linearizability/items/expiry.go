package items

import (
	"math"
	"slices"

	"github.com/watchbed/watchbed/model"
)

// expiring is the client of the revocations that WithExpiries adds.
const expiring = "etcd, as leases expire"

// WithExpiries adds to a recorded history that its leases may have expired, which no client
// does: etcd's leader then revokes the lease itself. Each grant may end so, at any time after it
// was asked for, unless a client was answered that it had revoked the lease. A lease that no key
// was ever attached to is left out: how it ends makes no difference. The additions come
// behind the recorded operations.
func WithExpiries(h *model.History) *model.History {
	leases := leasesOf(h)
	if len(leases) == 0 {
		return h
	}
	grants, revoked := map[int64][]int64{}, map[int64]int{}
	for i := range h.Operations {
		switch op := &h.Operations[i]; {
		case op.Outcome == model.Failed:
		case op.Request.Kind == model.LeaseGrant:
			grants[op.Request.Lease] = append(grants[op.Request.Lease], op.Call)
		case op.Request.Kind == model.LeaseRevoke && op.Outcome == model.Done:
			revoked[op.Request.Lease]++
		}
	}
	out := *h
	out.Operations, out.Clients = slices.Clip(h.Operations), append(slices.Clip(h.Clients), expiring)
	for _, lease := range leases {
		calls := grants[lease]
		if len(calls) == 0 {
			// It was granted before the history, or its grant was not recorded.
			calls = []int64{math.MinInt64}
		}
		for _, call := range calls[:max(0, len(calls)-revoked[lease])] {
			out.Operations = append(out.Operations, model.Operation{
				Client: len(h.Clients), Call: call, Return: math.MaxInt64, Outcome: model.Unknown,
				Request: &model.Request{Kind: model.LeaseRevoke, Lease: lease},
			})
		}
	}
	return &out
}

// ExpiryPossible reports whether a put names a lease, so that its key may go and no client deletes it. The
// items that a history begins with are not looked at: a simulated etcd begins without leases.
func ExpiryPossible(h *model.History) bool {
	possible := false
	note := func(put *model.Request) { possible = possible || put.Lease != 0 }
	for i := range h.Operations {
		EachPut(h.Operations[i].Request, note)
	}
	return possible
}

// IsExpiry reports whether an operation is one that WithExpiries added.
func IsExpiry(h *model.History, op *model.Operation) bool {
	return op.Request.Kind == model.LeaseRevoke && op.Client == len(h.Clients)-1 && h.Clients[op.Client] == expiring
}

// leasesOf are the leases that keys of a history may have been attached to, in their order.
func leasesOf(h *model.History) []int64 {
	var leases []int64
	for lease := range Attached(h) {
		leases = append(leases, lease)
	}
	slices.Sort(leases)
	return leases
}

// Attached are the keys that a history may have attached to each lease, each once.
func Attached(h *model.History) map[int64][]string {
	keys := map[int64][]string{}
	add := func(lease int64, key string) {
		if lease == 0 {
			return
		}
		if at, found := slices.BinarySearch(keys[lease], key); !found {
			keys[lease] = slices.Insert(keys[lease], at, key)
		}
	}
	for _, it := range h.Initial.Items {
		add(it.Lease, it.Key)
	}
	for i := range h.Operations {
		if op := &h.Operations[i]; op.Outcome != model.Failed {
			EachPut(op.Request, func(put *model.Request) { add(put.Lease, put.Key) })
		}
	}
	return keys
}

// EachPut calls f for each put of a request, those of a branch that is not taken included.
func EachPut(r *model.Request, f func(put *model.Request)) {
	if r.Kind == model.Put {
		f(r)
	}
	for _, branch := range [...][]model.Request{r.Success, r.Failure} {
		for i := range branch {
			EachPut(&branch[i], f)
		}
	}
}
