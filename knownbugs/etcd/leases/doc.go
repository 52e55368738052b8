// Package leases holds the known bugs of etcd's leases, one file each. Those without an issue
// no release has: each is a value of an option of sim/etcd/lease.
//
// The package must never import diagnosis, report or a command.
package leases
