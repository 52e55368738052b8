package compactor

import "github.com/watchbed/watchbed/sim"

var (
	bootstrapped  = sim.NewSituation("compactor: first try, nothing to compact to yet")
	won           = sim.NewSituation("compactor: won the right to compact")
	lost          = sim.NewSituation("compactor: another server was first")
	compacted     = sim.NewSituation("compactor: etcd compacted")
	compactFailed = sim.NewSituation("compactor: key written, and compaction failed")
	tryFailed     = sim.NewSituation("compactor: outcome of a try unknown")
	heard         = sim.NewSituation("compactor: compaction of a server heard of by watch")
	watchEnded    = sim.NewSituation("compactor: watch of the key ended")
	keyUnread     = sim.NewSituation("compactor: key could not be read")
)
