package overlay

// Kubernetes37 is an API server's storage of 1.37.
var Kubernetes37 = kubernetes("StoreLocked", `	if w.snapshots == nil {
		return
	}
	w.snapshots.(*storeSnapshotter).snapshots.Ascend(func(s rvSnapshot) bool {
		f(s.resourceVersion, s.snapshot)
		return true
	})
`)

// Kubernetes38 is that of 1.38.
var Kubernetes38 = kubernetes("LatestSnapshot", `	w.snapshots.snapshots.Ascend(func(s *btreeStore) bool {
		f(s.resourceVersion, s)
		return true
	})
`)

// kubernetes are the changes of all branches. latest is the method of the cache's storage that has its contents, snapshots calls f for
// each of its snapshots.
func kubernetes(latest, snapshots string) Program {
	return Program{
		stubs: common,
		// added are files that a package of a module has beside its own.
		added: []stub{
			// What is in the watch cache, read while no goroutine goes on: no critical section is left half-way.
			{"k8s.io/apiserver/pkg/storage/cacher/watchbed.go", `package cacher

import (
	"time"

	"k8s.io/apiserver/pkg/storage/cacher/store"
)

func (c *Cacher) WatchbedContents() (uint64, store.Snapshot) {
	return c.watchCache.resourceVersion, c.watchCache.storage.` + latest + `()
}

// WatchbedCompacted is the compaction that the cacher has carried out in its snapshots, 0 if none.
func (c *Cacher) WatchbedCompacted() int64 {
	if c.compactor == nil {
		return 0
	}
	return c.compactor.compactRevision
}

// WatchbedHistory sets how many events an empty history holds at least and at most, and for how long. What is zero stays.
func (c *Cacher) WatchbedHistory(least, most int, fresh time.Duration) {
	h := c.watchCache.history
	if fresh != 0 {
		h.eventFreshDuration = fresh
	}
	if most != 0 {
		h.upperBoundCapacity = most
	}
	if least != 0 {
		h.lowerBoundCapacity, h.capacity, h.cache = least, least, make([]*watchCacheEvent, least)
	}
}

func (c *Cacher) WatchbedSnapshots(f func(uint64, store.Snapshot)) {
	c.watchCache.storage.WatchbedSnapshots(f)
}
`},
			{"k8s.io/apiserver/pkg/storage/cacher/store/watchbed.go", `package store

// WatchbedSnapshots calls f for each snapshot, the oldest first.
func (w *WatchCacheStorage) WatchbedSnapshots(f func(uint64, Snapshot)) {
` + snapshots + `}
`},
		},
		reduced: []reduction{
			// The storage layer calls WatchInitialized and nothing else.
			{"k8s.io/apiserver/pkg/util/flowcontrol", []string{"apf_context.go"}},
		},
	}
}
