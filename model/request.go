package model

import (
	"cmp"
	"fmt"
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
