package store

import (
	"slices"
	"sort"
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// objects are all objects of one state by key: upstream's btree store. A copy
// costs next to nothing until one of the two changes.
type objects struct {
	tree state.BTree[*wire.KeyValue]
}

func newObjects() objects {
	return objects{state.NewBTree(func(a, b *wire.KeyValue) bool { return a.Key < b.Key })}
}

// empty leaves no objects. Few are dropped so that their memory is used again: of many,
// nearly all of it is that of a list, and to look for the rest takes longer than to make it.
func (o *objects) empty() {
	if o.tree == nil || o.tree.Len() >= leastFilling {
		*o = newObjects()
		return
	}
	o.tree.Clear(true)
}

func (o objects) clone() objects { return objects{state.CloneBTree(o.tree)} }

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

// filling is what etcd began with, of many objects, with the trees that it becomes. The
// contents of all runs share the trees until they change them.
type filling struct {
	initial *wire.Initial
	items   []*wire.KeyValue
	objects objects
	indices []index
}

// leastFilling is about where to make trees takes longer than to compare two lists.
const leastFilling = 64

// fill makes a list the objects and what the indexes hold.
func (s *Store) fill(env *sim.Env, items []*wire.KeyValue, initial *wire.Initial) {
	if initial != nil && len(items) >= leastFilling {
		if s.filling == nil || s.filling.initial != initial {
			s.prepare(env, initial)
		}
		if s.turnInto(env, items) {
			return
		}
	}
	// What the trees have is that of the filling, or is not worth keeping.
	s.clear()
	for _, kv := range items {
		s.insert(env, kv)
	}
}

func (s *Store) clear() {
	s.changes.forget()
	s.objects.empty()
	s.emptyIndices()
}

// prepare makes the filling.
func (s *Store) prepare(env *sim.Env, initial *wire.Initial) {
	s.clear()
	from := initial.Search(s.cfg.Prefix)
	to := from
	for to < len(initial.Kvs) && strings.HasPrefix(initial.Kvs[to].Key, s.cfg.Prefix) {
		s.insert(env, initial.Kvs[to])
		to++
	}
	s.filling = &filling{initial, initial.Kvs[from:to:to], s.objects.clone(), s.cloneIndices()}
}

// turnInto makes a list the contents, by way of what etcd began with. It gives up if too much
// has changed since, or if the list is in no order. Of the objects that etcd began with, and of
// no others, it is enough to know the addresses.
func (s *Store) turnInto(env *sim.Env, items []*wire.KeyValue) bool {
	s.objects = s.filling.objects.clone()
	for i := range s.indices {
		s.indices[i].objects = state.CloneBTree(s.filling.indices[i].objects)
	}
	s.changes.begin(s.filling.items)
	before, last := s.filling.items, ""
	for len(before) > 0 || len(items) > 0 {
		same := 0
		for same < len(before) && same < len(items) && before[same] == items[same] {
			same++
		}
		before, items = before[same:], items[same:]
		gone := len(before) > 0 && (len(items) == 0 || before[0].Key <= items[0].Key)
		comes := len(items) > 0 && (len(before) == 0 || items[0].Key <= before[0].Key)
		if gone {
			s.changes.note(before[0].Key)
			s.erase(env, before[0])
			before = before[1:]
		}
		if comes {
			if items[0].Key <= last {
				return false
			}
			last = items[0].Key
			s.changes.note(last)
			s.insert(env, items[0])
			items = items[1:]
		}
		if len(s.changes.keys) > len(s.filling.items)/32 {
			return len(before) == 0 && len(items) == 0
		}
	}
	return true
}

// changes are the keys at which the contents may differ from what etcd began with, in order.
type changes struct {
	// from are the objects that etcd began with, nil if that is not known.
	from []*wire.KeyValue
	keys []string
	// since distinguishes the contents that different lists began.
	since int
}

func (c *changes) forget() { *c = changes{keys: c.keys[:0], since: c.since + 1} }

func (c *changes) begin(from []*wire.KeyValue) {
	c.forget()
	c.from = from
}

func (c *changes) note(key string) {
	if c.from == nil {
		return
	}
	if i, again := slices.BinarySearch(c.keys, key); !again {
		c.keys = slices.Insert(c.keys, i, key)
	}
}

func (c *changes) clone() changes {
	d := *c
	d.keys = slices.Clone(c.keys)
	return d
}

// count is how many objects there are under a prefix, from a key on, in contents that began
// as c did.
func (c *changes) count(o objects, prefix, from string) int {
	first := sort.Search(len(c.from), func(i int) bool { return c.from[i].Key >= max(prefix, from) })
	end := first + sort.Search(len(c.from)-first, func(i int) bool { return !strings.HasPrefix(c.from[first+i].Key, prefix) })
	n := end - first
	changed, _ := slices.BinarySearch(c.keys, max(prefix, from))
	for _, key := range c.keys[changed:] {
		if !strings.HasPrefix(key, prefix) {
			break
		}
		at := first + sort.Search(end-first, func(i int) bool { return c.from[first+i].Key >= key })
		if at < end && c.from[at].Key == key {
			n--
		}
		if o.tree.Has(&wire.KeyValue{Key: key}) {
			n++
		}
	}
	return n
}

func (s *Store) insert(env *sim.Env, kv *wire.KeyValue) {
	old, _ := s.objects.tree.ReplaceOrInsert(kv)
	s.updateIndices(env, old, kv)
}

func (s *Store) erase(env *sim.Env, kv *wire.KeyValue) {
	old, _ := s.objects.tree.Delete(kv)
	s.updateIndices(env, old, nil)
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
