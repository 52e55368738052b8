// Package limit keeps a process that runs a mutant from taking the machine for itself: a mutant
// may loop without end or allocate without bound.
//
// It must never import what is simulated: tests of proofs import it, and a design that an import
// registers would be in their stories.
package limit
