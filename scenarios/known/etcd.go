package known

import (
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/etcd/v3rpc"
	"github.com/watchbed/watchbed/testbed"
)

func ofEtcd(text string, holds func(o *etcd.Options) bool) testbed.Condition {
	return testbed.NewCondition(text, func(s *testbed.Setup) bool { return holds(&s.Nodes.Etcd) })
}

// How etcd behaves.
var (
	ProgressOvertakesEvents = ofEtcd("etcd's answers to progress requests overtake events (progress=control-queue)",
		func(o *etcd.Options) bool { return o.Watch.Progress == v3rpc.ControlQueue })
	DefersProgress = ofEtcd("etcd keeps a progress request that meets an unsynced watch until it has sent an event (progress=deferred)",
		func(o *etcd.Options) bool { return o.Watch.Progress == v3rpc.Deferred })
	IgnoresProgress = ofEtcd("etcd does not know progress requests (progress=ignored)",
		func(o *etcd.Options) bool { return o.Watch.Progress == v3rpc.Ignored })
	SendsNoProgress = ofEtcd("etcd does not know progress requests (progress=ignored), and its ticker sends no progress",
		func(o *etcd.Options) bool {
			return o.Watch.Progress == v3rpc.Ignored && o.Watch.ProgressNotifyInterval == 0
		})
	NeverSplits = ofEtcd("etcd does not know that a watch can ask for fragments (fragments=none)",
		func(o *etcd.Options) bool { return o.Watch.Fragments == v3rpc.FragmentsNone })
	RefusesWithoutReason = ofEtcd("etcd does not say why it refuses a watch (refusal-reason=none)",
		func(o *etcd.Options) bool { return o.Watch.RefusesSilently })
	NoProgressBelowStart = ofEtcd("etcd forgets progress requests while a watch starts at a revision that does not exist yet (progress=dropped-below-start)",
		func(o *etcd.Options) bool { return o.Watch.Progress == v3rpc.DroppedBelowStart })
	ProgressBelowStart = ofEtcd("etcd tells a watch of progress before the revision exists at which it starts",
		func(o *etcd.Options) bool { return o.Watch.Progress != v3rpc.DroppedBelowStart })
	CreatedOvertakesProgress = ofEtcd("etcd's Created of a watch overtakes older progress (created=past-channel)",
		func(o *etcd.Options) bool {
			return !o.Watch.CreatedInOrder && o.Watch.Progress != v3rpc.Ignored
		})
	RestoreRepeatsEvents = ofEtcd("etcd sends a watch old events again after it has installed a snapshot (notify-min-rev=on-failure)",
		func(o *etcd.Options) bool { return !o.Store.RaisesMinRev })
	ForgetsCompactedWatch = ofEtcd("etcd takes a compacted watch whose channel is full for synced (compacted-unsynced=falls-through)",
		func(o *etcd.Options) bool { return !o.Store.SkipsCompacted })
	CompactionRemovesDeletion = ofEtcd("an etcd compaction removes the deletion at its own revision (compact-tombstone=removed)",
		func(o *etcd.Options) bool { return !o.Store.KeepsTombstone })
	CompactionLosesKey = ofEtcd("an etcd compaction loses a key that its revision deletes and puts again (compact-recreated=lost)",
		func(o *etcd.Options) bool { return o.Store.LosesRecreated })
	CancelsCompactedAgain = ofEtcd("rounds of syncWatchers that leave watchers out cancel a compacted one again and again (compacted-capped=left-unsynced, watchers-per-sync)",
		func(o *etcd.Options) bool { return !o.Store.RemovesCompacted && o.Store.MaxWatchersPerSync != 0 })
	RestartRemovesDeletion = ofEtcd("a compaction that goes on after a restart of etcd removes the deletion at its own revision (restore-tombstone=not-indexed)",
		func(o *etcd.Options) bool { return !o.Store.IndexesTombstones })
	AcceptsNegativeStart = ofEtcd("etcd accepts a watch from a revision below 0 (negative-start=accepted)",
		func(o *etcd.Options) bool { return !o.Watch.RefusesNegative })
	KeepsHistory = ofEtcd("syncWatchers keeps the history that it has read for its next turn (sync-history=kept)",
		func(o *etcd.Options) bool { return o.Store.KeepsHistory })
	LeaseTimeLeftOfAny = ofEtcd("a member of etcd that has stopped to lead says how much time a lease has left (lease-time-left=of-any)",
		func(o *etcd.Options) bool { return !o.Leases.RefusesTimeLeft })
	SeveralMembers  = testbed.NewCondition("etcd has several members that are whole servers", func(s *testbed.Setup) bool { return s.Params.Topology.EtcdMembers > 1 })
	LeavesRangesOut = ofEtcd("a member that gives no answer leaves the ranges of a transaction out (needless-ranges=removed)",
		func(o *etcd.Options) bool { return o.Write.RemovesNeedlessRanges })
	ReusesReadIndexIDs = ofEtcd("a ReadIndex that is repeated has the id of the first (read-index-ids=reused)",
		func(o *etcd.Options) bool { return o.Reads.ReusesIndexIDs })
	LowersFutureWatch = ofEtcd("etcd moves a watch from a future revision back after a restore (sync-min-rev=set-to-next)",
		func(o *etcd.Options) bool { return !o.Store.NeverLowersMinRev })
	StoresOptionsLate = ofEtcd("etcd stores the options of a watch behind its registration (watch-options=after-watch)",
		func(o *etcd.Options) bool { return !o.Watch.StoresWithWatch })
	RestartTakesRevisionBack = ofEtcd("the revision of etcd goes back if it restarts while it compacts (restore-revision=from-keys)",
		func(o *etcd.Options) bool { return !o.Store.RestoresScheduled })
)

// ResumesOneEarly is about the client library.
var ResumesOneEarly = testbed.NewCondition("the client library resumes a watch after progress one revision early (resume-revision=at-header)",
	func(s *testbed.Setup) bool { return s.Nodes.Client.Library.ResumesAtHeader })
