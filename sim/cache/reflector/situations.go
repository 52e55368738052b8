package reflector

import "github.com/watchbed/watchbed/sim"

var (
	watchListStarted   = sim.NewSituation("cache: reflector asks for initial events")
	watchListReplaced  = sim.NewSituation("cache: contents replaced by initial events")
	watchListAgain     = sim.NewSituation("cache: reflector asks for initial events again")
	watchListFallsBack = sim.NewSituation("cache: reflector lists because a watch with initial events failed")
	relisted           = sim.NewSituation("cache: relist")
	listPaged          = sim.NewSituation("cache: list of several pages")
	listExpired        = sim.NewSituation("cache: compaction between the pages of a list")
	listFailed         = sim.NewSituation("cache: list failed")
	watchExpired       = sim.NewSituation("cache: watch ended by compaction")
	watchRetried       = sim.NewSituation("cache: watch started again after an internal error")
	watchResumed       = sim.NewSituation("cache: watch started again after it closed")
	watchVeryShort     = sim.NewSituation("cache: watch closed at once")
)
