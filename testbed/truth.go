package testbed

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"
)

// TruthCommits is a member of etcd, from which committed writes come. etcd.Server implements it.
type TruthCommits interface {
	// Committed are the writes that the member has applied.
	Committed() []etcd.Commit
	// Applied is the index in the raft log up to which it has applied all.
	Applied() uint64
}

// EtcdState is what properties ask a member of etcd beside what clients are answered. etcd.Server implements it, and
// what follows the members of a cluster that is a program.
type EtcdState interface {
	TruthCommits
	// Revision is that of the last write that was applied, VisibleRevision what serializable reads show of it,
	// CompactRevision that of the last compaction, 0 if there was none.
	Revision() int64
	VisibleRevision() int64
	CompactRevision() int64
	// Waits reports whether a write is committed and not applied.
	Waits() bool
	// Failed are the requests that were answered with an error of the server.
	Failed() []sim.Payload
}

// Truth is ground truth of a run: the writes that etcd committed, replayed by the model. It replays each of them once,
// when it is first asked for something behind it: a run in which nothing asks costs nothing. Nothing here reads the
// simulated server's own store, or a mistake of that store would hide in both.
type Truth struct {
	// leader is right about what a write did. A follower may have applied entries that the
	// leader has still to apply: they are committed, and clients of the follower see them. It
	// is nil if there is none.
	leader, follower TruthCommits
	initial          model.Initial
	log              *model.Log
	// replayed is how many commits of the leader are in the log. ahead are those behind them,
	// which the follower alone has applied.
	replayed int
	ahead    []etcd.Commit
	// restored is the backup that etcd was restored from last, nil if it was not: the log begins with it.
	restored *etcd.Restored
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
func (t *Truth) Reset(leader, follower TruthCommits, initial model.Initial) {
	before := *t
	*t = Truth{leader: leader, follower: follower, initial: initial, planned: before.planned, ahead: before.ahead[:0], want: before.want[:0]}
	if before.log != nil && before.restored == nil && sharesMemory(&before.initial, &initial) {
		t.log = before.log
		t.log.Restart()
	}
}

// sharesMemory: the contents are in the same memory, which nothing changes.
func sharesMemory(a, b *model.Initial) bool {
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
		if r, ok := all[t.replayed].Request.(*etcd.Restored); ok {
			t.restore(r)
			continue
		}
		t.log.Append(t.request(all[t.replayed].Request))
	}
	if t.follower != nil {
		t.goAhead(t.follower.Committed())
	}
	return t.log
}

// restore begins the log anew with a backup of what it has.
func (t *Truth) restore(r *etcd.Restored) {
	contents := model.Initial{Revision: r.Revision}
	t.log.At(r.From).Ascend("", "\x00", func(it *model.Item) bool {
		contents.Items = append(contents.Items, it)
		return true
	})
	if r.Compacted {
		contents.Compacted = r.Revision
	}
	t.restored, t.initial, t.log = r, contents, model.NewLog(contents)
}

// Committed are the committed writes, in the order of the raft log: the writes that the leader has
// applied, and behind them the writes that only the follower has applied.
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

// goAhead replays the writes that the follower has applied and the leader has not.
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

// TruthContents calls its argument with every object of a store, in the order of their
// keys, until that returns false.
type TruthContents func(func(*wire.KeyValue) bool)

// Difference is the first object in which a store is not what etcd had at that
// revision.
type Difference struct {
	// Node is the name of the node whose store it is.
	Node string
	// Revision is the revision that the node reports.
	Revision int64
	Key      string
	// Got is what the node holds, Want what etcd had; nil is nothing.
	Got, Want *model.Item
	// Deleted is the revision at which etcd deleted what the node still holds; 0 if
	// etcd never had it, or not yet.
	Deleted int64
}

func (d *Difference) String() string {
	switch {
	case d.Got == nil:
		return fmt.Sprintf("%s says it is at RV %d and lacks %s=%s of revision %d", d.Node, d.Revision, d.Key, d.Want.Value, d.Want.ModRevision)
	case d.Deleted > 0:
		return fmt.Sprintf("%s says it is at RV %d and holds %s=%s, which etcd deleted at revision %d", d.Node, d.Revision, d.Key, d.Got.Value, d.Deleted)
	case d.Want == nil:
		return fmt.Sprintf("%s says it is at RV %d and holds %s=%s of revision %d, which etcd does not have at RV %d", d.Node, d.Revision, d.Key, d.Got.Value, d.Got.ModRevision, d.Revision)
	}
	return fmt.Sprintf("%s says it is at RV %d and holds %s of revision %d in place of revision %d", d.Node, d.Revision, d.Key, d.Got.ModRevision, d.Want.ModRevision)
}

// The labels of differences.
const (
	missingItem = "missing-item"
	ghostItem   = "ghost"
	staleItem   = "stale-item"
)

// DifferenceLabels gives each label of a difference, and more of a property, the same words.
func DifferenceLabels(words string, more ...string) map[string]string {
	all := map[string]string{missingItem: words, ghostItem: words, staleItem: words}
	for _, label := range more {
		all[label] = words
	}
	return all
}

// Label is the cause in a word.
func (d *Difference) Label() string {
	switch {
	case d.Got == nil:
		return missingItem
	case d.Want == nil:
		return ghostItem
	}
	return staleItem
}

func (d *Difference) Concern() explore.Concern {
	c := explore.Concern{Node: d.Node, Key: d.Key, Revision: d.Deleted}
	switch {
	case d.Want != nil:
		c.Revision = d.Want.ModRevision
	case d.Deleted == 0:
		c.Revision = d.Got.ModRevision
	}
	return c
}

// Compare walks a node's store and that of etcd at the same revision, as far as
// the prefix goes. It returns nil if they are equal, or if etcd is not there yet.
func (t *Truth) Compare(node string, revision int64, prefix string, contents TruthContents) *Difference {
	return t.CompareSelected(node, revision, &model.WatchRequest{Key: prefix, End: model.PrefixEnd(prefix)}, contents)
}

// CompareSelected is Compare with the items that a watch selects.
func (t *Truth) CompareSelected(node string, revision int64, r *model.WatchRequest, contents TruthContents) *Difference {
	store := t.At(revision)
	if store == nil {
		return nil
	}
	want := t.want[:0]
	store.Ascend(r.Key, r.End, func(it *model.Item) bool {
		if r.Selected(it) != nil {
			want = append(want, it)
		}
		return true
	})
	t.want = want
	var found *Difference
	differ := func(got, want *model.Item) {
		found = &Difference{Node: node, Revision: revision, Got: got, Want: want}
		if want != nil {
			found.Key = want.Key
		} else {
			found.Key = got.Key
			if got.ModRevision <= revision {
				found.Deleted = t.deleted(got.Key, revision)
			}
		}
	}
	contents(func(kv *wire.KeyValue) bool {
		switch {
		case len(want) == 0 || kv.Key < want[0].Key:
			it := workload.Item(kv)
			differ(&it, nil)
		case kv.Key > want[0].Key:
			differ(nil, want[0])
		case kv.ModRevision != want[0].ModRevision || kv.Value != want[0].Value:
			it := workload.Item(kv)
			differ(&it, want[0])
		default:
			want = want[1:]
			return true
		}
		return false
	})
	if found == nil && len(want) > 0 {
		differ(nil, want[0])
	}
	return found
}

// deleted is the revision of the last deletion of a key that is not there at a
// revision; 0 is none.
func (t *Truth) deleted(key string, revision int64) int64 {
	for rev := revision; ; rev-- {
		before := t.At(rev - 1)
		if before == nil {
			return 0
		}
		if before.Get(key) != nil {
			return rev
		}
	}
}
