package cache

import (
	"strings"

	"github.com/google/btree"

	"github.com/watchbed/watchbed/sim/wire"
)

// Field is one by which lists of a resource can be selected: what GetAttrs tells
// of an object upstream, and IndexerFuncs of those that are indexed.
type Field struct {
	// Name is that in a wire.FieldSelector: "spec.nodeName".
	Name string
	// Value is the field of an object. It must depend on the object alone.
	Value func(*wire.KeyValue) string
	// Indexed: the store keeps its objects by this field as well, so that a list
	// that selects by it touches no others. Of pods spec.nodeName is.
	Indexed bool
}

// index is the objects of the store by the value of one field, and by key within
// that. It follows the store change by change and has no past: lists from
// snapshots look at every object.
type index struct {
	field   Field
	objects *btree.BTreeG[indexEntry]
}

type indexEntry struct {
	value  string
	object *wire.KeyValue
}

func lessIndexEntry(a, b indexEntry) bool {
	if a.value != b.value {
		return a.value < b.value
	}
	return a.object.Key < b.object.Key
}

func (w *watchCache) initIndices(fields []Field) {
	w.indices = w.indices[:0]
	for _, f := range fields {
		if f.Indexed {
			w.indices = append(w.indices, index{f, btree.NewG(degree, lessIndexEntry)})
		}
	}
}

// updateIndices follows a change of the store. An object is nil where there was
// none, or is none any more.
func (w *watchCache) updateIndices(before, after *wire.KeyValue) {
	for i := range w.indices {
		w.indices[i].update(before, after)
	}
}

func (x *index) update(before, after *wire.KeyValue) {
	var e indexEntry
	if after != nil {
		e = indexEntry{x.field.Value(after), after}
	}
	if before != nil {
		if old := x.field.Value(before); after == nil || old != e.value {
			x.objects.Delete(indexEntry{old, before})
		}
	}
	if after != nil {
		x.objects.ReplaceOrInsert(e)
	}
}

// replaceIndices follows a Replace.
func (w *watchCache) replaceIndices(items []*wire.KeyValue) {
	for i := range w.indices {
		x := &w.indices[i]
		x.objects.Clear(true)
		for _, kv := range items {
			x.update(nil, kv)
		}
	}
}

// cloneIndices shares the trees until one of the two changes.
func (w *watchCache) cloneIndices() []index {
	if len(w.indices) == 0 {
		return nil
	}
	clone := make([]index, len(w.indices))
	for i, x := range w.indices {
		clone[i] = index{x.field, x.objects.Clone()}
	}
	return clone
}

// indexOf is the index of a field, nil if it has none.
func (w *watchCache) indexOf(field string) *index {
	for i := range w.indices {
		if w.indices[i].field.Name == field {
			return &w.indices[i]
		}
	}
	return nil
}

// ascend calls f for the objects with a value whose keys are under a prefix, and
// from or later, in key order, until f says stop.
func (x *index) ascend(value, prefix, from string, f func(*wire.KeyValue) bool) {
	first := indexEntry{value, &wire.KeyValue{Key: max(prefix, from)}}
	x.objects.AscendGreaterOrEqual(first, func(e indexEntry) bool {
		return e.value == value && strings.HasPrefix(e.object.Key, prefix) && f(e.object)
	})
}
