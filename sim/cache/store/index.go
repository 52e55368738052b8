package store

import (
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// Field is a field by which lists and watches of a resource can be selected. Upstream GetAttrs
// returns it, beside the labels, and an indexed field has an IndexerFunc.
type Field struct {
	// Name is that in a wire.Selector: "spec.nodeName", or the name of a label.
	Name string
	// IsLabel: the name is that of a label, which objects may do without.
	IsLabel bool
	// Value is the field of an object. It must depend on the object alone.
	Value func(*wire.KeyValue) string
	// Indexed: the store keeps its objects by this field as well, so that a list
	// that selects by it touches no others. Of pods spec.nodeName is.
	Indexed bool
}

// Fields are those by which lists of a resource can be selected.
type Fields []Field

// Find returns the field of a name, nil if there is none.
func (f Fields) Find(name string) *Field { return f.find(name, false) }

// sameFields: the fields are in the same memory, which nothing changes.
func sameFields(a, b Fields) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

func (f Fields) find(name string, isLabel bool) *Field {
	for i := range f {
		if f[i].Name == name && f[i].IsLabel == isLabel {
			return &f[i]
		}
	}
	return nil
}

// Unsupported is the first field of a selector that objects do not have, empty if they have
// all of them.
func (f Fields) Unsupported(s wire.Selector) string {
	for term := &s; term != nil; term = term.And {
		for _, field := range [...]string{term.Field, term.Shard.By} {
			if field != "" && f.Find(field) == nil {
				return field
			}
		}
	}
	return ""
}

// Selects reports whether an object matches all terms of a selector, of which each field
// is one of f (SelectionPredicate.Matches). A label that an object does
// not have selects nothing.
func (f Fields) Selects(s wire.Selector, kv *wire.KeyValue) bool { return f.SelectsWith(s, kv, "", "") }

// SelectsWith is Selects for an object of which a field is known to have a value.
func (f Fields) SelectsWith(s wire.Selector, kv *wire.KeyValue, field, value string) bool {
	for term := &s; term != nil; term = term.And {
		known := term.Field == "" || term.Field == field && term.Value == value
		if !known && f.Find(term.Field).Value(kv) != term.Value || !f.selectsLabel(term, kv) || !f.selectsShard(term.Shard, kv) {
			return false
		}
	}
	return true
}

func (f Fields) selectsLabel(s *wire.Selector, kv *wire.KeyValue) bool {
	if s.Label == "" {
		return true
	}
	label := f.find(s.Label, true)
	return label != nil && s.LabelValue != "" && label.Value(kv) == s.LabelValue
}

// selectsShard reports whether an object is in a shard (SelectionPredicate.MatchesSharding).
func (f Fields) selectsShard(s wire.Shard, kv *wire.KeyValue) bool {
	switch {
	case s == (wire.Shard{}):
		return true
	case s.By == "":
		return s.Holds(wire.HashOf(kv.UID()))
	}
	return s.Holds(wire.HashOf(f.Find(s.By).Value(kv)))
}

// index is the objects of the store by the value of one field, and by key within
// that. It follows the store change by change.
type index struct {
	field   Field
	objects state.BTree[indexEntry]
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
			s.indices = append(s.indices, index{f, state.NewBTree(lessIndexEntry)})
		}
	}
}

// updateIndices follows a change of the store. An object is nil where there was
// none, or is none any more.
func (s *Store) updateIndices(env *sim.Env, before, after *wire.KeyValue) {
	for i := range s.indices {
		x := &s.indices[i]
		former := x.formerPlace(before, after)
		switch {
		case former == nil:
		case after == nil || !s.cfg.ChangesStayIndexed:
			x.objects.Delete(*former)
		default:
			staysIndexed.Say(env, after.ModRevision, x.field.Name, former.value)
		}
		if after != nil {
			x.objects.ReplaceOrInsert(indexEntry{x.field.Value(after), after})
		}
	}
}

// formerPlace is the place that an object has before a change and not after it, nil if there is
// none.
func (x *index) formerPlace(before, after *wire.KeyValue) *indexEntry {
	if before == nil {
		return nil
	}
	former := indexEntry{x.field.Value(before), before}
	if after != nil && x.field.Value(after) == former.value {
		return nil
	}
	return &former
}

// emptyIndices leaves no objects.
func (s *Store) emptyIndices() {
	for i := range s.indices {
		x := &s.indices[i]
		if x.objects.Len() >= leastFilling {
			x.objects = state.NewBTree(lessIndexEntry)
			continue
		}
		x.objects.Clear(true)
	}
}

// cloneIndices shares the trees until one of the two changes.
func (s *Store) cloneIndices() []index {
	if len(s.indices) == 0 {
		return nil
	}
	clone := make([]index, len(s.indices))
	for i, x := range s.indices {
		clone[i] = index{x.field, state.CloneBTree(x.objects)}
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
