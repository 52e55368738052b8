// Package toys has small subjects with which the packages of explore are tested:
// Counter, with messages, timers, questions and a fault, loses an update if two
// clients interleave; Tasks, with nothing but loops, has a planted bug of each kind
// that strategies differ in.
//
// It must never be imported by anything but tests of explore.
package toys
