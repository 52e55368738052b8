package reflector

import "github.com/watchbed/watchbed/sim"

var (
	watches              = sim.NewNote1[int64]("reflector.watches", "watches from resourceVersion %r on")
	asksForInitialEvents = sim.NewNote0("reflector.asksForInitialEvents", "asks etcd for all objects as initial events of a watch")
	fallsBackToList      = sim.NewNote0("reflector.fallsBackToList", "lists instead")
)

var (
	watchListStarted   = sim.NewCoveragePoint("cache: reflector asks for initial events")
	watchListReplaced  = sim.NewCoveragePoint("cache: contents replaced by initial events")
	watchListAgain     = sim.NewCoveragePoint("cache: reflector asks for initial events again")
	watchListFallsBack = sim.NewCoveragePoint("cache: reflector lists because a watch with initial events failed")
	relisted           = sim.NewCoveragePoint("cache: relist")
	listPaged          = sim.NewCoveragePoint("cache: list of several pages")
	listExpired        = sim.NewCoveragePoint("cache: compaction between the pages of a list")
	listFailed         = sim.NewCoveragePoint("cache: list failed")
	watchExpired       = sim.NewCoveragePoint("cache: watch ended by compaction")
	watchRetried       = sim.NewCoveragePoint("cache: watch started again after an internal error")
	watchResumed       = sim.NewCoveragePoint("cache: watch started again after it closed")
	watchVeryShort     = sim.NewCoveragePoint("cache: watch closed at once")
)
