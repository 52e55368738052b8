// Package etcdapi has the properties of etcd's own API: what clients of it are answered
// and sent, and what etcd keeps on their behalf.
package etcdapi
