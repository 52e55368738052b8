// Package lease (unstable) is the lessor of an etcd server: which leases there are, until when they
// hold, and which keys are attached to them (server/lease). It deletes no key and has no timer: the
// server asks it, and proposes what expires.
//
// The package must never import sim/etcd or sim/etcd/mvcc, which use it.
package lease

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
)

// MinTTL is minLeaseTTL with the election timeout that etcd has out of the box: one and a
// half of it, in whole seconds. MaxTTL is MaxLeaseTTL.
const (
	MinTTL = 2
	MaxTTL = 9_000_000_000
)

// Lease is what is known of one lease.
type Lease struct {
	// ID is never 0, TTL is in seconds.
	ID, TTL int64
	// Expiry is when it runs out; forever is that no member watches it.
	Expiry sim.Time
	// Expired: the lessor has found that it has run out, and has its revocation proposed.
	Expired bool
	// Retry is when a revocation that was refused is proposed again, 0 if none was.
	Retry sim.Time
	// unqueued: it is not in the queue of what expires (leaseExpiredNotifier).
	unqueued bool
}

// RetryInterval is expiredLeaseRetryInterval.
const RetryInterval = 3 * time.Second

// Due is when the lessor finds a lease that is queued.
func (x *Lease) Due() sim.Time { return max(x.Expiry, x.Retry) }

// Queued reports whether the lessor will find the lease when it has run out.
func (x *Lease) Queued() bool { return !x.Expired && !x.unqueued }

// forever is longer than any run.
const forever = sim.Time(1 << 62)

// item is a key with the lease that it is attached to.
type item struct {
	key string
	id  int64
}

// Lessor is the leases of a member. Leases and what is attached to them are durable, the
// times are those of the process.
type Lessor struct {
	options Options `cell:"-"`
	// leases are by id, items by key.
	leases []Lease
	items  []item
	// primary: the member leads, and so looks after expiry.
	primary bool
}

// Reset forgets all leases.
func (l *Lessor) Reset(o Options) { *l = Lessor{options: o, leases: l.leases[:0], items: l.items[:0]} }

// SetOptions is for a member of another release.
func (l *Lessor) SetOptions(o Options) { l.options = o }

func (l *Lessor) search(id int64) (int, bool) {
	return slices.BinarySearchFunc(l.leases, id, func(x Lease, id int64) int { return cmp.Compare(x.ID, id) })
}

// Lookup is the lease with an id, nil if there is none. It is valid until the next change.
func (l *Lessor) Lookup(id int64) *Lease {
	if i, found := l.search(id); found {
		return &l.leases[i]
	}
	return nil
}

// Leases are all leases, by id. The slice is valid until the next change.
func (l *Lessor) Leases() []Lease { return l.leases }

// Grant adds a lease that does not exist yet.
func (l *Lessor) Grant(id, ttl int64, now sim.Time) *Lease {
	i, _ := l.search(id)
	l.leases = slices.Insert(l.leases, i, Lease{ID: id, TTL: max(ttl, MinTTL), Expiry: forever})
	if l.primary {
		l.leases[i].refresh(now)
	}
	return &l.leases[i]
}

// Revoke drops a lease. Its keys must be gone.
func (l *Lessor) Revoke(id int64) {
	if i, found := l.search(id); found {
		l.leases = slices.Delete(l.leases, i, i+1)
	}
}

// Renew begins the time of a lease anew. The member leads.
func (l *Lessor) Renew(x *Lease, now sim.Time) {
	if !l.options.RenewalsAnswered {
		x.refresh(now)
	}
}

// refresh begins its time anew, and queues it.
func (x *Lease) refresh(now sim.Time) {
	x.Expiry, x.unqueued = now+sim.Time(x.TTL)*sim.Time(time.Second), false
}

// Remaining is how many whole seconds a lease has left. A lease that no member watches has the
// longest time.Duration left.
func (x *Lease) Remaining(now sim.Time) int64 {
	if x.Expiry == forever {
		return int64(math.MaxInt64 / time.Second)
	}
	return int64(max(0, x.Expiry-now) / sim.Time(time.Second))
}

// Promote has the member look after expiry: each lease has its whole time, and extend more.
func (l *Lessor) Promote(now sim.Time, extend sim.Duration) {
	l.primary = true
	for i := range l.leases {
		l.leases[i].refresh(now + sim.Time(extend))
		l.leases[i].unqueued = l.options.ForgetsPromoted
	}
}

// Demote ends that.
func (l *Lessor) Demote() {
	l.primary = false
	for i := range l.leases {
		l.leases[i].Expiry, l.leases[i].Expired, l.leases[i].Retry = forever, false, 0
	}
}

// Primary reports whether the member looks after expiry.
func (l *Lessor) Primary() bool { return l.primary }

func (l *Lessor) find(key string) (int, bool) {
	return slices.BinarySearchFunc(l.items, key, func(x item, key string) int { return cmp.Compare(x.key, key) })
}

// GetLease is the lease that a key is attached to, 0 if it has none.
func (l *Lessor) GetLease(key string) int64 {
	if i, found := l.find(key); found {
		return l.items[i].id
	}
	return 0
}

// Attach says which lease a key has now, 0 for none. Upstream detaches and attaches.
func (l *Lessor) Attach(key string, id int64) {
	i, found := l.find(key)
	switch {
	case found && id == 0:
		l.items = slices.Delete(l.items, i, i+1)
	case found:
		l.items[i].id = id
	case id != 0:
		l.items = slices.Insert(l.items, i, item{key, id})
	}
}

// Keys are the keys that are attached to a lease, in their order.
func (l *Lessor) Keys(id int64) []string {
	var keys []string
	for _, x := range l.items {
		if x.id == id {
			keys = append(keys, x.key)
		}
	}
	return keys
}

// Options are what releases and planted bugs do otherwise.
type Options struct {
	// RefusesTimeLeft: a LeaseTimeToLive is answered ErrLeaderChanged if the member that is asked stops to lead before
	// it has looked the lease up (etcd-io/etcd#17642). Otherwise it is what is left of a lease that no member watches,
	// which is 292 years.
	RefusesTimeLeft bool
	// RenewsKnown is the feature gate FastLeaseKeepAlive (etcd-io/etcd#20589): the renewal of a lease that the leader
	// knows does not wait until all that is committed is applied.
	RenewsKnown bool
	// RevokesFirst is the feature gate PriorityRequest (etcd-io/etcd#20492): a LeaseRevoke is not refused because too many
	// entries are not applied. An overload of a run is within its bound, twice as many.
	RevokesFirst     bool
	RenewalsAnswered bool
	// ForgetsPromoted: a new leader does not queue leases for expiry before they are renewed. As shipped each has its
	// whole time and an election timeout more.
	ForgetsPromoted bool
}

// Choices are the options.
var Choices = option.NewGroup("etcd",
	option.Either("lease-time-left", func(o *Options) *bool { return &o.RefusesTimeLeft },
		"what a LeaseTimeToLive is answered by a member that has just stopped to lead",
		option.Value{Name: "of-any", Doc: "as if the lease lived for ever (#17642)"},
		option.Value{Name: "of-leader", Doc: "the error that the leader has changed"}),
	option.Either("lease-renewal-waits", func(o *Options) *bool { return &o.RenewsKnown },
		"which renewals of leases wait until all that is committed is applied",
		option.Value{Name: "all", Doc: "each"},
		option.Value{Name: "unknown", Doc: "those of a lease that the leader does not know (FastLeaseKeepAlive)"}),
	option.Either("priority-requests", func(o *Options) *bool { return &o.RevokesFirst },
		"which writes an overloaded etcd does not refuse",
		option.Value{Name: "none", Doc: "no write is preferred: all releases as they come"},
		option.Value{Name: "lease-revoke", Doc: "revocations of leases, by clients and at their expiry (PriorityRequest, alpha in 3.7)"}),
	option.Either("lease-renewals", func(o *Options) *bool { return &o.RenewalsAnswered },
		"what the renewal of a lease does to its time",
		option.Value{Name: "begin-anew", Doc: "it begins anew: all releases"},
		option.Value{Name: "answered-only", Doc: "it goes on as before, and the client is told that it begins anew: no release"}),
	option.Either("promoted-leases", func(o *Options) *bool { return &o.ForgetsPromoted },
		"what becomes of the leases that there are when a member begins to lead",
		option.Value{Name: "extended", Doc: "each has its whole time again, and an election timeout more: all releases"},
		option.Value{Name: "forgotten", Doc: "they do not expire before they are renewed: no release"}),
)
