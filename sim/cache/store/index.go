package store

import (
	"strings"

	"github.com/google/btree"

	"github.com/watchbed/watchbed/sim/wire"
)

// Field is one by which lists and watches of a resource can be selected: one that GetAttrs
// returns upstream, and an IndexerFunc if it is indexed.
type Field struct {
	// Name is that in a wire.FieldSelector: "spec.nodeName".
	Name string
	// Value is the field of an object. It must depend on the object alone.
	Value func(*wire.KeyValue) string
	// Indexed: the store keeps its objects by this field as well, so that a list
	// that selects by it touches no others. Of pods spec.nodeName is.
	Indexed bool
}

// Fields are those by which lists of a resource can be selected.
type Fields []Field

// Find returns the field of a name, nil if there is none.
func (f Fields) Find(name string) *Field {
	for i := range f {
		if f[i].Name == name {
			return &f[i]
		}
	}
	return nil
}

// index is the objects of the store by the value of one field, and by key within
// that. It follows the store change by change.
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

func (s *Store) initIndices(fields Fields) {
	s.indices = s.indices[:0]
	for _, f := range fields {
		if f.Indexed {
			s.indices = append(s.indices, index{f, btree.NewG(degree, lessIndexEntry)})
		}
	}
}

// updateIndices follows a change of the store. An object is nil where there was
// none, or is none any more.
func (s *Store) updateIndices(before, after *wire.KeyValue) {
	for i := range s.indices {
		s.indices[i].update(before, after)
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
func (s *Store) replaceIndices(items []*wire.KeyValue) {
	for i := range s.indices {
		x := &s.indices[i]
		x.objects.Clear(true)
		for _, kv := range items {
			x.update(nil, kv)
		}
	}
}

// cloneIndices shares the trees until one of the two changes.
func (s *Store) cloneIndices() []index {
	if len(s.indices) == 0 {
		return nil
	}
	clone := make([]index, len(s.indices))
	for i, x := range s.indices {
		clone[i] = index{x.field, x.objects.Clone()}
	}
	return clone
}

// ascend calls f for the objects with a value whose keys are under a prefix, and
// from or later, in key order, until f says stop.
func (x *index) ascend(value, prefix, from string, f func(*wire.KeyValue) bool) {
	first := indexEntry{value, &wire.KeyValue{Key: max(prefix, from)}}
	x.objects.AscendGreaterOrEqual(first, func(e indexEntry) bool {
		return e.value == value && strings.HasPrefix(e.object.Key, prefix) && f(e.object)
	})
}
