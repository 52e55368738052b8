package truth

import (
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/workload"
)

// Commits is where committed writes come from. etcd.Server implements it.
type Commits interface {
	Committed() []etcd.Commit
}

// Truth replays the committed writes of a run. It replays each of them once, when
// it is first asked for something behind it: a run in which nothing asks costs
// nothing.
type Truth struct {
	commits Commits
	initial model.Initial
	log     *model.Log
	// replayed is how many commits are in the log.
	replayed int
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

// Reset begins a run with these contents.
func (t *Truth) Reset(commits Commits, initial model.Initial) {
	before := *t
	*t = Truth{commits: commits, initial: initial, planned: before.planned, want: before.want[:0]}
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
	for all := t.commits.Committed(); t.replayed < len(all); t.replayed++ {
		t.log.Append(t.request(all[t.replayed].Request))
	}
	return t.log
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
