// Package values (unstable) looks at nodes and messages as they are in memory, whatever their
// types: whether two of them consist of the same, and how much memory they take.
//
// The package imports sim/arena, whose memory in reserve it leaves out. It must never import what
// is simulated.
package values
