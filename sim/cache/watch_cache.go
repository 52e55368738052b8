package cache

import (
	"strconv"
	"strings"

	"github.com/google/btree"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// watchCache is upstream's type of that name: what its lock guards. Each method
// that takes an env is one critical section.
type watchCache struct {
	// resourceVersion up to which the store is complete.
	resourceVersion int64
	// listResourceVersion is that of the last Replace; 0 before the first.
	listResourceVersion int64
	// answeredRevision is what etcd answered to the last reader; only
	// CurrentRVLastReader keeps it.
	answeredRevision int64
	store            *btree.BTreeG[*wire.KeyValue]
	history          history
	snapshots        snapshotter
	indices          []index
}

// degree is that of upstream's btree store.
const degree = 16

func lessKey(a, b *wire.KeyValue) bool { return a.Key < b.Key }

func (w *watchCache) init(capacity int, snapshots Snapshotting) {
	if w.store == nil {
		w.store = btree.NewG(degree, lessKey)
	} else {
		w.store.Clear(true)
	}
	w.resourceVersion, w.listResourceVersion, w.answeredRevision = 0, 0, 0
	w.history.init(capacity)
	w.snapshots.init(snapshots)
}

// processEvent takes in a change: history, resourceVersion, store, in this
// order, then wakes those who wait, all under the lock. It returns what the
// dispatcher is to be handed.
func (c *Cache) processEvent(env *sim.Env, in *wire.WatchEvent) watchCacheEvent {
	w := &c.watchCache
	previous, exists := w.store.Get(in.Item)
	e := watchCacheEvent{event: c.forWatchers(in, previous, exists), resourceVersion: in.ResourceVersion}
	c.appendHistory(env, e)
	c.setResourceVersion(env, in.ResourceVersion)
	if w.snapshots.taking() {
		c.evictSnapshots(env)
	}
	if in.Type == wire.Deleted && !exists {
		env.Cover(deletedUnknown)
	}
	if c.cfg.Defects.Publication == PublicationVersionFirst {
		c.reflector.unstored = in
		if env.Noting() {
			env.Say("is at resourceVersion " + number(in.ResourceVersion) + " for everybody to see, and its store does not have the change yet")
		}
	} else {
		c.updateStore(env, in)
	}
	c.broadcast(env)
	return e
}

// updateStore makes a change visible to reads.
func (c *Cache) updateStore(env *sim.Env, in *wire.WatchEvent) {
	w := &c.watchCache
	if in.Type == wire.Deleted {
		old, _ := w.store.Delete(in.Item)
		w.updateIndices(old, nil)
	} else {
		old, _ := w.store.ReplaceOrInsert(in.Item)
		w.updateIndices(old, in.Item)
	}
	if w.snapshots.taking() && (in.Type != wire.Deleted || c.cfg.Defects.SnapshotOn == SnapshotOnAll) {
		c.takeSnapshot(env, in.ResourceVersion)
	}
}

func (c *Cache) appendHistory(env *sim.Env, e watchCacheEvent) {
	h := &c.watchCache.history
	if c.timed {
		e.recordTime = env.Now()
		before := h.capacity
		h.resize(e.recordTime, c.cfg.EventFreshDuration, c.cfg.RingCapacity, c.cfg.RingCapacityMax)
		switch {
		case h.capacity > before:
			env.Cover(historyGrown)
		case h.capacity < before:
			env.Cover(historyShrunk)
		}
	}
	if h.isFull() {
		env.Cover(historyEvicted)
	}
	h.updateCache(e)
}

// forWatchers is the change as a watcher of the cache sees it: the type, and
// with Deleted the object, follow from the store before the change, not from
// what etcd's event says (cacheWatcher.convertToWatchEvent). In a healthy cache
// the two agree, and the event is passed on as it is.
func (c *Cache) forWatchers(in *wire.WatchEvent, previous *wire.KeyValue, exists bool) *wire.WatchEvent {
	if in.Type == wire.Deleted {
		switch {
		case !exists:
			return nil
		case c.cfg.Defects.DeletionRV == DeletionRVPrevious:
			return &wire.WatchEvent{Type: wire.Deleted, ResourceVersion: previous.ModRevision, Item: previous, Prev: previous}
		case same(in.Item, previous):
			return in
		}
		return &wire.WatchEvent{Type: wire.Deleted, ResourceVersion: in.ResourceVersion, Item: previous, Prev: previous}
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

// updateResourceVersion takes in a progress notification. It believes it
// whatever it says, as upstream does: also if it goes back in time.
func (c *Cache) updateResourceVersion(env *sim.Env, resourceVersion, id int64) watchCacheEvent {
	env.Cover(progressNotified)
	env.Add(bookmarksReceived, 1)
	c.sawNotification(env)
	c.requester.takeEcho(env, id)
	if env.Noting() {
		env.Say("takes progress " + number(resourceVersion) + " as a promise that it has seen everything up to revision " + number(resourceVersion) + ": it is at resourceVersion " + number(resourceVersion) + " now")
	}
	c.setResourceVersion(env, resourceVersion)
	c.broadcast(env)
	return watchCacheEvent{resourceVersion: resourceVersion, bookmark: true}
}

func (c *Cache) setResourceVersion(env *sim.Env, resourceVersion int64) {
	if resourceVersion < c.watchCache.resourceVersion {
		env.Cover(resourceVersionLowered)
		if env.Noting() {
			env.Say("its resourceVersion goes back from " + number(c.watchCache.resourceVersion) + " to " + number(resourceVersion))
		}
	}
	c.watchCache.resourceVersion = resourceVersion
}

// replace makes a list the contents, and the cache ready (onReplace).
func (c *Cache) replace(env *sim.Env, items []*wire.KeyValue, resourceVersion int64) {
	w := &c.watchCache
	w.history.reset()
	w.store.Clear(true)
	for _, kv := range items {
		w.store.ReplaceOrInsert(kv)
	}
	w.replaceIndices(items)
	c.resetSnapshots(env, resourceVersion)
	w.listResourceVersion = resourceVersion
	if env.Noting() {
		env.Say("has listed " + counted(len(items)) + " at resourceVersion " + number(resourceVersion))
	}
	c.setResourceVersion(env, resourceVersion)
	c.dispatcher.listed(resourceVersion)
	c.ready.setReady(env.Now())
	c.tellReady(env)
	c.broadcast(env)
}

// ascend calls f for the objects under a prefix in key order.
func (c *Cache) ascend(prefix string, f func(*wire.KeyValue) bool) {
	if strings.HasPrefix(c.cfg.Prefix, prefix) {
		c.watchCache.store.Ascend(f)
		return
	}
	from, to := wire.KeyValue{Key: prefix}, wire.KeyValue{Key: rangeEnd(prefix)}
	c.watchCache.store.AscendRange(&from, &to, f)
}

// rangeEnd is the end of the range of all keys that begin with a prefix.
func rangeEnd(prefix string) string {
	last := len(prefix) - 1
	return prefix[:last] + string(rune(prefix[last]+1))
}

// preparePrefix gives a prefix its final "/": without it "/registry/pods/a"
// would let the siblings "/registry/pods/ab" in (#125584).
func preparePrefix(prefix string) string {
	if strings.HasSuffix(prefix, "/") {
		return prefix
	}
	return prefix + "/"
}

func counted(objects int) string {
	if objects == 1 {
		return "1 object"
	}
	return strconv.Itoa(objects) + " objects"
}

func number(n int64) string { return strconv.FormatInt(n, 10) }
