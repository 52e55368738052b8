package etcd

import "github.com/watchbed/watchbed/sim"

// What can come about beside the store and the streams.
var (
	// Restarted counts the times that the process of a member began anew.
	Restarted = sim.NewCoveragePoint("etcd: restart")

	coverReadWaits        = sim.NewCoveragePoint("etcd: linearizable read waits for apply")
	coverReadBatch        = sim.NewCoveragePoint("etcd: several linearizable reads confirmed at once")
	coverStreamUnknown    = sim.NewCoveragePoint("etcd: RangeStream refused as unknown")
	coverStreamGoesOn     = sim.NewCoveragePoint("etcd: a later chunk of a RangeStream is read")
	coverStreamFails      = sim.NewCoveragePoint("etcd: RangeStream ends with an error")
	coverStreamBlocked    = sim.NewCoveragePoint("etcd: Send of a RangeStream blocks")
	coverStreamAbandoned  = sim.NewCoveragePoint("etcd: RangeStream whose client is gone")
	coverReadIndexAgain   = sim.NewCoveragePoint("etcd: follower asks once more what is committed")
	coverReadIndexIgnored = sim.NewCoveragePoint("etcd: follower ignores the second answer to what is committed")
	coverReadIndexReused  = sim.NewCoveragePoint("etcd: second answer to what was committed lets later reads go")
	coverReadIndex        = sim.NewCoveragePoint("etcd: follower asks the leader what is committed")
	coverRangeQueued      = sim.NewCoveragePoint("etcd: Range waits for another")
	coverCompactWaits     = sim.NewCoveragePoint("etcd: Compact waits for a Range")
	coverRestoredBackup   = sim.NewCoveragePoint("etcd: restored from a backup")
	coverRestartUnapplied = sim.NewCoveragePoint("etcd: restart with writes committed and not applied")

	coverAwaitsRemoval  = sim.NewCoveragePoint("etcd: physical compaction waits for the removal")
	coverNeedlessRange  = sim.NewCoveragePoint("etcd: member that gives no answer leaves a range of a transaction out")
	coverNestedTxn      = sim.NewCoveragePoint("etcd: transaction within a transaction")
	coverComparesOwn    = sim.NewCoveragePoint("etcd: transaction within another compares what that one has written")
	coverIgnoresValue   = sim.NewCoveragePoint("etcd: put that keeps the value")
	coverIgnoresNothing = sim.NewCoveragePoint("etcd: put that keeps what is not there refused")

	// Leases.
	coverPutWithoutLease   = sim.NewCoveragePoint("etcd: put on a lease that does not exist refused")
	coverIgnoresLease      = sim.NewCoveragePoint("etcd: put that keeps the lease")
	coverLeaseGranted      = sim.NewCoveragePoint("etcd: lease granted")
	coverLeaseExists       = sim.NewCoveragePoint("etcd: lease refused because it exists")
	coverRevocationRefused = sim.NewCoveragePoint("etcd: revocation of an expired lease refused because too many writes are not applied")
	coverLeaseRevoked      = sim.NewCoveragePoint("etcd: lease revoked")
	coverLeaseExpires      = sim.NewCoveragePoint("etcd: lease expires")
	coverLeaseKeys         = sim.NewCoveragePoint("etcd: several keys deleted with their lease")
	coverDetached          = sim.NewCoveragePoint("etcd: key detached from its lease")
	coverRenewed           = sim.NewCoveragePoint("etcd: lease kept alive")
	coverRenewsKnown       = sim.NewCoveragePoint("etcd: renewal of a known lease waits for nothing")
	coverRenewsExpired     = sim.NewCoveragePoint("etcd: renewal waits for the revocation of an expired lease")
	// The member has stopped to lead since the request was let go.
	coverTimeLeftLeaderless = sim.NewCoveragePoint("etcd: time to live asked for when there is no leader any more")
	coverPromoted           = sim.NewCoveragePoint("etcd: leases extended by a new leader")

	// Errors in the place of answers.
	coverTooManyRequests = sim.NewCoveragePoint("etcd: write refused because too many are not applied")
	coverTooLarge        = sim.NewCoveragePoint("etcd: write refused because it is too large")
	coverWriteLate       = sim.NewCoveragePoint("etcd: write times out and is carried out")
	coverWriteLost       = sim.NewCoveragePoint("etcd: write times out and is lost")
	coverReadTimesOut    = sim.NewCoveragePoint("etcd: linearizable reads time out")
	coverLeaderChanged   = sim.NewCoveragePoint("etcd: linearizable reads fail because the leader changes")
	coverNoLeader        = sim.NewCoveragePoint("etcd: no leader")
	coverCutOff          = sim.NewCoveragePoint("etcd: a follower is cut off from the leader")
	coverAwaitsLeader    = sim.NewCoveragePoint("etcd: write waits for a leader")
	coverSkipped         = sim.NewCoveragePoint("etcd: restart skips an entry that was not applied")

	// Members.
	coverStatusDown = sim.NewCoveragePoint("etcd: version of a member that is down asked for")
	coverFailover   = sim.NewCoveragePoint("etcd: another member serves")
	coverFollows    = sim.NewCoveragePoint("etcd: entry of the log taken from the leader")
	coverDowngrade  = sim.NewCoveragePoint("etcd: downgraded")
)
