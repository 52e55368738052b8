// Package check holds the known bugs of what compares a cache with etcd, one file each:
// what it changes, and where it shows. What it changes is registered as a value of a
// seam of sim/cache/check.
//
// The package must never import diagnosis, report or a command.
package check
