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
