package store

import (
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/sim/wire"
)

// Digest is the checksum of a list: 64-bit FNV-1, the variant that multiplies
// first, over namespace, name and resourceVersion of each object, the three
// joined by a "/" byte and nothing between two objects (KEP-4988, "Hashing
// algorithm").
type Digest uint64

const (
	// NewDigest is that of an empty list.
	NewDigest Digest = 14695981039346656037
	fnvPrime  Digest = 1099511628211
)

// Object adds the object of a key "<prefix><namespace>/<name>", or without a
// namespace "<prefix><name>".
func (h Digest) Object(prefix string, kv *wire.KeyValue) Digest {
	name := strings.TrimPrefix(kv.Key, prefix)
	if !strings.Contains(name, "/") {
		h = h.byte('/')
	}
	for i := range len(name) {
		h = h.byte(name[i])
	}
	h = h.byte('/')
	var digits [20]byte
	for _, b := range strconv.AppendInt(digits[:0], kv.ModRevision, 10) {
		h = h.byte(b)
	}
	return h
}

func (h Digest) byte(b byte) Digest { return h*fnvPrime ^ Digest(b) }
