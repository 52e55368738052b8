package cache

import "github.com/watchbed/watchbed/sim"

// Version check.
var (
	guardEndpointNew     = sim.NewSituation("cache: etcd endpoint new enough")
	guardEndpointOld     = sim.NewSituation("cache: etcd endpoint too old")
	guardEndpointUnknown = sim.NewSituation("cache: etcd endpoint that does not say its version")
	guardAskedAgain      = sim.NewSituation("cache: etcd endpoint asked for its version again")
	guardTakenBack       = sim.NewSituation("cache: consistent reads were supported until another endpoint answered")
	guardDisabledOld     = sim.NewSituation("cache: ConsistentListFromCache disabled, etcd too old")
	guardAbortedOld      = sim.NewSituation("cache: API server does not start, etcd too old")
	guardUnknownGoesOn   = sim.NewSituation("cache: API server starts with a warning, version of etcd unknown")
	watchListUnsupported = sim.NewSituation("cache: watch with initial events refused, progress is not trusted")
	guardNotServing      = sim.NewSituation("cache: request to an API server that has not started")
)
