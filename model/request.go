package model

import (
	"cmp"
	"fmt"
	"slices"
)

// Kind is what an operation does.
type Kind uint8

// The kinds of operations that a history may hold. Get and List differ in what
// they observe: a Get has the key's own revisions only, a List also has the
// revision of the whole store (Kubernetes: the list's resourceVersion).
const (
	Put Kind = iota + 1
	Delete
	Txn
	Get
	List
	Compact
	LeaseGrant
	LeaseRevoke
	LeaseKeepAlive
	LeaseTimeToLive
)

var kindNames = [...]string{Put: "put", Delete: "delete", Txn: "txn", Get: "get", List: "list", Compact: "compact",
	LeaseGrant: "lease grant", LeaseRevoke: "lease revoke", LeaseKeepAlive: "lease keep-alive", LeaseTimeToLive: "lease time-to-live"}

func (k Kind) String() string {
	if int(k) < len(kindNames) && kindNames[k] != "" {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Freshness is what the client asked of a read.
type Freshness uint8

// The freshness of reads. Consistent is the default (Kubernetes:
// resourceVersion unset); Any is resourceVersion "0"; NotOlderThan and Exact
// take Request.Revision.
const (
	Consistent Freshness = iota
	Any
	NotOlderThan
	Exact
)

var freshnessNames = [...]string{"consistent", "any", "not-older-than", "exact"}

func (f Freshness) String() string { return freshnessNames[f] }

// CompareTarget is the field of a key that a transaction compares.
type CompareTarget uint8

// The fields that etcd compares. A missing key has the numbers at 0.
const (
	CompareMod CompareTarget = iota
	CompareVersion
	CompareCreate
	CompareValue
	CompareLease
)

// Compare is one condition of a transaction: target(Key) Op Operand.
type Compare struct {
	// Key and End are a range, as in Request: all of its keys have to hold.
	Key, End string
	Target   CompareTarget
	Op       CompareOp
	Operand  int64
	// Value is the operand of CompareValue.
	Value string
}

// CompareOp relates the key's field with the operand.
type CompareOp uint8

// The relations that etcd knows.
const (
	Equal CompareOp = iota
	NotEqual
	Greater
	Less
)

// Holds reports whether the comparison is true of the keys that exist in its range. It
// is asked of a missing key if there are none.
func (c *Compare) Holds(found []*Item) bool {
	if len(found) == 0 {
		return c.Target != CompareValue && c.holds(&Item{})
	}
	for _, it := range found {
		if !c.holds(it) {
			return false
		}
	}
	return true
}

func (c *Compare) holds(it *Item) bool {
	v := 0
	switch c.Target {
	case CompareMod:
		v = cmp.Compare(it.ModRevision, c.Operand)
	case CompareVersion:
		v = cmp.Compare(it.Version, c.Operand)
	case CompareCreate:
		v = cmp.Compare(it.CreateRevision, c.Operand)
	case CompareValue:
		v = cmp.Compare(it.Value, c.Value)
	case CompareLease:
		v = cmp.Compare(it.Lease, c.Operand)
	}
	switch c.Op {
	case Equal:
		return v == 0
	case NotEqual:
		return v != 0
	case Greater:
		return v > 0
	}
	return v < 0
}

// Request is what a client asked for. It is immutable once issued.
type Request struct {
	Kind Kind
	// Key and End are etcd's range: an empty End is the single key, "\x00" is
	// "from key on". Put and Get use Key alone.
	Key, End string
	Value    string
	// Revision is the operand of Exact and NotOlderThan reads, and the revision
	// to compact to.
	Revision  int64
	Freshness Freshness
	// Limit caps the number of items of a List; 0 is no limit.
	Limit     int64
	CountOnly bool
	KeysOnly  bool
	// Selection is which items a List has, and in which order.
	Selection Selection
	// PrevKV asks a Put or a Delete for the items before it.
	PrevKV bool
	// IgnoreValue has a Put keep the value that is there: the key must exist.
	IgnoreValue bool
	// Lease is the lease of a Put, 0 for none, and the lease of a request about a lease.
	// IgnoreLease has a Put keep the lease that is there: the key must exist.
	Lease       int64
	IgnoreLease bool
	// TTL is what a LeaseGrant asks for, in seconds. Keys asks a LeaseTimeToLive for the keys.
	TTL  int64
	Keys bool
	// Compare, Success and Failure make a transaction. Its branches hold Put,
	// Delete and Get requests, and transactions, whose compares look at the contents
	// before all of it.
	Compare          []Compare
	Success, Failure []Request
}

// IsWrite reports whether the request may change the store's contents. A
// compaction is none: it removes history, not contents, and takes no revision.
func (r *Request) IsWrite() bool {
	return r.Kind == Put || r.Kind == Delete || r.Kind == Txn || r.Kind == LeaseRevoke
}

// Branch is that of a transaction whose compares succeed, or do not.
func (r *Request) Branch(succeeded bool) []Request {
	if succeeded {
		return r.Success
	}
	return r.Failure
}

// Changed reports whether an answered write changed the store, by its own answer. Writes
// that did take a revision, others take none.
func (r *Request) Changed(res *Result) bool {
	switch r.Kind {
	case Put:
		return true
	case Delete:
		return res.Deleted > 0
	case Txn:
		branch := r.Branch(res.Succeeded)
		for i := range branch {
			if i < len(res.Results) && branch[i].Changed(&res.Results[i]) {
				return true
			}
		}
	}
	return false
}

// Result is what a client was answered.
type Result struct {
	// Revision is the store's revision that came with the answer: of a write
	// the revision that it made, of a List the revision that it observed. 0 if
	// the answer does not carry one, as with a Get.
	Revision int64
	Items    []*Item
	Count    int64
	// Counted: the Count was recorded, and is not derived from the number of Items.
	Counted bool
	More    bool
	Deleted int64
	// Prev are the items before a write that asked for them.
	Prev      []*Item
	Succeeded bool
	// Results are those of the branch that a transaction took.
	Results []Result
	// Lease is what a request about leases was told.
	Lease *Lease
	Err   Code
}

// Code is a definite refusal: the operation had no effect.
type Code uint8

// The refusals that the specification itself gives, and those that a serving
// layer may give at any time without being wrong about the data.
const (
	OK Code = iota
	// Compacted: the revision asked for is no longer in the history (etcd:
	// ErrCompacted; Kubernetes: 410 Gone).
	Compacted
	// Future: the revision asked for is not there yet (etcd: ErrFutureRev;
	// Kubernetes: 504, cause ResourceVersionTooLarge).
	Future
	// TimedOut: a read was given up by the server (Kubernetes: 504).
	TimedOut
	// TooManyRequests: the server asked to come back later (Kubernetes: 429).
	TooManyRequests
	// Unavailable: no server took the request.
	Unavailable
	// Invalid: the request is malformed (Kubernetes: 400).
	Invalid
	// Forbidden: what is there does not allow the write (Kubernetes: 403, 404, 409).
	Forbidden
)

var codeNames = [...]string{"ok", "compacted", "future-revision", "timeout", "too-many-requests", "unavailable", "invalid", "forbidden"}

func (c Code) String() string { return codeNames[c] }

// maxTxnOps is how many compares, and how many operations in a branch, etcd takes:
// --max-txn-ops.
const maxTxnOps = 128

// Malformed reports whether etcd has to refuse a request whatever the contents of the store are: a key is missing, a
// value or a lease is given although the request keeps the old one, a transaction has too many parts, or it writes a
// key twice.
func (r *Request) Malformed() bool {
	switch r.Kind {
	case Compact, LeaseGrant, LeaseRevoke, LeaseKeepAlive, LeaseTimeToLive:
		return false
	case Txn:
		return r.malformedTxn(maxTxnOps) || writesTwice(r)
	}
	return r.malformedOperation()
}

func (r *Request) malformedOperation() bool {
	return r.Key == "" || r.IgnoreValue && r.Value != "" || r.IgnoreLease && r.Lease != 0
}

// malformedTxn: a transaction within another one may have as many parts as the longest list
// of the outer one leaves.
func (r *Request) malformedTxn(most int) bool {
	longest := max(len(r.Compare), len(r.Success), len(r.Failure))
	malformed := func(op Request) bool {
		if op.Kind == Txn {
			return op.malformedTxn(most - longest)
		}
		return op.malformedOperation()
	}
	return longest > most || slices.ContainsFunc(r.Compare, func(c Compare) bool { return c.Key == "" }) ||
		slices.ContainsFunc(r.Success, malformed) || slices.ContainsFunc(r.Failure, malformed)
}

// written is a put or a deletion of a transaction. Its place is, level by level, the branch
// and the number in that.
type written struct {
	op    *Request
	place []int
}

// collect adds what the branches of a transaction write.
func collect(all []written, r *Request, place []int) []written {
	for side, branch := range [...][]Request{r.Success, r.Failure} {
		for i := range branch {
			switch op, at := &branch[i], append(slices.Clone(place), side, i); op.Kind {
			case Put, Delete:
				all = append(all, written{op, at})
			case Txn:
				all = collect(all, op, at)
			}
		}
	}
	return all
}

// writesTwice reports whether a key is put that is put or deleted by another operation.
// Deletes may overlap.
func writesTwice(r *Request) bool {
	all := collect(nil, r, nil)
	for i := range all {
		for k := range all {
			if i != k && all[i].op.Kind == Put && clash(&all[i], &all[k]) {
				return true
			}
		}
	}
	return false
}

// clash reports whether a put and another write may not be in one transaction. They may if
// they are in two branches of the same transaction. etcd takes the end "\x00" literally here:
// a deletion of everything from a key on overlaps nothing. Nor does it see that a key is
// deleted which a transaction before that one has put, side by side with it.
func clash(put, other *written) bool {
	if other.op.Kind == Put && other.op.Key != put.op.Key ||
		other.op.Kind == Delete && (other.op.End == "\x00" || !InRange(put.op.Key, other.op.Key, other.op.End)) {
		return false
	}
	p, o := put.place, other.place
	for p[0] == o[0] && p[1] == o[1] {
		p, o = p[2:], o[2:]
	}
	exclusive := p[0] != o[0]
	unseen := other.op.Kind == Delete && len(p) > 2 && len(o) > 2 && p[1] < o[1]
	return !exclusive && !unseen
}

func (s *Store) applyTxn(r *Request, shown *Result) Result {
	if !s.Keeps(r) {
		return Result{Revision: s.revision, Err: Invalid}
	}
	before := s
	if r.nests() {
		before = s.Clone()
	}
	rev, changed := s.revision+1, false
	res := s.execute(r, shown, before, rev, &changed)
	if changed {
		s.revision = rev
	}
	res.Revision = s.revision
	return res
}

// nests reports whether there is a transaction within a transaction.
func (r *Request) nests() bool {
	isTxn := func(r Request) bool { return r.Kind == Txn }
	return slices.ContainsFunc(r.Success, isTxn) || slices.ContainsFunc(r.Failure, isTxn)
}

// execute carries the branch out that a transaction takes, as the contents before the whole
// of it decide.
func (s *Store) execute(r *Request, shown *Result, before *Store, rev int64, changed *bool) Result {
	res := Result{Succeeded: before.compares(r)}
	branch := r.Branch(res.Succeeded)
	for i := range branch {
		b := &branch[i]
		var out Result
		like := shown.at(i)
		switch b.Kind {
		case Put, Delete:
			out.Prev = s.before(b)
			out.Deleted = s.write(b, rev)
			*changed = *changed || b.Kind == Put || out.Deleted > 0
		case Txn:
			out = s.execute(b, like, before, rev, changed)
		default:
			out = s.read(b, like)
			out.Revision = 0
		}
		res.Results = append(res.Results, out)
	}
	return res
}

// compares are the conditions of a transaction: all of them hold.
func (s *Store) compares(r *Request) bool {
	return !slices.ContainsFunc(r.Compare, func(c Compare) bool { return !c.Holds(s.in(c.Key, c.End)) })
}

// taken calls f for the operations that a write consists of in these contents, without the
// transactions that they are in. It goes on until f says stop, and reports whether it did not.
func (s *Store) taken(r *Request, f func(op *Request) bool) bool {
	if r.Kind != Txn {
		return f(r)
	}
	branch := r.Branch(s.compares(r))
	for i := range branch {
		if !s.taken(&branch[i], f) {
			return false
		}
	}
	return true
}

// Keeps reports whether the contents have what the puts of a request keep, and the leases that
// they name. etcd refuses a request of which they do not.
func (s *Store) Keeps(r *Request) bool {
	return s.taken(r, func(op *Request) bool {
		return (!op.IgnoreValue && !op.IgnoreLease || s.Get(op.Key) != nil) && (op.Kind != Put || op.Lease == 0 || s.Lease(op.Lease) != nil)
	})
}

// write carries one put or deletion out, at a revision, and returns how many keys it deleted.
func (s *Store) write(op *Request, rev int64) (deleted int64) {
	if op.Kind == Delete {
		return s.deleteRange(op.Key, op.End)
	}
	value, lease := op.Value, op.Lease
	if op.IgnoreValue {
		value = s.Get(op.Key).Value
	}
	if op.IgnoreLease {
		lease = s.Get(op.Key).Lease
	}
	s.put(op.Key, value, lease, rev)
	return 0
}
