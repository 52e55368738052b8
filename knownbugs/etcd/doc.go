// Package etcd holds the known bugs of the etcd server, one file each: the issue, the
// releases that fixed it, what goes wrong, and where it shows. Releases of etcd really
// behaved so: the behaviour itself is a value of an option of sim/etcd, and the table
// of versions there says which releases have it.
//
// The package must never import diagnosis, report or a command.
package etcd
