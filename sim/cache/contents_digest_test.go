package cache

import (
	"hash/fnv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/watchbed/watchbed/sim/wire"
)

// The digest is Go's hash/fnv New64 of the bytes that upstream's checker writes.
func TestContentsDigest(t *testing.T) {
	const prefix = "/registry/pods/"
	digest := func(kvs ...wire.KeyValue) contentsDigest {
		h := newContentsDigest
		for i := range kvs {
			h = h.object(prefix, &kvs[i])
		}
		return h
	}
	written := func(text string) contentsDigest {
		h := fnv.New64()
		h.Write([]byte(text))
		return contentsDigest(h.Sum64())
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
func TestContentsDigestIsAmbiguous(t *testing.T) {
	const prefix = "/registry/pods/"
	one := newContentsDigest.
		object(prefix, &wire.KeyValue{Key: prefix + "0/a", ModRevision: 1}).
		object(prefix, &wire.KeyValue{Key: prefix + "12/b", ModRevision: 3})
	other := newContentsDigest.
		object(prefix, &wire.KeyValue{Key: prefix + "0/a", ModRevision: 11}).
		object(prefix, &wire.KeyValue{Key: prefix + "2/b", ModRevision: 3})
	assert.Equal(t, one, other)
}
