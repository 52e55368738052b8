package linearizability

import (
	"iter"
	"math"
	"slices"

	"github.com/watchbed/watchbed/model"
)

// What leases do to contents. A lease takes its keys away when it is revoked or expires, all at
// one revision. The answer to a LeaseRevoke does not say whether there were any: the contents
// before it do. Which leases there are is not judged here: that changes without a revision, so
// that answers cannot be held against it.

// holds reports whether a key is attached to a lease.
func (c *contents) holds(lease int64) bool {
	for range c.attachedTo(lease) {
		return true
	}
	return false
}

// revoke deletes the keys of a lease.
func (c *contents) revoke(lease int64) (deleted int64) {
	keys := slices.Collect(c.attachedTo(lease))
	for _, key := range keys {
		c.remove(key)
	}
	return int64(len(keys))
}

// attachedTo are the keys that are attached to a lease, which must not change meanwhile.
func (c *contents) attachedTo(lease int64) iter.Seq[string] {
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

// revokes reports whether a revision was made by revoking a lease, according to ground truth,
// and not by an expiry behind which the lease was granted again.
func revokes(log *model.Log, lease, rev int64) bool {
	r := log.Write(rev)
	return r != nil && r.Kind == model.LeaseRevoke && r.Lease == lease && !log.Changed(lease, rev, true)
}

// expiring is the client of the revocations that WithExpiries adds.
const expiring = "etcd, as leases expire"

// WithExpiries adds to a recorded history that its leases may have expired, which no client
// does: etcd's leader then revokes the lease itself. Each grant may end so, at any time after it
// was asked for, unless a client was answered that it had revoked the lease. A lease that no key
// was ever attached to is left out: how it ends makes no difference. The additions come
// behind the recorded operations.
func WithExpiries(h *model.History) *model.History {
	leases := attached(h)
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

// isExpiry reports whether an operation is one that WithExpiries added.
func isExpiry(h *model.History, op *model.Operation) bool {
	return op.Request.Kind == model.LeaseRevoke && op.Client == len(h.Clients)-1 && h.Clients[op.Client] == expiring
}

// attached are the leases that keys of a history may have been attached to, in their order.
func attached(h *model.History) []int64 {
	var leases []int64
	for lease := range attachedKeys(h) {
		leases = append(leases, lease)
	}
	slices.Sort(leases)
	return leases
}

// attachedKeys are the keys that a history may have attached to each lease, each once.
func attachedKeys(h *model.History) map[int64][]string {
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
			eachPut(op.Request, func(put *model.Request) { add(put.Lease, put.Key) })
		}
	}
	return keys
}

// eachPut calls f for each put of a request, those of a branch that is not taken included.
func eachPut(r *model.Request, f func(put *model.Request)) {
	if r.Kind == model.Put {
		f(r)
	}
	for _, branch := range [...][]model.Request{r.Success, r.Failure} {
		for i := range branch {
			eachPut(&branch[i], f)
		}
	}
}

// collectRevocations finds the answered revocations that may have made a revision: that of their
// answer, unless another write did, or any if their answer has none.
func (s *settling) collectRevocations() {
	for i := range s.history.Operations {
		op := &s.history.Operations[i]
		if op.Request.Kind != model.LeaseRevoke || op.Outcome != model.Done || len(s.attached[op.Request.Lease]) == 0 {
			continue
		}
		if rev := op.Result.Revision; rev == 0 || rev > s.history.Initial.Revision && !s.isMade(rev) {
			at, _ := slices.BinarySearch(s.lost, i)
			s.lost = slices.Insert(s.lost, at, i)
		}
	}
}

// revoked settles that an answered revocation made the revision of its answer, if a key was on
// its lease before that and what else may have made it are expiries: that of another lease
// takes no key off this one.
func (s *settling) revoked(before *model.Store, rev int64) {
	made := -1
	for _, i := range s.lost {
		op := &s.history.Operations[i]
		switch {
		case op.Request.Kind != model.LeaseRevoke:
			return
		case op.Outcome == model.Done && op.Result.Revision == rev && len(before.Attached(op.Request.Lease)) > 0:
			made = i
		}
	}
	if made >= 0 {
		s.settle(made, rev)
	}
}

// grantNamed adds the leases to a log that a write names: which were granted is not judged.
func grantNamed(log *model.Log, write *model.Request) {
	grant := func(lease int64) {
		if lease != 0 && log.At(log.Revision()).Lease(lease) == nil {
			log.Append(&model.Request{Kind: model.LeaseGrant, Lease: lease})
		}
	}
	if write.Kind == model.LeaseRevoke {
		grant(write.Lease)
	}
	eachPut(write, func(put *model.Request) { grant(put.Lease) })
}
