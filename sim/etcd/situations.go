package etcd

import "github.com/watchbed/watchbed/sim"

// What can come about beside the store and the streams.
var (
	coverReadWaits        = sim.NewSituation("etcd: linearizable read waits for apply")
	coverReadBatch        = sim.NewSituation("etcd: several linearizable reads confirmed at once")
	coverRangeQueued      = sim.NewSituation("etcd: Range waits for another")
	coverRestart          = sim.NewSituation("etcd: restart")
	coverRestartUnapplied = sim.NewSituation("etcd: restart with writes committed and not applied")

	// Members.
	coverStatusDown = sim.NewSituation("etcd: version of a member that is down asked for")
	coverFailover   = sim.NewSituation("etcd: another member serves")
	coverFollows    = sim.NewSituation("etcd: entry of the log taken from the leader")
	coverDowngrade  = sim.NewSituation("etcd: downgraded")
)
