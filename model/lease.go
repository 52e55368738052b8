package model

import (
	"cmp"
	"slices"
)

// Lease is a lease as it was granted, and what a client was told of one.
type Lease struct {
	ID int64
	// TTL is in seconds: of a lease what was granted, of an answer what is left.
	TTL int64
	// Granted and Keys are those of the answer to a LeaseTimeToLive.
	Granted int64
	Keys    []string
}

// The bounds of the time to live that etcd grants, in seconds: one and a half election
// timeouts, and what no request may be above.
const (
	minTTL = 2
	maxTTL = 9_000_000_000
)

// Grants is the time to live that etcd grants when it is asked for one; none if it has to
// refuse that.
func Grants(asked int64) (ttl int64, ok bool) { return max(asked, minTTL), asked <= maxTTL }

func (s *Store) searchLease(id int64) (int, bool) {
	return slices.BinarySearchFunc(s.leases, id, func(l Lease, id int64) int { return cmp.Compare(l.ID, id) })
}

// Lease is the lease with an id, nil if there is none.
func (s *Store) Lease(id int64) *Lease {
	if i, found := s.searchLease(id); found {
		return &s.leases[i]
	}
	return nil
}

// Leases are all leases, by id. They must not be changed.
func (s *Store) Leases() []Lease { return s.leases }

// grant adds a lease, which must be new.
func (s *Store) grant(r *Request) Result {
	ttl, ok := Grants(r.TTL)
	i, found := s.searchLease(r.Lease)
	if !ok || found {
		return Result{Revision: s.revision, Err: Invalid}
	}
	s.leases = slices.Insert(slices.Clone(s.leases), i, Lease{ID: r.Lease, TTL: ttl})
	return Result{Revision: s.revision}
}

// revoke takes a lease away, and all keys that are attached to it, at one revision.
func (s *Store) revoke(r *Request) Result {
	i, found := s.searchLease(r.Lease)
	if !found {
		return Result{Revision: s.revision, Err: Invalid}
	}
	s.leases = slices.Delete(slices.Clone(s.leases), i, i+1)
	keys := s.Attached(r.Lease)
	for _, key := range keys {
		s.deleteRange(key, "")
	}
	if len(keys) > 0 {
		s.revision++
	}
	return Result{Revision: s.revision}
}

// Attached are the keys of a lease, in their order.
func (s *Store) Attached(id int64) []string {
	var keys []string
	for _, it := range s.in(everything, everything) {
		if it.Lease == id {
			keys = append(keys, it.Key)
		}
	}
	return keys
}

// leaseChange is that a lease was granted, or revoked, and the revision after that.
type leaseChange struct {
	id, revision int64
	// lease is nil if it is gone.
	lease *Lease
}

// noteLease keeps what a request about a lease has changed.
func (l *Log) noteLease(r *Request, before, after *Store) {
	if was, is := before.Lease(r.Lease), after.Lease(r.Lease); (was == nil) != (is == nil) {
		l.leases = append(l.leases, leaseChange{r.Lease, after.revision, is})
	}
}

// Leases are what a lease may have been while etcd was at these revisions: the leases of that
// id, one after the other, and whether there may have been none. Changes within a revision
// have no order that a client could see.
func (l *Log) Leases(id, from, to int64) (all []Lease, none bool) {
	var was *Lease
	since := l.first
	span := func(until int64) {
		switch {
		case since > to || until < from:
		case was == nil:
			none = true
		default:
			all = append(all, *was)
		}
	}
	for _, c := range l.leases {
		if c.id == id {
			span(c.revision)
			was, since = c.lease, c.revision
		}
	}
	span(to)
	return all, none
}

// Changed reports whether a lease was granted, or revoked, at a revision.
func (l *Log) Changed(id, rev int64, granted bool) bool {
	return slices.ContainsFunc(l.leases, func(c leaseChange) bool { return c.id == id && c.revision == rev && (c.lease != nil) == granted })
}
