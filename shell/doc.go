// Package shell runs the watch cache of sim/cache on a real etcd: the very state
// machine that the simulation explores, with goroutines, a clock and clientv3
// around it.
//
// A cache is a world of four nodes in timed mode, and one goroutine owns it:
//
//	clients   stands for the callers of List, Get and Watch
//	cache     is sim/cache.Cache, unchanged
//	kv        puts its reads to etcd
//	watch     is Kubernetes' etcd3 watcher: it opens its watch and asks for
//	          progress
//
// Inside the world nothing takes time. Its clock is set to the real one before
// each step, timers fire when they are due, and what comes from outside - a
// request, an answer of etcd, a watch response - is admitted between two steps
// through a channel. Where the simulation would choose, a fixed chooser does:
// what has waited longest goes first. Requests to etcd run in goroutines of their
// own and translate between sim/wire and clientv3.
//
// So everything that was found out about the cache by exploring its schedules is
// about this code. What differs from the real cacher is that one goroutine does
// all work on the store: it answers one list after the other, where upstream
// answers several under a read lock. And a step of the world looks through all
// that is armed or under way: a thousand reads that wait make each step some
// microseconds longer.
//
// Of k8s.io/apiserver's storage.Interface it offers Get and GetList of a prefix and of one
// key, with the resourceVersion of answers without an object; selectors of several terms, each
// a field or a label that equals a value; limits, continue tokens and remainingItemCount; lists
// of keys alone (Cacher.getKeys); Watch of a prefix and of one key; ReadinessCheck (Ready);
// Stats; and the caller's context in what is asked of etcd, unless reads share a question.
// It does not offer writes, CompactRevision, RequestWatchProgress, selectors by inequality or
// by a set of values, shards, nor the decoding of objects.
//
// The package must never be imported by anything that cmd/simrun runs: gRPC
// would slow its start. A test says so.
package shell
