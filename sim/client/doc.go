// Package client (unstable) is the part of an API server's process that stands between its watch
// caches and etcd: etcd's clientv3, and on top of it the watcher of Kubernetes' etcd3 storage. It
// is here because events can be lost, repeated, delayed and reordered with errors between a correct
// server and a correct cache.
//
// One Client is one node. It is nothing but the two parts wired together: which
// message, task and timer belongs to which. What they do is in the packages clientv3
// and etcd3. What the node speaks with caches stands for calls and channels inside
// one process, not for a network:
//
//	stream, first *wire.WatchStart       etcd3 watcher.Watch
//	stream of *wire.ProgressRequest      clientv3 Watcher.RequestProgress; nothing
//	                                     comes back
//	call of any other request            passed on to etcd and answered; a cache's Range of
//	                                     a whole prefix may be streamed (etcd3 GetList)
//
// The package imports sim, sim/wire, sim/option and its own sub-packages. It must
// never import sim/etcd, sim/cache or model: they meet in sim/wire only.
package client
