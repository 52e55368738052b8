// Package reflector (unstable) is client-go's Reflector as the cacher runs it: it lists the objects
// of a resource in etcd, page by page, replaces the contents of the cache with them, and watches
// from there. When the watch ends it watches again or starts over.
//
//	Reflector   the machine, from one ListAndWatch to the next
//	Sink        the cache that it feeds
//
// The package must never import sim/cache or another package below it but
// traffic: the Sink decides what becomes of the objects.
package reflector
