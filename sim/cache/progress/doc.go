// Package progress asks etcd for progress notifications while reads wait for a
// fresh cache: upstream's ConditionalProgressRequester (KEP-2340).
//
//	Requester     the seam's interface, one of which belongs to a cache
//	conditional   what is shipped: a request every 100 ms while a read waits
//	once          one request for each read that begins to wait
//	notify        none: etcd sends notifications by itself
//	echo          requests with an id that the notification echoes
//
// The package imports sim, sim/wire and sim/option. It must never import sim/cache
// or what else is below that: it knows of reads only that they wait.
package progress
