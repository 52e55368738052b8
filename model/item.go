package model

import "math/bits"

// Item is one key with its value and its history counters, as etcd's KeyValue
// reports them. Items are immutable once they are shared.
type Item struct {
	Key            string `json:"key"`
	Value          string `json:"value,omitempty"`
	CreateRevision int64  `json:"create,omitempty"`
	ModRevision    int64  `json:"mod,omitempty"`
	Version        int64  `json:"version,omitempty"`
	// Lease is the lease that the key is attached to, 0 if it has none.
	Lease int64 `json:"lease,omitempty"`
}

// FitsLease reports whether an item that was answered says of the lease what the stored one
// has. One with all revisions and the version is etcd's whole KeyValue, which is on no lease if
// it shows none; of others only the lease that they show counts.
func (it *Item) FitsLease(stored *Item) bool {
	whole := it.ModRevision != 0 && it.CreateRevision != 0 && it.Version != 0
	return it.Lease == stored.Lease || it.Lease == 0 && !whole
}

// Digest is a 64-bit hash of everything in the item. The sum of the digests of
// a set of items identifies the set. The sum does not depend on an order, so a
// store can update it in O(1) per write.
func (it *Item) Digest() uint64 {
	h := digestString(0x9e3779b97f4a7c15, it.Key)
	h = digestString(h, it.Value)
	h = mix(h^uint64(it.CreateRevision), 0xe7037ed1a0b428db)
	h = mix(h^uint64(it.ModRevision), 0x8ebc6af09c88c6e3)
	h = mix(h^uint64(it.Version), 0x589965cc75374cc3)
	if it.Lease != 0 {
		h = mix(h^uint64(it.Lease), 0x1d8e4e27c47d124f)
	}
	return h
}

func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0xa0761d6478bd642f, b)
	return hi ^ lo
}

func digestString(h uint64, s string) uint64 {
	h ^= uint64(len(s)) * 0xff51afd7ed558ccd
	for len(s) >= 8 {
		w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		h = mix(h^w, 0xe7037ed1a0b428db)
		s = s[8:]
	}
	var w uint64
	for i := 0; i < len(s); i++ {
		w |= uint64(s[i]) << (8 * i)
	}
	return mix(h^w, 0x8ebc6af09c88c6e3)
}

// InRange reports whether key lies in the range that etcd writes as (key, end):
// an empty end is the single key, "\x00" is "from key on".
func InRange(k, key, end string) bool {
	switch end {
	case "":
		return k == key
	case "\x00":
		return k >= key
	default:
		return k >= key && k < end
	}
}

// everything is the key, and the end, of the range of all keys.
const everything = "\x00"

// PrefixEnd is the end of the range of all keys that start with prefix.
func PrefixEnd(prefix string) string {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] < 0xff {
			return prefix[:i] + string([]byte{prefix[i] + 1})
		}
	}
	return "\x00"
}
