// Package node is a guest as a node of a world: an API server's storage of one resource, in
// the code that ships.
//
// Messages are those of package wire. Clients send ListRequest, GetRequest, WatchRequest and ReadyzRequest, as to the
// Cache of this project; etcd is sent RangeRequest and the messages of a watch stream. A step hands the guest a
// message, or lets its clock go on to its next timer, and goes on until all its goroutines wait, or are late
// (guests.Schedule). What the guest leaves open within the step (which goroutine runs next, which case of a select is
// taken) are choices of the world (Step), for guests of all kinds.
//
// Load loads a guest of any kind, and tries it.
//
// How messages of etcd's APIs (package wire) become bytes between a guest and its host is here, too, on the host's
// side.
//
// The package imports sim, sim/wire, sim/cache (for its Config), engine, guests and protocol. It
// must never import a simulated etcd.
package node
