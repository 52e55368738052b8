// Package lease (unstable) is the lessor of an etcd server: which leases there are, until when they
// hold, and which keys are attached to them (server/lease). It deletes no key and has no timer: the
// server asks it, and proposes what expires.
//
// The package must never import sim/etcd or sim/etcd/mvcc, which use it.
package lease
