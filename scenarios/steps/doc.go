// Package steps (unstable) holds what the engines that explore scenarios rest on, in every
// scenario: two steps that do not conflict lead to the same state in either order, a world and its
// clone go their own way, and a seed is the same run in every process. It also has how the cost of
// schedules grows with the size of a world, and what the runs of one world share.
//
// All is in the tests of the package. It must never import anything.
package steps
