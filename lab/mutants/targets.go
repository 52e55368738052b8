package main

// Target is a package that is mutated.
type Target struct {
	// Package is its path below the module.
	Package string
	// Sample is how many of its mutants are chosen.
	Sample int
}

// Targets are what a run is judged by: what is simulated, the model, and the judges.
// The numbers follow the size of the code, so that a mutant stands for about as much
// code everywhere; small packages have a few more.
var Targets = []Target{
	{"sim/etcd", 46},
	{"sim/etcd/lease", 6},
	{"sim/etcd/mvcc", 62},
	{"sim/etcd/v3rpc", 56},
	{"sim/client", 8},
	{"sim/client/clientv3", 36},
	{"sim/client/etcd3", 24},
	{"sim/cache", 40},
	{"sim/cache/check", 20},
	{"sim/cache/dispatch", 56},
	{"sim/cache/flowcontrol", 16},
	{"sim/cache/guard", 16},
	{"sim/cache/progress", 14},
	{"sim/cache/read", 60},
	{"sim/cache/reflector", 20},
	{"sim/cache/request", 6},
	{"sim/cache/store", 32},
	{"sim/cache/write", 14},
	{"sim/informer", 32},
	{"sim/informer/controller", 8},
	{"sim/informer/shared", 24},
	{"sim/compactor", 16},
	{"model", 30},
	{"linearizability", 28},
	{"linearizability/items", 12},
	{"properties/caches", 44},
	{"properties/etcdapi", 16},
	{"properties/informers", 12},
	{"properties/evidence", 8},
	{"properties/reads", 20},
	{"properties/watches", 18},
}
