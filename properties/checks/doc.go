// Package checks has the properties of the consistency check (KEP-4988): how often a cache
// compares itself with etcd, and whether it finds a difference that there is, and none else.
package checks
