// Package state (unstable) is the state of a node, in types that record themselves: to use a value
// declares to the world what the step reads and writes (sim.Cell).
//
//	type loop struct {
//		rev   state.Var[int64]      `cell:"compactor: rev"`
//		calls state.List[question]  `cell:"compactor: waiting caches"`
//	}
//
//	var layout = state.Of[Compactor]()
//
// A Layout knows the cells of a type from its fields: it gives them their names, clears,
// clones, digests and visits them. A field without a cell is configuration, or a record that
// decides nothing: a clone has it, a fingerprint leaves it out. So it does with a field of a
// value that has the tag `cell:"-"`.
//
// Values that come and go, such as watches, are in Places: each has its number and cells of its own. A Map has values
// by number that share a cell; a Chan is a Go channel between two loops. A Cell makes one of a struct that is embedded.
//
// The package imports sim and sim/arena, and must never import anything else of this module.
package state
