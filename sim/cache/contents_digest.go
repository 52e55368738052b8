package cache

import (
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/sim/wire"
)

// contentsDigest is the digest of a list: 64-bit FNV-1, the variant that
// multiplies first, over namespace, name and resourceVersion of each object, the
// three joined by a "/" byte and nothing between two objects (KEP-4988,
// "Hashing algorithm").
type contentsDigest uint64

const (
	newContentsDigest contentsDigest = 14695981039346656037
	fnvPrime          contentsDigest = 1099511628211
)

// object adds the object of a key "<prefix><namespace>/<name>", or without a
// namespace "<prefix><name>".
func (h contentsDigest) object(prefix string, kv *wire.KeyValue) contentsDigest {
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

func (h contentsDigest) byte(b byte) contentsDigest { return h*fnvPrime ^ contentsDigest(b) }
