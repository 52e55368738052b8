// Package truth is ground truth of a run: the writes that etcd committed,
// replayed by the model. Nothing here reads the simulated server's own store, or a
// mistake of that store would hide in both.
//
// The package must never import sim/cache, sim/client or testbed.
package truth
