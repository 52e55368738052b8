// Package properties (unstable) is what must hold: one file and one judge for each property or a few that
// belong together. It imports the packages below, so that a program which imports it knows all of
// them by name.
//
//	reads      what clients read: linearizable ... pages, answers-in-time, no-compacted-reads, recovers-in-time
//	watches    what clients that watch are sent: etcd's watch guarantees, initial events and their end
//	caches     API servers: their caches, consistency checks, timers, client libraries, compactors and memory
//	etcdapi    what clients of etcd's own API are answered: etcd-answers, watch-answers, fragments, progress-comes, etcd-nothing-left
//	informers  what informers hold and tell their handlers: informer-matches-etcd, handler-order ... controller-reads-own-writes
//
// Properties of one subject alone are beside its scenarios, as those of writes through API servers
// (scenarios/writeproperties.go). The tests have the list of what a client can be sent, each field with the properties
// that judge it.
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
	_ "github.com/watchbed/watchbed/properties/etcdapi"
	_ "github.com/watchbed/watchbed/properties/informers"
	_ "github.com/watchbed/watchbed/properties/reads"
	_ "github.com/watchbed/watchbed/properties/watches"
)
