package check

import "github.com/watchbed/watchbed/sim"

var (
	checks        = sim.NewNote1[int64]("check.checks", "compares its contents with etcd's at revision %r")
	differs       = sim.NewNote1[int64]("check.differs", "finds that etcd has other contents at revision %r")
	answerDiffers = sim.NewNote1[int64]("check.answerDiffers", "finds that etcd has other contents at revision %r than the cache has answered")
	listChecked   = sim.NewNote1[int64]("check.listChecked", "asks etcd for what it has answered at resourceVersion %r, to compare them")
	answerAgrees  = sim.NewNote1[int64]("check.answerAgrees", "finds that etcd has the same contents at revision %r as the cache has answered")
	compacted     = sim.NewNote1[int64]("check.compacted", "drops the snapshots from before the compaction at revision %r")
)
