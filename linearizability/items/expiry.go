package items

import (
	"iter"
	"maps"
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
	leases := slices.Sorted(maps.Keys(Attached(h)))
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
	return slices.ContainsFunc(h.Operations, func(op model.Operation) bool {
		return Any(op.Request, func(r *model.Request) bool { return r.Kind == model.Put && r.Lease != 0 })
	})
}

// IsExpiry reports whether WithExpiries added an operation.
func IsExpiry(h *model.History, op *model.Operation) bool {
	return op.Request.Kind == model.LeaseRevoke && op.Client == len(h.Clients)-1 && h.Clients[op.Client] == expiring
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

// Any reports whether something is true of a request or of one in it, those of a branch that is not taken included.
func Any(r *model.Request, is func(*model.Request) bool) bool {
	if is(r) {
		return true
	}
	for _, branch := range [...][]model.Request{r.Success, r.Failure} {
		for i := range branch {
			if Any(&branch[i], is) {
				return true
			}
		}
	}
	return false
}

// EachPut calls f for each put of a request, those of a branch that is not taken included.
func EachPut(r *model.Request, f func(put *model.Request)) {
	Any(r, func(r *model.Request) bool {
		if r.Kind == model.Put {
			f(r)
		}
		return false
	})
}

// GrantNamed adds the leases to a log that a write names: which were granted is not judged.
func GrantNamed(log *model.Log, write *model.Request) {
	grant := func(lease int64) {
		if lease != 0 && log.At(log.Revision()).Lease(lease) == nil {
			log.Append(&model.Request{Kind: model.LeaseGrant, Lease: lease})
		}
	}
	if write.Kind == model.LeaseRevoke {
		grant(write.Lease)
	}
	EachPut(write, func(put *model.Request) { grant(put.Lease) })
}

// Holds reports whether a key is attached to a lease.
func (c *Contents) Holds(lease int64) bool {
	for range c.attachedTo(lease) {
		return true
	}
	return false
}

// Revoke deletes the keys of a lease.
func (c *Contents) Revoke(lease int64) (deleted int64) {
	keys := slices.Collect(c.attachedTo(lease))
	for _, key := range keys {
		c.Remove(key)
	}
	return int64(len(keys))
}

// attachedTo are the keys that are attached to a lease, which must not change meanwhile.
func (c *Contents) attachedTo(lease int64) iter.Seq[string] {
	return func(yield func(string) bool) {
		if c.base != nil {
			for _, key := range c.base.attached[lease] {
				if c.inChunks(key) == nil && !yield(key) {
					return
				}
			}
		}
		for _, items := range c.chunks {
			for _, it := range items {
				if it.Lease == lease && !isGone(it) && !yield(it.Key) {
					return
				}
			}
		}
	}
}
