// Package scenarios is the catalogue: who writes and reads what, on which etcd,
// through which cache, what may break, what must hold, and what is known to
// happen. A scenario has a file of its own.
//
// A System puts the simulated etcd, client library and cache together with the
// workload and judges what the clients recorded. To try a design of your own,
// start from Find, change Params, and call New; explore.Explore does the rest.
//
// The package must never import report or a command.
package scenarios
