package store

import "github.com/watchbed/watchbed/sim"

var (
	versionLowered = sim.NewNote2[int64, int64]("store.versionLowered", "its resourceVersion goes back from %d to %d")
	otherVersion   = sim.NewNote2[int64, int64]("store.otherVersion", "gives the deletion of revision %r the resourceVersion that the object had before, %d")
	listed         = sim.NewNote2[sim.Counted, int64]("store.listed", "has listed %s at resourceVersion %d")
	// evicted, snapshotsGone: what the history, and the snapshots with it, lose to make room.
	evicted       = sim.NewNote2[sim.Counted, int64]("store.evicted", "its history is full with %s, and loses that of revision %r", sim.IsAside)
	snapshotsGone = sim.NewNote1[int64]("store.snapshotsGone", "drops its snapshots of what was before resourceVersion %d")
	staysIndexed  = sim.NewNote3[int64, string, string]("store.staysIndexed", "%[1]Rits index of %[2]s still has the former object under %[3]q")
	// notKept: no snapshot is left of the state after a change.
	notKept = sim.NewNote1[int64]("store.notKept", "keeps no snapshot of resourceVersion %r", sim.IsSetback)
	// dropped: the snapshots are gone, though nothing was wrong with them.
	dropped  = sim.NewNote("store.dropped", "drops %s: cache and etcd are equal")
	outlives = sim.NewNote1[int64]("store.outlives", "leaves its snapshot of resourceVersion %d after the failed check has dropped the others")
	again    = sim.NewNote0("store.again", "switches snapshots on: cache and etcd are equal")
)
