package guard

import "github.com/watchbed/watchbed/sim"

var (
	endpointFixed  = sim.NewSituation("cache: etcd endpoint new enough")
	endpointTooOld = sim.NewSituation("cache: etcd endpoint too old")
	// EndpointUnknown counts the endpoints that did not give their version when they were
	// asked.
	EndpointUnknown  = sim.NewSituation("cache: etcd endpoint that does not give its version")
	streamAsked      = sim.NewSituation("cache: member behind a stream of the watch asked for its version")
	askedAgain       = sim.NewSituation("cache: etcd endpoint asked for its version again")
	supportTakenBack = sim.NewSituation("cache: consistent reads were supported until another endpoint answered")
	disabledOld      = sim.NewSituation("cache: ConsistentListFromCache disabled, etcd too old")
	abortedOld       = sim.NewSituation("cache: API server does not start, etcd too old")
	unknownGoesOn    = sim.NewSituation("cache: API server starts with a warning, version of etcd unknown")
)
