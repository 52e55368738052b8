package wire

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
)

// Shard is the shardSelector of KEP-5866: the objects of which a field has a hash from From on and below To. The zero
// value is no shard.
type Shard struct {
	// By is the field that is hashed, empty for the uid.
	By string
	// To is 0 for the end of all hashes.
	From, To uint64
}

// Holds reports whether a hash is in the shard.
func (s Shard) Holds(hash uint64) bool { return s.From <= hash && (s.To == 0 || hash < s.To) }

// HashOf is the hash of a field's value (sharding.HashField): FNV-1a of 64 bits.
func HashOf(value string) uint64 {
	hash := uint64(14695981039346656037)
	for i := range len(value) {
		hash = (hash ^ uint64(value[i])) * 1099511628211
	}
	return hash
}

// UID stands for metadata.uid: an object keeps it until it is deleted, and one that is created anew has another.
func (kv *KeyValue) UID() string { return itoa(kv.CreateRevision) + kv.Key }

// digest mixes the shard into d, if it is one.
func (s Shard) digest(d sim.Digest) sim.Digest {
	if s == (Shard{}) {
		return d
	}
	return d.Text("shard").Text(s.By).Word(s.From).Word(s.To)
}

// String is how it stands behind a request, with a space before it; empty if it is no shard.
func (s Shard) String() string {
	if s == (Shard{}) {
		return ""
	}
	by, to := s.By, "end"
	if by == "" {
		by = "uid"
	}
	if s.To != 0 {
		to = strconv.FormatUint(s.To, 16)
	}
	return " shard of " + by + " " + strconv.FormatUint(s.From, 16) + ".." + to
}
