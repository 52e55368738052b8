package check

import "github.com/watchbed/watchbed/sim"

var (
	checks        = sim.NewNote("check.checks", "compares its contents with etcd's at revision %r")
	differs       = sim.NewNote("check.differs", "finds that etcd has other contents at revision %r")
	answerDiffers = sim.NewNote("check.answerDiffers", "finds that etcd has other contents at revision %r than the cache has answered")
	compacted     = sim.NewNote("check.compacted", "drops the snapshots from before the compaction at revision %r")
)
