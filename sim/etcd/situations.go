package etcd

import "github.com/watchbed/watchbed/sim"

// What can come about beside the store and the streams.
var (
	// Restarted counts the times that the process of a member began anew.
	Restarted = sim.NewSituation("etcd: restart")

	coverReadWaits        = sim.NewSituation("etcd: linearizable read waits for apply")
	coverReadBatch        = sim.NewSituation("etcd: several linearizable reads confirmed at once")
	coverStreamUnknown    = sim.NewSituation("etcd: RangeStream refused as unknown")
	coverStreamGoesOn     = sim.NewSituation("etcd: a later chunk of a RangeStream is read")
	coverStreamFails      = sim.NewSituation("etcd: RangeStream ends with an error")
	coverStreamBlocked    = sim.NewSituation("etcd: Send of a RangeStream blocks")
	coverStreamAbandoned  = sim.NewSituation("etcd: RangeStream whose client is gone")
	coverReadIndexAgain   = sim.NewSituation("etcd: follower asks once more what is committed")
	coverReadIndexIgnored = sim.NewSituation("etcd: follower ignores the second answer to what is committed")
	coverReadIndexReused  = sim.NewSituation("etcd: second answer to what was committed lets later reads go")
	coverReadIndex        = sim.NewSituation("etcd: follower asks the leader what is committed")
	coverRangeQueued      = sim.NewSituation("etcd: Range waits for another")
	coverCompactWaits     = sim.NewSituation("etcd: Compact waits for a Range")
	coverRestartUnapplied = sim.NewSituation("etcd: restart with writes committed and not applied")

	coverAwaitsRemoval  = sim.NewSituation("etcd: physical compaction waits for the removal")
	coverNeedlessRange  = sim.NewSituation("etcd: member that gives no answer leaves a range of a transaction out")
	coverNestedTxn      = sim.NewSituation("etcd: transaction within a transaction")
	coverIgnoresValue   = sim.NewSituation("etcd: put that keeps the value")
	coverIgnoresNothing = sim.NewSituation("etcd: put that keeps what is not there refused")

	// Leases.
	coverPutWithoutLease = sim.NewSituation("etcd: put on a lease that does not exist refused")
	coverIgnoresLease    = sim.NewSituation("etcd: put that keeps the lease")
	coverLeaseGranted    = sim.NewSituation("etcd: lease granted")
	coverLeaseExists     = sim.NewSituation("etcd: lease refused because it exists")
	coverLeaseRevoked    = sim.NewSituation("etcd: lease revoked")
	coverLeaseExpires    = sim.NewSituation("etcd: lease expires")
	coverLeaseKeys       = sim.NewSituation("etcd: several keys deleted with their lease")
	coverDetached        = sim.NewSituation("etcd: key detached from its lease")
	coverRenewed         = sim.NewSituation("etcd: lease kept alive")
	coverRenewsExpired   = sim.NewSituation("etcd: renewal waits for the revocation of an expired lease")
	// The member has stopped to lead since the request was let go.
	coverTimeLeftLeaderless = sim.NewSituation("etcd: time to live asked for when there is no leader any more")
	coverPromoted           = sim.NewSituation("etcd: leases extended by a new leader")

	// Errors in the place of answers.
	coverTooManyRequests = sim.NewSituation("etcd: write refused because too many are not applied")
	coverTooLarge        = sim.NewSituation("etcd: write refused because it is too large")
	coverWriteLate       = sim.NewSituation("etcd: write times out and is carried out")
	coverWriteLost       = sim.NewSituation("etcd: write times out and is lost")
	coverReadTimesOut    = sim.NewSituation("etcd: linearizable reads time out")
	coverLeaderChanged   = sim.NewSituation("etcd: linearizable reads fail because the leader changes")
	coverNoLeader        = sim.NewSituation("etcd: no leader")
	coverCutOff          = sim.NewSituation("etcd: a follower is cut off from the leader")
	coverAwaitsLeader    = sim.NewSituation("etcd: write waits for a leader")
	coverSkipped         = sim.NewSituation("etcd: restart skips an entry that was not applied")

	// Members.
	coverStatusDown = sim.NewSituation("etcd: version of a member that is down asked for")
	coverFailover   = sim.NewSituation("etcd: another member serves")
	coverFollows    = sim.NewSituation("etcd: entry of the log taken from the leader")
	coverDowngrade  = sim.NewSituation("etcd: downgraded")
)
