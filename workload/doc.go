// Package workload (unstable) holds the clients of a scenario. Each is a node that carries out a
// fixed plan of operations and records its requests and their answers.
//
//	Client       writes and reads, one operation at a time
//	Watcher      watches a cache, and lists and watches again when that ends
//	ListWatcher  watches a cache with initial events (KEP-3157)
//	EtcdWatch    speaks etcd's own watch protocol
//	Poller       lists again and again, and does not give up
//
// The clients are not part of the system under test. The package imports sim,
// sim/wire and model only; it must never import sim/etcd, sim/client or sim/cache.
package workload
