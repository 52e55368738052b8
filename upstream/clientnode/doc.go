// Package clientnode makes a guest that is a client of etcd a node of the world: a process whose key-value store is a user's own
// package on top of etcd's clientv3.
//
// Clients ask it as they ask etcd, by messages of package wire: RangeRequest, PutRequest, DeleteRangeRequest and TxnRequest.
// What the guest asks etcd are such messages, too, and those of the Watch and Lease API.
//
// The package imports the simulation, and engine, node and protocol of this module. It must never import etcd.
package clientnode
