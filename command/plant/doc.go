// Package plant is about known bugs that a command plants: which scenario shows them, and
// whether a bug made a difference in a scenario that does not look for it.
//
// The package must never import package command, or read flags.
package plant
