// Package mvcc (unstable) is the store of a simulated etcd server, with the original's parts under
// the original's names:
//
//	kvstore*.go, index.go    Store: the key index over the backend, compaction, restore
//	watchable_store.go       WatchableStore: notify, syncWatchers, syncVictimsLoop, restore
//	watcher_group.go         choose, chooseAll, eventBatch
//	watcher.go               watcher, WatchStream
//
// Each method that takes an Env is part of one step of a simulation, and declares
// which cells it reads and writes. A store behaves like that of a release as its
// Options say.
//
// The package imports sim, its queues, options and state, and sim/wire. It must never
// import the rest of the server, which is built on it.
package mvcc
