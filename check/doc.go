// Package check (unstable) judges recorded histories: the operations with package linearizability,
// the watches with the guarantees of package model, as a simulation does. It says of each verdict
// that says nothing why.
//
// It must never import a node of the simulation: histories come from anywhere.
package check
