// Package etcdwire is how messages of etcd's APIs (package wire) become bytes between a guest and its host, on the host's side.
//
// It imports the simulation's messages and package protocol. It must never import a node.
package etcdwire
