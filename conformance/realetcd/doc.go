// Package realetcd runs real etcd servers: one member, on loopback, on free
// ports, with a data directory of its own that disappears with it.
package realetcd
