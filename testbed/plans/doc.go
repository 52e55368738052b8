// Package plans (unstable) writes down what each client of a system does, from the options of the
// clients and the topology: which requests it sends to which node, in which order.
//
// A plan is fixed before the first run, or it is a function that draws the requests
// from choices of the run when the client starts (swarm.go and the files drawn_*).
// The package must never import testbed or a package of servers, such as sim/etcd or
// sim/cache.
package plans
