// Package model (unstable) says what correct means: the revisioned key-value
// store as a sequential specification, the operations that clients record, and
// the contract of a watch.
//
// It is the independent judge of the simulation. It must never import any other
// package of this module, and it must never share code with the store in
// sim/etcd: a mistake in shared code would hide in both.
package model
