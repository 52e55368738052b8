package guard

import "github.com/watchbed/watchbed/sim"

var (
	versionHeard   = sim.NewNote3[int, string, string]("guard.versionHeard", "learns that endpoint %d of etcd is %s: %s")
	versionUnknown = sim.NewNote1[int]("guard.versionUnknown", "gets no version from endpoint %d of etcd")
	warning        = sim.NewNote1[string]("guard.warning", "warns: %s")
	aborted        = sim.NewNote1[string]("guard.aborted", "does not start: %s")
)

var (
	endpointFixed  = sim.NewCoveragePoint("cache: etcd endpoint new enough")
	endpointTooOld = sim.NewCoveragePoint("cache: etcd endpoint too old")
	// EndpointUnknown counts the endpoints that did not give their version when they were
	// asked.
	EndpointUnknown  = sim.NewCoveragePoint("cache: etcd endpoint that does not give its version")
	streamAsked      = sim.NewCoveragePoint("cache: member behind a stream of the watch asked for its version")
	askedAgain       = sim.NewCoveragePoint("cache: etcd endpoint asked for its version again")
	supportTakenBack = sim.NewCoveragePoint("cache: consistent reads were supported until another endpoint answered")
	disabledOld      = sim.NewCoveragePoint("cache: ConsistentListFromCache disabled, etcd too old")
	abortedOld       = sim.NewCoveragePoint("cache: API server does not start, etcd too old")
	unknownGoesOn    = sim.NewCoveragePoint("cache: API server starts with a warning, version of etcd unknown")
)
