package truth

import (
	"cmp"
	"iter"
	"slices"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/workload"
)

// Commits is a member of etcd, from which committed writes come. etcd.Server implements it.
type Commits interface {
	// Committed are the writes that the member has applied.
	Committed() []etcd.Commit
	// Applied is the index in the raft log up to which it has applied all.
	Applied() uint64
}

// Truth replays the committed writes of a run. It replays each of them once, when
// it is first asked for something behind it: a run in which nothing asks costs
// nothing.
type Truth struct {
	// leader is right about what a write did. A follower may have applied entries that the
	// leader has still to apply: they are committed, and clients of the follower see them. It
	// is nil if there is none.
	leader, follower Commits
	initial          model.Initial
	log              *model.Log
	// replayed is how many commits of the leader are in the log. ahead are those behind them,
	// which the follower alone has applied.
	replayed int
	ahead    []etcd.Commit
	// planned are the requests of programs that are the same in all runs: putting each
	// into the words of the log again takes longer than finding it.
	planned map[sim.Payload]*model.Request
	// want is the buffer of Compare.
	want []*model.Item
}

// Plan says that clients make a request in each run. It is kept by Reset.
func (t *Truth) Plan(p sim.Payload, r *model.Request) {
	if t.planned == nil {
		t.planned = map[sim.Payload]*model.Request{}
	}
	t.planned[p] = r
}

// Reset begins a run with these contents. Without a follower it is nil.
func (t *Truth) Reset(leader, follower Commits, initial model.Initial) {
	before := *t
	*t = Truth{leader: leader, follower: follower, initial: initial, planned: before.planned, ahead: before.ahead[:0], want: before.want[:0]}
	if before.log != nil && same(&before.initial, &initial) {
		t.log = before.log
		t.log.Restart()
	}
}

// same: the contents are in the same memory, which nothing changes.
func same(a, b *model.Initial) bool {
	return a.Revision == b.Revision && a.Compacted == b.Compacted && len(a.Items) == len(b.Items) &&
		(len(a.Items) == 0 || &a.Items[0] == &b.Items[0])
}

// Log is the log up to the last committed write. The caller must not change it.
func (t *Truth) Log() *model.Log {
	if t.log == nil {
		t.log = model.NewLog(t.initial)
	}
	all := t.leader.Committed()
	t.confirm(all)
	for ; t.replayed < len(all); t.replayed++ {
		t.log.Append(t.request(all[t.replayed].Request))
	}
	if t.follower != nil {
		t.goAhead(t.follower.Committed())
	}
	return t.log
}

// Committed are the committed writes, in the order of the raft log: those of the leader, and behind
// them those that only the follower has applied.
func (t *Truth) Committed() iter.Seq[etcd.Commit] {
	t.Log()
	return func(yield func(etcd.Commit) bool) {
		for _, writes := range [2][]etcd.Commit{t.leader.Committed(), t.ahead} {
			for _, c := range writes {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// confirm takes what the leader has applied by now out of the writes that only the follower had
// applied. If the leader did something else, the log begins anew.
func (t *Truth) confirm(all []etcd.Commit) {
	for len(t.ahead) > 0 && t.ahead[0].Index <= t.leader.Applied() {
		if t.replayed == len(all) || all[t.replayed].Index != t.ahead[0].Index {
			t.log.Restart()
			t.replayed, t.ahead = 0, t.ahead[:0]
			return
		}
		t.replayed, t.ahead = t.replayed+1, t.ahead[1:]
	}
}

// goAhead replays what the follower has applied and the leader has not.
func (t *Truth) goAhead(all []etcd.Commit) {
	known := t.leader.Applied()
	if n := len(t.ahead); n > 0 {
		known = t.ahead[n-1].Index
	}
	first, _ := slices.BinarySearchFunc(all, known+1, func(c etcd.Commit, index uint64) int { return cmp.Compare(c.Index, index) })
	for _, c := range all[first:] {
		t.log.Append(t.request(c.Request))
		t.ahead = append(t.ahead, c)
	}
}

func (t *Truth) request(p sim.Payload) *model.Request {
	if r, planned := t.planned[p]; planned {
		return r
	}
	return workload.Request(p)
}

// At is the store at a revision, nil if it is not reached yet or is from before
// the run. The caller must not change it.
func (t *Truth) At(revision int64) *model.Store { return t.Log().At(revision) }

// Revision is that of the last committed write.
func (t *Truth) Revision() int64 { return t.Log().Revision() }
