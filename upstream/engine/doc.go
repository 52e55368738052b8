// Package engine runs guests: Go programs that are compiled for WebAssembly with the overlay
// of package overlay, so that the host decides everything that a Go program leaves open.
//
//	Module    a compiled guest, and the state from which each of its runs begins
//	Guest     one run of it: Run takes it from one idle point to the next
//	Host      what is asked on the way: which goroutine runs next, which case of a select
//	State     the memory and the globals at an idle point, as a difference to the beginning
//
// When every goroutine of a guest waits, or is not let go on by the host, the frames on its WebAssembly stack are the
// same as at any other such point, so that memory and globals are the whole state. Guests take turns in a few machines:
// what a guest has changed is copied out and in.
//
// The package must never import any other package of this module, nor anything of the
// simulation.
package engine
