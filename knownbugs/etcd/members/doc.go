// Package members holds the known bugs of the etcd server that take two members to see, one file each.
//
// The package must never import diagnosis, report or a command.
package members
