package overlay

import "strings"

// An API server's storage of each branch; that of 1.35 is like that of 1.34.
var (
	Kubernetes33 = kubernetes("cacher", indexed("storeIndexer"), "$storage", "store", "$pasts", "snapshots", "$history", "c.watchCache",
		compactRevision, "	return 0\n", "$period", "ConsistencyCheckPeriod", "$panics", "ConsistencyCheckerEnabled")
	Kubernetes34 = kubernetes("cacher", indexed("storeIndexer"), "$storage", "store", "$pasts", "snapshots", "$history", "c.watchCache",
		"$period", "ConsistencyCheckPeriod", "$panics", "panicOnCacheInconsistency")
	Kubernetes36 = kubernetes("store", indexed("Indexer"), "$storage", "store", "$pasts", "snapshots", "$history", "c.watchCache",
		"$period", "ConsistencyCheckPeriod", "$panics", "panicOnCacheInconsistency")
	Kubernetes37 = kubernetes("store", `
// WatchbedAll is what the watch cache has, in the order of the keys.
func WatchbedAll(w *WatchCacheStorage) []any { return ordered(w.StoreLocked()) }

// WatchbedSnapshots calls f for each snapshot, the oldest first.
func WatchbedSnapshots(w *WatchCacheStorage, f func(uint64, []any)) {
	if w.snapshots == nil {
		return
	}
	w.snapshots.(*storeSnapshotter).snapshots.Ascend(func(s rvSnapshot) bool {
		f(s.resourceVersion, ordered(s.snapshot))
		return true
	})
}
`+ordered)
	Kubernetes38 = kubernetes("store", `
// WatchbedAll is what the watch cache has, in the order of the keys.
func WatchbedAll(w *WatchCacheStorage) []any { return ordered(w.LatestSnapshot()) }

// WatchbedSnapshots calls f for each snapshot, the oldest first.
func WatchbedSnapshots(w *WatchCacheStorage, f func(uint64, []any)) {
	w.snapshots.snapshots.Ascend(func(s *btreeStore) bool {
		f(s.resourceVersion, ordered(s))
		return true
	})
}
`+ordered)
)

const ordered = `
func ordered(of Snapshot) []any {
	all, err := of.OrderedListPrefix("", "")
	if err != nil {
		panic(err)
	}
	return all
}
`

// indexed reads a watch cache that has its store and its snapshots side by side. index is the type of the store.
func indexed(index string) string {
	return `
// WatchbedAll is what the watch cache has, in the order of the keys. It takes no lock.
func WatchbedAll(of ` + index + `) []any { return of.(*threadedStoreIndexer).store.List() }

// WatchbedSnapshots calls f for each snapshot, the oldest first.
func WatchbedSnapshots(of Snapshotter, f func(uint64, []any)) {
	if of == nil {
		return
	}
	of.(*storeSnapshotter).snapshots.Ascend(func(s rvSnapshot) bool {
		f(s.resourceVersion, s.snapshot.ListPrefix("", ""))
		return true
	})
}
`
}

const compactRevision = `	if c.compactor == nil {
		return 0
	}
	return c.compactor.compactRevision
`

// kubernetes are the changes of a branch. store is the package, the cacher or the one below it, that has the store of
// the watch cache, and reads what it is read by. The rest are pairs of a word of reader and what stands for it, where
// that is not as from 1.37 on.
func kubernetes(store, reads string, otherwise ...string) Program {
	folder := map[string]string{"cacher": "", "store": "store/"}[store]
	if store == "cacher" {
		otherwise = append(otherwise, "$store.WatchbedAll", "WatchbedAll", "$store.WatchbedSnapshots", "WatchbedSnapshots", "$store.Element", "storeElement",
			"	\"k8s.io/apiserver/pkg/storage/cacher/store\"\n", "")
	}
	if strings.Contains(strings.Join(otherwise, " "), "$period") {
		otherwise = append(otherwise, "	\"k8s.io/apiserver/pkg/storage/cacher/consistency\"\n", "")
	}
	otherwise = append(otherwise, "$store", "store", "$storage", "storage", "$pasts", "storage", "$history", "c.watchCache.history",
		"$period", "consistency.CheckPeriod", "$panics", "consistency.PanicOnCacheInconsistency")
	return Program{
		stubs: common,
		// added are files that a package of a module has beside its own.
		added: []stub{
			{"k8s.io/apiserver/pkg/storage/cacher/watchbed.go", strings.NewReplacer(otherwise...).Replace(reader)},
			{"k8s.io/apiserver/pkg/storage/cacher/" + folder + "watchbed_store.go", "package " + store + "\n" + reads},
		},
		reduced: []reduction{
			// The storage layer calls WatchInitialized and nothing else.
			{"k8s.io/apiserver/pkg/util/flowcontrol", []string{"apf_context.go"}},
		},
	}
}

// reader is what is in the watch cache, read while no goroutine goes on: no critical section is left half-way.
const reader = `package cacher

import (
	"iter"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage/cacher/consistency"
	"k8s.io/apiserver/pkg/storage/cacher/store"
)

func (c *Cacher) WatchbedContents() (uint64, iter.Seq[runtime.Object]) {
	return c.watchCache.resourceVersion, func(yield func(runtime.Object) bool) {
		watchbedObjects($store.WatchbedAll(c.watchCache.$storage))(yield)
	}
}

func (c *Cacher) WatchbedSnapshots(f func(uint64, iter.Seq[runtime.Object])) {
	$store.WatchbedSnapshots(c.watchCache.$pasts, func(from uint64, all []any) { f(from, watchbedObjects(all)) })
}

func watchbedObjects(all []any) iter.Seq[runtime.Object] {
	return func(yield func(runtime.Object) bool) {
		for _, e := range all {
			if !yield(e.(*$store.Element).Object) {
				return
			}
		}
	}
}

// WatchbedCompacted is the compaction that the cacher has carried out in its snapshots, 0 if none.
func (c *Cacher) WatchbedCompacted() int64 {
` + compactRevision + `}

// WatchbedHistory sets how many events an empty history holds at least and at most, and for how long. What is zero
// stays.
func (c *Cacher) WatchbedHistory(least, most int, fresh time.Duration) {
	h := $history
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

// WatchbedChecks sets the time from one consistency check to the next, if it is not zero, and whether broken invariants
// are panics.
func WatchbedChecks(period time.Duration, panics bool) {
	if period != 0 {
		$period = period
	}
	$panics = panics
}
`
