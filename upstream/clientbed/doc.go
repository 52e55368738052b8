// Package clientbed has a user's own Go package judged: processes that have a key-value store of it (clientguest), in
// front of one simulated etcd, with clients that get, put and delete keys, and a network that is slow and broken for
// some time. What clients were answered is judged by package linearizability.
//
// Runs are timed: a process cannot know that its lease has expired unless time means something.
//
// Such a process is a guest, and a node of the world: its store is on top of etcd's clientv3. Clients ask it as they
// ask etcd, by messages of package wire: RangeRequest, PutRequest, DeleteRangeRequest and TxnRequest. What the guest
// asks etcd are such messages, too, and those of the Watch and Lease API.
//
// The package must never import etcd.
package clientbed
