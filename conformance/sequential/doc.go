// Package sequential holds the simulated server against real ones without concurrency: one
// client sends random requests, one after the other, to a real server and to the simulated
// one of the same version. There is one right answer to each, and all of it is compared.
//
// What is drawn is the key-value and the lease API: ranges with every field, at once or in chunks, puts,
// deletions, transactions within transactions, compactions, and leases, malformed requests
// among them.
//
// A server that exits is an answer: those with etcd-io/etcd#22376 do when they read a key that was deleted and put again at the
// compacted revision.
//
// # Left out
//
// A put that keeps a value or a lease, in one transaction with a deletion up to "\x00", is
// left out: real servers do not survive it. An id of a lease that etcd chooses is random.
// No lease runs out: a sequence ends before one could. Errors are compared by their text.
package sequential
