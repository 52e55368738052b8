package store

import (
	"hash/fnv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/watchbed/watchbed/sim/wire"
)

// The digest is Go's hash/fnv New64 of the bytes that upstream's checker writes.
func TestDigest(t *testing.T) {
	const prefix = "/registry/pods/"
	digest := func(kvs ...wire.KeyValue) Digest {
		h := NewDigest
		for i := range kvs {
			h = h.Object(prefix, &kvs[i])
		}
		return h
	}
	written := func(text string) Digest {
		h := fnv.New64()
		h.Write([]byte(text))
		return Digest(h.Sum64())
	}
	assert.Equal(t, written(""), digest())
	assert.Equal(t, written("ns/name/12"), digest(wire.KeyValue{Key: prefix + "ns/name", ModRevision: 12}))
	assert.Equal(t, written("/name/12"), digest(wire.KeyValue{Key: prefix + "name", ModRevision: 12}))
	assert.Equal(t, written("ns/a/12ns/b/7"), digest(
		wire.KeyValue{Key: prefix + "ns/a", ModRevision: 12, Value: "values do not count"},
		wire.KeyValue{Key: prefix + "ns/b", ModRevision: 7}))
}

// Nothing stands between two objects, so that different contents can have one
// digest: here two objects would have to differ at once, in a namespace whose
// name begins with a digit.
func TestDigestIsAmbiguous(t *testing.T) {
	const prefix = "/registry/pods/"
	one := NewDigest.
		Object(prefix, &wire.KeyValue{Key: prefix + "0/a", ModRevision: 1}).
		Object(prefix, &wire.KeyValue{Key: prefix + "12/b", ModRevision: 3})
	other := NewDigest.
		Object(prefix, &wire.KeyValue{Key: prefix + "0/a", ModRevision: 11}).
		Object(prefix, &wire.KeyValue{Key: prefix + "2/b", ModRevision: 3})
	assert.Equal(t, one, other)
}
