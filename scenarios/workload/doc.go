// Package workload holds the clients of a scenario: nodes that carry out a
// fixed program of operations, one at a time, and record what they asked and
// what they were told.
//
// They stand outside of what is under test and know nothing about it but
// sim/wire. The package must never import sim/etcd, sim/client or sim/cache.
package workload
