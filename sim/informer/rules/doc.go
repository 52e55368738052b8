// Package rules holds what a Reflector of client-go decides at one place each, and in
// what clients have differed from it: which refusal of a list asks for the newest
// state, how often a request is sent again, what a bookmark is good for. Each of them
// is a seam. Its shipped value is client-go v0.37.2; another value is registered by a
// planted bug.
//
// A rule takes what the Reflector knows at that place, and answers. It never sends,
// waits or stores anything, so that no value adds a step.
//
// The package imports sim, sim/option and sim/wire, and must never import sim/informer:
// an informer asks its rules.
package rules
