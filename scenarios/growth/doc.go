// Package growth has tests of how the cost of schedules grows with the size of a world, and of
// what the runs of one world share.
//
// All is in the tests of the package. It must never import anything.
package growth
