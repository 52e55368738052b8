// Package store (unstable) is the state of a watch cache: upstream's watchCache with what its lock
// guards. It holds the objects and their resourceVersion, the history of recent events, the
// snapshots of past states (KEP-4988) and the field indexes.
//
//	Store      all of it, changed by ProcessEvent, SetResourceVersion and Replace
//	View       one state, the newest or a past one, as a list reads it
//	History    the recent events, from which watches start
//	Interval   what a watcher is sent before the events of the dispatcher
//	Snapshots  past states by resourceVersion
//	Digest     the checksum of a state that the consistency checker compares
//
// Methods with an env declare the cells that they read and write. Methods without
// one are for callers that look at the state between two steps.
//
// The package must never import sim/cache or another package below it: reads,
// watchers and the reflector are built on it.
package store

import (
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Config is what one store is made of.
type Config struct {
	Options
	// Prefix that the keys of all objects have.
	Prefix string
	// Fields are those by which lists can be selected.
	Fields Fields
	// RingCapacity is how many events the history holds at first, and at least.
	// RingCapacityMax is how many it can grow to when timed.
	RingCapacity, RingCapacityMax int
	// EventFreshDuration is how long events shall be kept if RingCapacityMax
	// permits.
	EventFreshDuration sim.Duration
}

// Store is upstream's watchCache. Each of its methods is, or is a part of, one
// critical section under the lock.
type Store struct {
	cfg Config

	// resourceVersion up to which the objects are complete.
	resourceVersion int64
	// listResourceVersion is that of the last Replace; 0 before the first.
	listResourceVersion int64
	objects             objects
	// filling is what etcd began with, ready to be the contents. It is kept by Reset.
	filling   *filling
	changes   changes
	history   History
	snapshots snapshots
	// compacted is the revision below which etcd has no history any more, as far as the
	// cache has heard.
	compacted int64
	indices   []index
}

// Reset makes the store an empty one and keeps its memory.
func (s *Store) Reset(cfg Config) {
	if s.cfg.Prefix != cfg.Prefix || !sameFields(s.cfg.Fields, cfg.Fields) {
		s.filling = nil
	}
	s.cfg = cfg
	s.objects.empty()
	s.changes.forget()
	s.resourceVersion, s.listResourceVersion, s.compacted = 0, 0, 0
	s.history.init(cfg.RingCapacity)
	s.snapshots.init(cfg.Snapshotting == SnapshotsOn)
	s.initIndices(cfg.Fields)
}

// Clone shares objects, history, snapshots and indexes until one of the two
// changes.
func (s *Store) Clone() Store {
	c := *s
	c.objects = s.objects.clone()
	// To copy from it is to write to it.
	c.filling = nil
	c.changes = s.changes.clone()
	c.history = s.history.clone()
	c.snapshots = s.snapshots.clone()
	c.indices = s.cloneIndices()
	return c
}

// ResourceVersion is the revision up to which the objects are complete.
func (s *Store) ResourceVersion(env *sim.Env) int64 {
	env.Read(CellResourceVersion, 0)
	return s.resourceVersion
}

// SetResourceVersion believes what it is given, as upstream does: also if that
// goes back in time.
func (s *Store) SetResourceVersion(env *sim.Env, resourceVersion int64) {
	if resourceVersion == s.resourceVersion {
		env.LookAt(CellResourceVersion, 0)
		return
	}
	if resourceVersion < s.resourceVersion {
		env.Read(CellResourceVersion, 0)
		env.Cover(resourceVersionLowered)
		versionLowered.Say(env, s.resourceVersion, resourceVersion)
	}
	env.Write(CellResourceVersion, 0)
	s.resourceVersion = resourceVersion
}

// Count is the number of objects; it returns false before the first list.
func (s *Store) Count(env *sim.Env) (int, bool) {
	env.LookAt(CellObjects, 0)
	env.LookAt(CellResourceVersion, 0)
	return s.objects.tree.Len(), s.resourceVersion > 0
}

// Get is the object of a key, nil if there is none.
func (s *Store) Get(env *sim.Env, key *wire.KeyValue) *wire.KeyValue {
	if env.Recording() {
		env.ReadItem(CellObjects, 0, Item(key.Key))
	}
	found, _ := s.objects.tree.Get(key)
	return found
}

// Newest is the state that lists are answered from (LatestSnapshotLocked): the
// objects as they are, unless a snapshot has outlived the time in which there
// were to be none.
func (s *Store) Newest(env *sim.Env) View {
	v := View{ResourceVersion: s.ResourceVersion(env), resource: s.cfg.Prefix}
	if k := &s.snapshots; k.tree != nil {
		env.LookAt(CellSnapshots, 0)
		if newest, ok := k.tree.Max(); ok && k.outlived && k.taking() {
			env.ReadItem(CellSnapshots, 0, itemSwitch)
			env.ReadItem(CellSnapshots, 0, newest.resourceVersion)
			v.objects, v.Snapshot, v.changes = newest.objects, newest.resourceVersion, s.changesBehind(&newest)
			return v
		}
	}
	env.Read(CellObjects, 0)
	v.objects, v.indices, v.changes = s.objects, s.indices, &s.changes
	return v
}

// ProcessEvent takes in a change: history, resourceVersion and objects, in this
// order. It returns what the dispatcher is to be handed. The caller then wakes
// the reads that wait.
func (s *Store) ProcessEvent(env *sim.Env, in *wire.WatchEvent) Event {
	e := s.Admit(env, in)
	s.Update(env, in)
	return e
}

// Admit is the first half of ProcessEvent: history and resourceVersion.
func (s *Store) Admit(env *sim.Env, in *wire.WatchEvent) Event {
	e := s.Change(env, in)
	s.Publish(env, e)
	return e
}

// Change is what the dispatcher is to be handed of a change that the store does not have yet.
func (s *Store) Change(env *sim.Env, in *wire.WatchEvent) Event {
	// What the object was before decides for selective watchers only.
	env.LookAt(CellObjects, 0)
	previous, exists := s.objects.tree.Get(in.Item)
	if in.Type == wire.Deleted && !exists {
		env.Cover(deletedUnknown)
	}
	e := Event{ForWatchers: s.forWatchers(in, previous, exists), ResourceVersion: in.ResourceVersion}
	if w := e.ForWatchers; w != nil && w.ResourceVersion != in.ResourceVersion {
		otherVersion.Say(env, in.ResourceVersion, w.ResourceVersion)
	}
	return e
}

// Publish puts a change into the history and sets its resourceVersion.
func (s *Store) Publish(env *sim.Env, e Event) {
	s.appendHistory(env, e)
	s.SetResourceVersion(env, e.ResourceVersion)
	if s.snapshots.taking() {
		s.evictSnapshots(env)
	}
}

// Update is the second half: it makes a change visible to reads, and keeps the
// state after it.
func (s *Store) Update(env *sim.Env, in *wire.WatchEvent) {
	s.put(env, in)
	switch {
	case !s.snapshots.taking():
	case (in.Type != wire.Deleted || !s.cfg.DeletionsLeaveNoSnapshot) && !s.loses(env):
		s.takeSnapshot(env, in.ResourceVersion)
	default:
		notKept.Say(env, in.ResourceVersion)
	}
}

func (s *Store) put(env *sim.Env, in *wire.WatchEvent) {
	if env.Recording() {
		env.WriteItem(CellObjects, 0, Item(in.Item.Key))
	}
	s.changes.note(in.Item.Key)
	if in.Type == wire.Deleted {
		s.erase(env, in.Item)
	} else {
		s.insert(env, in.Item)
	}
}

// Overwrite changes an object of which no event came: what happens to one that is handed out
// and not copied. Snapshots and the history keep what they have.
func (s *Store) Overwrite(env *sim.Env, kv *wire.KeyValue) {
	s.put(env, &wire.WatchEvent{Type: wire.Modified, Item: kv})
}

func (s *Store) appendHistory(env *sim.Env, e Event) {
	h := &s.history
	env.WriteItem(CellHistory, 0, e.ResourceVersion)
	if env.Mode() == sim.Timed {
		e.RecordTime = env.Now()
		before := h.capacity
		h.resize(e.RecordTime, s.cfg.EventFreshDuration, s.cfg.RingCapacity, s.cfg.RingCapacityMax)
		switch {
		case h.capacity > before:
			env.Cover(historyGrown)
		case h.capacity < before:
			env.Cover(historyShrunk)
		}
	}
	if h.isFull() {
		env.Cover(historyEvicted)
		evicted.Say(env, sim.Counted{N: h.len(), Thing: "event"}, h.at(h.startIndex).ResourceVersion)
	}
	h.updateCache(e)
	if s.cfg.WatchHistory == WatchHistoryUntilCompacted {
		s.dropLate(env, e.ResourceVersion)
	}
}

// Replace makes a list the contents. Of initial, nil if it is not known, most of it may be.
func (s *Store) Replace(env *sim.Env, items []*wire.KeyValue, initial *wire.Initial, resourceVersion int64) {
	env.Write(CellHistory, 0)
	env.Write(CellObjects, 0)
	s.history.reset()
	s.fill(env, items, initial)
	s.resetSnapshots(env, resourceVersion)
	s.listResourceVersion = resourceVersion
	listed.Say(env, sim.Counted{N: len(items), Thing: "object"}, resourceVersion)
	s.SetResourceVersion(env, resourceVersion)
}

// OldestWatch is the oldest resourceVersion from which a watch misses no event.
func (s *Store) OldestWatch(env *sim.Env) int64 {
	env.Read(CellHistory, 0)
	return s.history.oldest(max(s.listResourceVersion, s.watchedFrom(env))) - 1
}

// HistoryLen is how many events the history holds, HistoryCapacity how many it
// can hold at present.
func (s *Store) HistoryLen(env *sim.Env) int {
	env.Read(CellHistory, 0)
	return s.history.len()
}

// HistoryCapacity is how many events the history can hold at present.
func (s *Store) HistoryCapacity(env *sim.Env) int {
	env.LookAt(CellHistory, 0)
	return s.history.capacity
}

// HistoryRoom is HistoryCapacity between two steps.
func (s *Store) HistoryRoom() int { return s.history.capacity }

// Version is ResourceVersion between two steps.
func (s *Store) Version() int64 { return s.resourceVersion }

// Ascend calls f for all objects, in key order, until f says stop, between two
// steps.
func (s *Store) Ascend(f func(*wire.KeyValue) bool) { s.objects.tree.Ascend(f) }

// Cells visits the cells of the store.
func (s *Store) Cells(visit sim.CellVisitor) {
	objects := sim.NewDigest.Int(int64(s.objects.tree.Len()))
	s.objects.tree.Ascend(func(kv *wire.KeyValue) bool {
		objects = kv.Digest(objects)
		return true
	})
	visit(CellResourceVersion, 0, sim.NewDigest.Int(s.resourceVersion))
	visit(CellObjects, 0, objects)
	visit(CellHistory, 0, s.history.fingerprint(sim.NewDigest.Int(s.listResourceVersion)))
	visit(CellSnapshots, 0, s.snapshots.fingerprint(sim.NewDigest.Int(s.compacted)))
}

// whole is the empty prefix if a prefix is that of all objects.
func whole(prefix, resource string) string {
	if strings.HasPrefix(resource, prefix) {
		return ""
	}
	return prefix
}

func (s *Store) wholePrefix(prefix string) string { return whole(prefix, s.cfg.Prefix) }

// PreparePrefix gives a prefix its final "/": without it "/registry/pods/a"
// would let the siblings "/registry/pods/ab" in (kubernetes/kubernetes#125584).
func PreparePrefix(prefix string) string {
	if strings.HasSuffix(prefix, "/") {
		return prefix
	}
	return prefix + "/"
}

// Event is a change as the cache keeps it and hands it to watchers: upstream's
// watchCacheEvent.
type Event struct {
	// ForWatchers is what a watcher is sent; nil if there is nothing to send, as
	// with the end of an object that the cache never had.
	ForWatchers     *wire.WatchEvent
	ResourceVersion int64
	// RecordTime is when the change came in; it stands still when untimed.
	RecordTime sim.Time
	// Bookmark: there is no change, only a resourceVersion.
	Bookmark bool
}

func (e *Event) Digest(d sim.Digest) sim.Digest {
	d = d.Int(e.ResourceVersion).Int(int64(e.RecordTime)).Bool(e.Bookmark)
	if e.ForWatchers != nil {
		return e.ForWatchers.Digest(d)
	}
	return d
}

// Bytes are those of the key and the value.
func (e *Event) Bytes() int {
	if e.ForWatchers == nil || e.ForWatchers.Item == nil {
		return 0
	}
	return len(e.ForWatchers.Item.Key) + len(e.ForWatchers.Item.Value)
}

// forWatchers is the change as a watcher of the cache sees it: the type, and
// with Deleted the object, follow from the store before the change, not from
// what etcd's event says (cacheWatcher.convertToWatchEvent). In a healthy cache
// the two agree, and the event is passed on as it is.
func (s *Store) forWatchers(in *wire.WatchEvent, previous *wire.KeyValue, exists bool) *wire.WatchEvent {
	if in.Type == wire.Deleted {
		if !exists {
			return nil
		}
		rv := in.ResourceVersion
		if s.cfg.DeletionsHavePreviousRV {
			rv = previous.ModRevision
		} else if same(in.Item, previous) {
			return in
		}
		return &wire.WatchEvent{Type: wire.Deleted, ResourceVersion: rv, Item: previous, Prev: previous}
	}
	want := wire.Added
	if exists {
		want = wire.Modified
	}
	if in.Type == want && (!exists || in.Prev != nil && same(in.Prev, previous)) {
		return in
	}
	return &wire.WatchEvent{Type: want, ResourceVersion: in.ResourceVersion, Item: in.Item, Prev: previous}
}

func same(a, b *wire.KeyValue) bool { return a == b || *a == *b }

// Selected is an event as a watch with a selector is sent it, nil if it is not
// (cacheWatcher.convertToWatchEvent): a change may move an object into the selection,
// which is ADDED, or out of it, which is DELETED with the object as it was, at the
// resourceVersion of the change. The selector's field is one of f. Errors and
// bookmarks are for all watches.
func (f Fields) Selected(s wire.Selector, e *wire.WatchEvent) *wire.WatchEvent {
	if s.Empty() || e.Item == nil {
		return e
	}
	is := f.Selects(s, e.Item)
	if e.Type == wire.Modified {
		switch was := e.Prev != nil && f.Selects(s, e.Prev); {
		case is && !was:
			return &wire.WatchEvent{Type: wire.Added, ResourceVersion: e.ResourceVersion, Item: e.Item}
		case was && !is:
			return &wire.WatchEvent{Type: wire.Deleted, ResourceVersion: e.ResourceVersion, Item: e.Prev, Prev: e.Prev}
		}
	}
	if !is {
		return nil
	}
	return e
}
