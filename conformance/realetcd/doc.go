// Package realetcd runs real etcd servers, alone or as members of a cluster: on loopback,
// on free ports, each with a data directory of its own that disappears with it.
// Call and OpenStream ask them, in the messages of the simulation and in those of the API. Nothing is judged here.
package realetcd
