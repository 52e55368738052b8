package clusternode

import (
	"slices"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// Log is what the members of a world have applied: the writes of clients, in the order of the raft log. A write is in
// it from when the first member has applied it. What it changes is what the model says.
type Log struct {
	initial *model.Store
	store   *model.Store
	commits []etcd.Commit
	// compacted[i] is the revision of the last compaction when the first i commits are applied.
	compacted []int64
	failed    []sim.Payload
	// proposals are those of clients, by the numbers of their requests, places where they are among the commits.
	proposals map[uint64]etcd.Commit
	places    map[uint64]int
	// reached is how many commits each member has applied.
	reached []int
}

// NewLog is a log of so many members.
func NewLog(initial model.Initial, members int) *Log {
	l := &Log{initial: model.NewStore(initial), reached: make([]int, members)}
	l.Reset()
	return l
}

// Reset begins another run.
func (l *Log) Reset() {
	*l = Log{
		initial: l.initial, store: l.initial.Clone(), commits: l.commits[:0], compacted: append(l.compacted[:0], 0), failed: l.failed[:0],
		proposals: map[uint64]etcd.Commit{}, places: map[uint64]int{}, reached: l.reached,
	}
	clear(l.reached)
}

// proposed takes the number of a request. One of no client is a lease that has run out.
func (n *Node) proposed(conn sim.Conn, r *protocol.Reader) {
	id, revoked := uint64(r.Int()), r.Int()
	if i := n.serving(conn); i >= 0 {
		n.cfg.Log.proposals[id] = etcd.Commit{Request: n.serves[i].request, From: n.serves[i].from, Conn: conn}
	} else if revoked != 0 {
		n.cfg.Log.proposals[id] = etcd.Commit{Request: &wire.LeaseRevokeRequest{ID: revoked}}
	}
}

// applied takes it that a member has applied a request. What it refuses is no commit.
func (l *Log) applied(member int, id uint64, carriedOut bool) {
	c, known := l.proposals[id]
	if !known {
		return
	}
	at, is := l.places[id]
	if !is {
		if carriedOut {
			l.store.Apply(workload.Request(c.Request))
			c.Index, c.Revision = uint64(len(l.commits)+1), l.store.Revision()
			l.commits, l.compacted = append(l.commits, c), append(l.compacted, l.store.Compacted())
		}
		at = len(l.commits)
		l.places[id] = at
	}
	l.reached[member] = max(l.reached[member], at)
}

// Of is what is known of a member.
func (l *Log) Of(member int) testbed.EtcdState { return applied{l, member} }

// Whole is what is known of all members together.
func (l *Log) Whole() testbed.EtcdState { return whole{l} }

// at is where the log is when so many commits are applied.
func (l *Log) at(commits int) int64 {
	if commits > 0 {
		return l.commits[commits-1].Revision
	}
	return l.initial.Revision()
}

// whole is how far all members are: the newest one, and what is visible at the slowest.
type whole struct{ *Log }

// Revision implements testbed.EtcdState.
func (a whole) Revision() int64 { return a.at(len(a.commits)) }

// VisibleRevision implements testbed.EtcdState.
func (a whole) VisibleRevision() int64 { return a.at(slices.Min(a.reached)) }

// CompactRevision implements testbed.EtcdState.
func (a whole) CompactRevision() int64 { return a.compacted[len(a.commits)] }

// Waits implements testbed.EtcdState.
func (a whole) Waits() bool { return slices.Min(a.reached) < len(a.commits) }

// applied is how far a member is in a log.
type applied struct {
	*Log
	member int
}

// Committed implements testbed.TruthCommits: all that some member has applied is committed.
func (l *Log) Committed() []etcd.Commit { return l.commits }

// Applied implements testbed.TruthCommits.
func (l *Log) Applied() uint64 { return uint64(len(l.commits)) }

// Revision implements testbed.EtcdState.
func (a applied) Revision() int64 { return a.at(a.reached[a.member]) }

// VisibleRevision implements testbed.EtcdState.
func (a applied) VisibleRevision() int64 { return a.Revision() }

// CompactRevision implements testbed.EtcdState.
func (a applied) CompactRevision() int64 { return a.compacted[a.reached[a.member]] }

// Waits implements testbed.EtcdState.
func (a applied) Waits() bool { return a.reached[a.member] < len(a.commits) }

// Failed implements testbed.EtcdState.
func (l *Log) Failed() []sim.Payload { return l.failed }
