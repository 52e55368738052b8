// Package memory (unstable) is what an API server's memory for its clients comes to: a limit above
// which the process is killed (KEP-3157 and KEP-4988, "Motivation"), and a threshold that the
// process itself keeps by measuring what it has allocated (KEP-3157, "Alternatives", 2).
//
// What is counted are the objects in answers and events that clients are still being
// sent. The package must never import sim/cache or another package below it.
package memory
