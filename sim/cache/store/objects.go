package store

import (
	"strings"

	"github.com/google/btree"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// degree is that of upstream's btree store.
const degree = 16

// objects are all objects of one state by key: upstream's btree store. A copy
// costs next to nothing until one of the two changes.
type objects struct {
	tree *btree.BTreeG[*wire.KeyValue]
}

func newObjects() objects {
	return objects{btree.NewG(degree, func(a, b *wire.KeyValue) bool { return a.Key < b.Key })}
}

func (o objects) clone() objects { return objects{o.tree.Clone()} }

// ascend calls f for the objects under a prefix whose keys are from or later, in
// key order, until f says stop. An empty from is the first one, and an empty
// prefix all objects.
func (o objects) ascend(prefix, from string, f func(*wire.KeyValue) bool) {
	if prefix == "" && from == "" {
		o.tree.Ascend(f)
		return
	}
	o.tree.AscendGreaterOrEqual(&wire.KeyValue{Key: max(prefix, from)}, func(kv *wire.KeyValue) bool {
		return strings.HasPrefix(kv.Key, prefix) && f(kv)
	})
}

// fingerprint is of a past state: its objects are known by their revisions.
func (o objects) fingerprint(d sim.Digest) sim.Digest {
	d = d.Int(int64(o.tree.Len()))
	o.tree.Ascend(func(kv *wire.KeyValue) bool {
		d = d.Text(kv.Key).Int(kv.ModRevision)
		return true
	})
	return d
}
