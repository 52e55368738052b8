//go:build wasip1

// Package etcdpb is how messages of etcdserverpb become bytes between a guest and its host, on the guest's side, and
// the server's end of a stream of the Watch API. It is compiled with the etcd of each guest that imports it: its module
// requires none.
package etcdpb
