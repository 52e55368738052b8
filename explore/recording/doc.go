// Package recording (unstable) is a run as a file, and what can be done with it.
//
//	Record     carries out a run and writes it down
//	Recording  the file: scenario, parameters, findings, choices by name
//	Replay     the same run to the bit, or where it first differs
//	Follower   a recording through changed code, as far as it fits
//	Shrink     a smaller run that fails the same way
//	Again      the command that carries it out again
//
// A recording is not trusted: limits are checked, and a file that is refused gets an
// error of one line.
//
// The package imports explore, explore/strategy and sim. It must never import
// explore/campaign or anything that knows etcd: what a recording's parameters mean
// is known to its users.
package recording
