package store

import (
	"strings"

	"github.com/watchbed/watchbed/sim/wire"
)

// Digest is the checksum of a list: 64-bit FNV-1, the variant that multiplies
// first, over namespace, name and resourceVersion of each object, the three
// joined by a "/" byte and nothing between two objects (KEP-4988, "Hashing
// algorithm").
type Digest wire.RangeHash

// NewDigest is that of an empty list.
const NewDigest = Digest(wire.NewRangeHash)

// Object adds the object of a key "<prefix><namespace>/<name>", or without a
// namespace "<prefix><name>".
func (h Digest) Object(prefix string, kv *wire.KeyValue) Digest {
	name := strings.TrimPrefix(kv.Key, prefix)
	if !strings.Contains(name, "/") {
		name = "/" + name
	}
	return Digest(wire.RangeHash(h).Key(name, kv.ModRevision))
}
