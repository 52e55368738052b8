package slow

import (
	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/sim"
)

var (
	passBegins    = sim.NewSituation("cache: pass over unsynced watchers")
	passIsFull    = sim.NewSituation("cache: more unsynced watchers than a pass serves")
	cohortShared  = sim.NewSituation("cache: unsynced watchers share one look at the history")
	scanIsShort   = sim.NewSituation("cache: pass ends before the end of the history")
	watcherSynced = sim.NewSituation("cache: unsynced watcher synced again")
)

var passUnits = metric.New("catch_up_pass_units", metric.Counted,
	"units of the history that one pass over unsynced watchers read: one for an event, and 64 to open it (KEP-6268, revised)")

var catchUps = metric.NewCounter("apiserver_watch_cache_watcher_catchup_rounds_total", metric.Counted,
	"unsynced watchers that were synced again (KEP-6268, revised)")
