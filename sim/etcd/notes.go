package etcd

import (
	"strconv"
	"strings"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// What the server notes while a run is observed, beside its store and its
// streams.
var (
	applied          = sim.NewNote2[write, int64]("etcd.applied", "applies %s: revision %r", sim.IsMeasured)
	appliedUnchanged = sim.NewNote2[sim.Payload, int64]("etcd.applied", "applies %s: nothing changes, the revision stays %d")
	appliedCompact   = sim.NewNote2[sim.Payload, int64]("etcd.applied", "applies %s: what came before revision %d may go")
	failed           = sim.NewNote3[write, string, string]("etcd.failed", `answers %s with the error "%s"%s`)
	// The next write gets the revision of the skipped write.
	skipped  = sim.NewNote2[sim.Payload, int64]("etcd.skipped", "takes %s for applied after the restart, and does not apply it%R", sim.IsSetback)
	repeated = sim.NewNote1[write]("etcd.repeated", "takes %s for not applied after the restart, although it is", sim.IsSetback)

	rangeQueued   = sim.NewNote3[sim.NodeID, sim.Payload, sim.Counted]("etcd.rangeQueued", "%s's %s waits for %s that came before it")
	firstRead     = sim.NewNote3[keys, sim.NodeID, int64]("etcd.chunkRead", "reads the first %s of a stream for %s, at revision %r")
	chunkRead     = sim.NewNote3[keys, sim.NodeID, int64]("etcd.chunkRead", "reads the next %s of the stream for %s, at revision %r")
	compactAwaits = sim.NewNote2[sim.Payload, sim.Payload]("etcd.compactAwaits", "%s waits for %s, which holds the lock of the store")
	rangeLeftOut  = sim.NewNote1[int64]("etcd.rangeLeftOut", "is not the member that answers a transaction, and so skips its range at revision %d"+
		", which does not exist: the member that answers refuses the transaction for it, and this one goes on to apply it")

	backupRestored = sim.NewNote2[int64, sim.Counted]("etcd.backupRestored", "loses its data, and is restored from a backup of revision %r, which lacks the last %s", sim.IsSetback)
	leaderLost     = sim.NewNote0("etcd.leaderLost", "has no leader any more")
	leaderAgain    = sim.NewNote0("etcd.leaderLost", "has a leader again")
	oldIndexTaken  = sim.NewNote1[uint64]("etcd.oldIndexTaken",
		"takes the leader's late second answer to an earlier question for the answer to the present one: these reads wait for index %d only, which is from before they began")
	defragments  = sim.NewNote0("etcd.defragNote", "defragments its backend: it applies no entry and begins no read until that is done")
	defragmented = sim.NewNote0("etcd.defragNote", "has defragmented its backend, and applies what was committed meanwhile")
	diskStalls   = sim.NewNote0("etcd.diskStalls", "can write nothing to its log: the disk stalls", sim.IsSetback)
	diskBack     = sim.NewNote0("etcd.diskStalls", "writes to its log again")
)

// keys is a number of keys.
type keys int

func (n keys) String() string {
	if n == 1 {
		return "key"
	}
	return strconv.Itoa(int(n)) + " keys"
}

// write is a request that writes: a note is about the key.
type write struct{ sim.Payload }

func (w write) About() sim.About { return sim.About{Key: keyOf(w.Payload)} }

// clogStrikes: from now on nothing gets through on watch streams.
type clogStrikes struct {
	server sim.NodeID
	// from are the clients that nothing gets through to, nil for all.
	from  []sim.NodeID
	until sim.Time
}

func (n clogStrikes) Text(w *sim.World) string {
	to, until := "any client", "for a while"
	if n.from != nil {
		var names []string
		for _, node := range n.from {
			names = append(names, w.NodeName(node))
		}
		to = strings.Join(names, " and ")
	}
	if w.Mode() == sim.Timed {
		until = "until " + time.Duration(n.until).String()
	}
	return "nothing that " + w.NodeName(n.server) + " sends on watch streams gets through to " + to + ", " + until
}

// keyOf is the key that a request writes, that of its first operation if it is a
// transaction.
func keyOf(request sim.Payload) string {
	switch r := request.(type) {
	case *wire.PutRequest:
		return r.Key
	case *wire.DeleteRangeRequest:
		return r.Key
	case *wire.TxnRequest:
		for _, ops := range [2][]wire.RequestOp{r.Success, r.Failure} {
			for i := range ops {
				switch op := &ops[i]; {
				case op.Put != nil:
					return op.Put.Key
				case op.DeleteRange != nil:
					return op.DeleteRange.Key
				case op.Txn != nil:
					if key := keyOf(op.Txn); key != "" {
						return key
					}
				}
			}
		}
	}
	return ""
}

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
