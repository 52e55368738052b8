package races

import (
	"github.com/watchbed/watchbed/sim"
)

// promptness says what need not wait in a race.
//
//   - A read on its way: what answers it, or asks for the read index, may wait as long as it
//     likes. There is one reader, so that no other read is taken with it.
//   - linearizableReadLoop letting a read go: the read may wait as well.
//   - A physical compaction: no request can read what it drops.
//   - What the leader does with a write that is committed: its one client asks for nothing
//     more before it has the answer, and to the follower it is the same when it happens.
//   - An entry on its way to the follower: nothing there looks at it before applyLoop, which
//     may wait. While a compaction is there and not applied, sendLoop reads previous values
//     in steps of their own, which may still follow each other at once.
//   - The question for the read index, since linearizableReadLoop could have asked later, and
//     the answer.
//
// Of a leader and its follower is left when the leader takes a write.
type promptness struct {
	reader sim.NodeID
	// leader and follower are the same node if one server does it all.
	leader, follower sim.NodeID
}

func (p *promptness) of(w *sim.World, a sim.Action) bool {
	if a.Kind == sim.Deliver {
		from := w.Pending(a).From
		return from == p.reader || p.leader != p.follower && (from == p.leader || from == p.follower)
	}
	if p.leader != p.follower && a.Node == p.leader {
		return true
	}
	switch w.Activity(a) {
	case "linearizableReadLoop notifies", "scheduleCompaction":
		return true
	}
	return false
}
