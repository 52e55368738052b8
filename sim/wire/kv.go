// Package wire (unstable) holds the messages that simulated etcd, clients and
// caches exchange, with the names and fields of etcdserverpb and mvccpb, and of
// Kubernetes' storage interface.
//
// They are lean plain values, immutable once sent, that copy, compare and hash
// cheaply: a protobuf message costs 300 ns and seven allocations. Translation
// to protobuf happens at the edges, outside the simulation. Times, leases and
// cluster headers that no property looks at are left out. Each message is a
// sim.Payload.
//
// The package must never import anything but sim.
package wire

import (
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/sim"
)

// KeyValue is mvccpb.KeyValue.
type KeyValue struct {
	Key            string
	Value          string
	CreateRevision int64
	ModRevision    int64
	Version        int64
	// Lease is the one that the key is attached to, 0 if it has none.
	Lease int64
}

// Digest mixes the key-value into d, if there is one.
func (kv *KeyValue) Digest(d sim.Digest) sim.Digest {
	if kv == nil {
		return d
	}
	return d.Text(kv.Key).Text(kv.Value).Int(kv.CreateRevision).Int(kv.ModRevision).Int(kv.Version).Set(kv.Lease)
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// Before is the order of keys.
func (kv *KeyValue) Before(other *KeyValue) bool { return kv.Key < other.Key }

func digestKVs(d sim.Digest, kvs []*KeyValue) sim.Digest {
	d = d.Int(int64(len(kvs)))
	for _, kv := range kvs {
		d = kv.Digest(d)
	}
	return d
}

// PrefixEnd is clientv3.GetPrefixRangeEnd: the end of the range of all keys with a prefix.
func PrefixEnd(prefix string) string {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] < 0xff {
			return prefix[:i] + string([]byte{prefix[i] + 1})
		}
	}
	return "\x00"
}

// RangeRequest is etcdserverpb.RangeRequest. Every range here is linearizable
// unless Serializable is set.
type RangeRequest struct {
	// Key and RangeEnd as in etcd: an empty RangeEnd is the single key, "\x00"
	// is "from key on".
	Key, RangeEnd string
	// Limit caps the number of key-values; 0 is no limit.
	Limit int64
	// Revision to read at; 0 is the newest.
	Revision     int64
	Serializable bool
	KeysOnly     bool
	CountOnly    bool
	// HashOnly asks for a hash in place of the key-values. No release of etcd has it, and one that does not know the
	// field answers with the key-values.
	HashOnly bool
	// AsPage is for etcd3 alone, and no part of the digest: a page that is read by a Range on each release, since a selector
	// selects from it or no caller lists. Others are streamed where whole lists are.
	AsPage bool
	// SortTarget without a SortOrder is ascending, of what the Limit and one more have left.
	SortOrder  SortOrder
	SortTarget SortTarget
	// The bounds of revisions include them; 0 is none.
	MinModRevision, MaxModRevision       int64
	MinCreateRevision, MaxCreateRevision int64
}

// SortOrder is etcdserverpb.RangeRequest_SortOrder.
type SortOrder uint8

// The orders.
const (
	SortNone SortOrder = iota
	SortAscend
	SortDescend
)

// SortTarget is etcdserverpb.RangeRequest_SortTarget.
type SortTarget uint8

// The fields to sort by.
const (
	SortByKey SortTarget = iota
	SortByVersion
	SortByCreate
	SortByMod
	SortByValue
)

// IsSorted reports whether the request asks for an order.
func (r *RangeRequest) IsSorted() bool { return r.SortOrder != SortNone || r.SortTarget != SortByKey }

// IsFiltered reports whether the request asks for some revisions only.
func (r *RangeRequest) IsFiltered() bool {
	return r.MinModRevision != 0 || r.MaxModRevision != 0 || r.MinCreateRevision != 0 || r.MaxCreateRevision != 0
}

func (r *RangeRequest) Digest(d sim.Digest) sim.Digest {
	d = d.Text("range").Text(r.Key).Text(r.RangeEnd).Int(r.Limit).Int(r.Revision).
		Bool(r.Serializable).Bool(r.KeysOnly).Bool(r.CountOnly)
	if r.IsSorted() || r.IsFiltered() {
		d = d.Word(uint64(r.SortOrder)<<8 | uint64(r.SortTarget)).Int(r.MinModRevision).Int(r.MaxModRevision).
			Int(r.MinCreateRevision).Int(r.MaxCreateRevision)
	}
	return d.If(r.HashOnly, "hash")
}

func (r *RangeRequest) Label() string {
	s := "Range " + r.Key
	if r.HashOnly {
		s = "Hash of " + r.Key
	}
	if key, next := strings.CutSuffix(r.Key, "\x00"); next {
		// A later page. Labels are names in recordings, and so plain text.
		s = "Range after " + key
	}
	if r.RangeEnd != "" {
		s += "..."
	}
	if r.Revision > 0 {
		s += " at " + itoa(r.Revision)
	}
	return s
}

// RangeResponse is etcdserverpb.RangeResponse; Revision is its header's.
type RangeResponse struct {
	Headed
	Revision int64
	Kvs      []*KeyValue
	More     bool
	Count    int64
	// Hash is of the keys and mod revisions, 0 if it was not asked for.
	Hash int64

	initial *Initial
}

func (r *RangeResponse) Objects() int { return len(r.Kvs) }

func (r *RangeResponse) Digest(d sim.Digest) sim.Digest {
	d = d.Text("ranged").Int(r.Revision).Bool(r.More).Int(r.Count)
	if r.Hash != 0 {
		d = d.Word(uint64(r.Hash))
	}
	if len(r.Kvs) >= longList {
		return r.digestLong(d)
	}
	return digestKVs(d, r.Kvs)
}

func (r *RangeResponse) Label() string {
	if r.Hash != 0 {
		return "rev " + itoa(r.Revision) + ": the hash of " + itoa(r.Count) + " items"
	}
	return "rev " + itoa(r.Revision) + ": " + strconv.Itoa(len(r.Kvs)) + " items"
}

// RangeHash is 64-bit FNV-1, the variant that multiplies first.
type RangeHash uint64

// NewRangeHash is that of nothing.
const (
	NewRangeHash RangeHash = 14695981039346656037
	fnvPrime     RangeHash = 1099511628211
)

// Key adds a key and its mod revision, joined by a "/" byte and nothing between two keys.
func (h RangeHash) Key(key string, modRevision int64) RangeHash {
	for i := range len(key) {
		h = h*fnvPrime ^ RangeHash(key[i])
	}
	h = h*fnvPrime ^ '/'
	var digits [20]byte
	for _, b := range strconv.AppendInt(digits[:0], modRevision, 10) {
		h = h*fnvPrime ^ RangeHash(b)
	}
	return h
}

// PutRequest is etcdserverpb.PutRequest.
type PutRequest struct {
	Key, Value string
	// PrevKv asks for the key-value before the put.
	PrevKv bool
	// IgnoreValue keeps the value that the key has: it must have one, and Value must be empty.
	IgnoreValue bool
	// Lease is the one that the key is attached to from now on, 0 for none. IgnoreLease keeps
	// the one that it has: the key must exist, and Lease must be 0.
	Lease       int64
	IgnoreLease bool
}

func (r *PutRequest) Digest(d sim.Digest) sim.Digest {
	d = d.Text("put").Text(r.Key).Text(r.Value)
	if r.PrevKv {
		d = d.Bool(true)
	}
	d = d.If(r.IgnoreValue, "same value")
	if r.Lease != 0 || r.IgnoreLease {
		d = d.Int(r.Lease).Bool(r.IgnoreLease)
	}
	return d
}

func (r *PutRequest) Label() string {
	if r.IgnoreValue {
		return "Put " + r.Key + " as it is"
	}
	return "Put " + r.Key + "=" + r.Value
}

// PutResponse is etcdserverpb.PutResponse.
type PutResponse struct {
	Headed
	Revision int64
	// PrevKv is nil if there was none, or if it was not asked for.
	PrevKv *KeyValue
}

func (r *PutResponse) Digest(d sim.Digest) sim.Digest {
	return r.PrevKv.Digest(d.Text("done").Int(r.Revision))
}

func (r *PutResponse) Label() string { return "rev " + itoa(r.Revision) }

// DeleteRangeRequest is etcdserverpb.DeleteRangeRequest.
type DeleteRangeRequest struct {
	Key, RangeEnd string
	// PrevKv asks for the key-values that are deleted.
	PrevKv bool
}

func (r *DeleteRangeRequest) Digest(d sim.Digest) sim.Digest {
	d = d.Text("delete").Text(r.Key).Text(r.RangeEnd)
	if r.PrevKv {
		d = d.Bool(true)
	}
	return d
}

func (r *DeleteRangeRequest) Label() string {
	if r.RangeEnd != "" {
		return "DeleteRange " + r.Key + "..."
	}
	return "DeleteRange " + r.Key
}

// DeleteRangeResponse is etcdserverpb.DeleteRangeResponse.
type DeleteRangeResponse struct {
	Headed
	Revision int64
	Deleted  int64
	// PrevKvs are in the order of their keys.
	PrevKvs []*KeyValue
}

func (r *DeleteRangeResponse) Digest(d sim.Digest) sim.Digest {
	d = d.Text("deleted").Int(r.Revision).Int(r.Deleted)
	if r.PrevKvs != nil {
		d = digestKVs(d, r.PrevKvs)
	}
	return d
}

func (r *DeleteRangeResponse) Label() string {
	return "rev " + itoa(r.Revision) + ": deleted " + itoa(r.Deleted)
}

// CompactionRequest is etcdserverpb.CompactionRequest: history before Revision
// may go.
type CompactionRequest struct {
	Revision int64
	// Physical asks for the answer when what is compacted has been removed.
	Physical bool
}

func (r *CompactionRequest) Digest(d sim.Digest) sim.Digest {
	return d.Text("compact").Int(r.Revision).If(r.Physical, "physical")
}

func (r *CompactionRequest) Label() string {
	label := "Compact " + itoa(r.Revision)
	if r.Physical {
		label += " physically"
	}
	return label
}

// CompactionResponse is etcdserverpb.CompactionResponse.
type CompactionResponse struct {
	Headed
	Revision int64
}

func (r *CompactionResponse) Digest(d sim.Digest) sim.Digest {
	return d.Text("compacted").Int(r.Revision)
}

func (r *CompactionResponse) Label() string { return "compacted" }

// Header is etcdserverpb.ResponseHeader without the revision, which each answer has itself. It never changes: answers
// share it. Digests leave it out, since the connection of an answer and the faults so far say what it is.
type Header struct {
	// ClusterID and MemberID are those of the member that answers, RaftTerm is the term that it was in then.
	ClusterID, MemberID, RaftTerm int64
}

// Headed is what answers of etcd have. An answer within an answer has no header.
type Headed struct{ Header *Header }

// Stamp gives an answer its header.
func (h *Headed) Stamp(by *Header) { h.Header = by }

// From is the header, nil if there is none.
func (h *Headed) From() *Header { return h.Header }

// StatusRequest is etcdserverpb.Maintenance.Status of one endpoint, which the
// API server asks for its version when it starts (KEP-2340, "Bug in etcd
// progress notification").
type StatusRequest struct {
	// Endpoint is the number of the endpoint in the client's list, or ServingEndpoint.
	Endpoint int
}

// ServingEndpoint is the member that the connection leads to.
const ServingEndpoint = -1

func (r *StatusRequest) Digest(d sim.Digest) sim.Digest {
	return d.Text("status").Int(int64(r.Endpoint))
}

func (*StatusRequest) Label() string { return "status" }

// StatusResponse is etcdserverpb.StatusResponse, reduced to the fields that are
// read.
type StatusResponse struct {
	// Version of the server: "3.5.13".
	Version string
}

func (r *StatusResponse) Digest(d sim.Digest) sim.Digest { return d.Text("version").Text(r.Version) }
func (r *StatusResponse) Label() string                  { return "version " + r.Version }

// CompactRevKey is the key by which the API servers agree which one compacts. Its
// version is the number of compactions, its value the revision of the last one.
const CompactRevKey = "compact_rev_key"

// CompactRevisionRequest asks the compactor of the same process up to which
// revision it knows etcd to be compacted: storage.Interface.CompactRevision.
type CompactRevisionRequest struct {
	// Above holds the answer back until the revision is above this one, which
	// makes news of an answer. -1 asks for what there is.
	Above int64
}

func (r *CompactRevisionRequest) Digest(d sim.Digest) sim.Digest {
	return d.Text("compact revision?").Int(r.Above)
}

func (r *CompactRevisionRequest) Label() string { return "compact revision" }

// CompactRevisionResponse is the answer.
type CompactRevisionResponse struct {
	// Revision is 0 if the compactor knows of no compaction.
	Revision int64
}

func (r *CompactRevisionResponse) Digest(d sim.Digest) sim.Digest {
	return d.Text("compact revision").Int(r.Revision)
}

func (r *CompactRevisionResponse) Label() string { return "compact revision " + itoa(r.Revision) }
