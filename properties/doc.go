// Package properties is what must hold: one file and one judge for each property.
// It imports the packages below, so that a program which imports it knows all of
// them by name.
//
//	reads        what clients read: linearizable ... pages, answers-in-time, no-compacted-reads, recovers-in-time
//	watches      what clients that watch are sent: etcd's watch guarantees, initial events and their end
//	caches       the cache itself: cache-matches-etcd ... justified-refusals, served-as-promised, needed-progress
//	checks       the consistency check: checks-apart, detector-accuracy
//	client       the client library in an API server: client-bounded, client-nothing-left, reopens-in-time
//	compactions  API servers that compact etcd: history-kept, history-dropped
//	delivery     how a cache brings events to clients that do not keep up: backlog-bounded, delivered-undelayed
//	etcdapi      what clients of etcd's own API are answered: etcd-answers, watch-answers, fragments, progress-comes, etcd-nothing-left
//	fields       the list of what a client can be sent, each field with the properties that judge it
//	load         what many requests at a time do: memory of API servers, and its warning
//	starts       what begins with the state of etcd: initialises
//	timers       the timers of a cache: timers-owned, relists-in-time, pages-in-time
//	writes       writes through API servers: no-lost-updates, write-refusals, write-answers, not-found-versions
//	informers    what informers hold and tell their handlers: informer-matches-etcd, handler-order ... controller-reads-own-writes
//
// To add a property, add a file with a variable that calls
// testbed.RegisterProperty, here or in a module of your own, and claim it in a
// scenario.
//
// The packages import testbed and what is below it. They must never import
// scenarios.
package properties

import (
	// Each registers its properties.
	_ "github.com/watchbed/watchbed/properties/caches"
	_ "github.com/watchbed/watchbed/properties/checks"
	_ "github.com/watchbed/watchbed/properties/client"
	_ "github.com/watchbed/watchbed/properties/compactions"
	_ "github.com/watchbed/watchbed/properties/delivery"
	_ "github.com/watchbed/watchbed/properties/etcdapi"
	_ "github.com/watchbed/watchbed/properties/informers"
	_ "github.com/watchbed/watchbed/properties/load"
	_ "github.com/watchbed/watchbed/properties/reads"
	_ "github.com/watchbed/watchbed/properties/starts"
	_ "github.com/watchbed/watchbed/properties/timers"
	_ "github.com/watchbed/watchbed/properties/watches"
	_ "github.com/watchbed/watchbed/properties/writes"
)
