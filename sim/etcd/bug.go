package etcd

import (
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/sim/release"
)

// Bug is a defect that releases of etcd had: one value of one option.
type Bug struct {
	Name string
	// Issue is where it was reported or fixed: "etcd-io/etcd#15220"; empty if it
	// was not.
	Issue         string
	Option, Value string
	Summary       string
}

var bugs = []Bug{
	{"issue-15220", "etcd-io/etcd#15220", "progress", "control-queue",
		"a requested progress notification overtakes events, and speaks for watchers that are not synced"},
	{"issue-15271", "etcd-io/etcd#15271", "notify-min-rev", "on-failure",
		"after a restore from a snapshot a synced watcher is sent old events again"},
	{"issue-17507", "etcd-io/etcd#17507", "progress", "deferred",
		"a progress request that met an unsynced watcher is not answered until an event comes"},
	{"issue-17529", "etcd-io/etcd#17529", "compacted-unsynced", "falls-through",
		"a watcher below the compacted revision whose channel is full becomes synced, with events missing"},
	{"issue-17780", "etcd-io/etcd#17780", "restore-revision", "from-keys",
		"after a crash during a compaction the revision goes back and is given out twice"},
	{"issue-18089", "etcd-io/etcd#18089", "compact-tombstone", "removed",
		"a watch from the compacted revision misses a deletion at that revision"},
	{"issue-19179", "etcd-io/etcd#19179", "restore-tombstone", "not-indexed",
		"a compaction that goes on after a restart removes a deletion at the compacted revision"},
	{"issue-20221", "etcd-io/etcd#20221", "progress", "dropped",
		"a watch from a future revision is sent progress before that revision exists"},
	{"issue-20221-events", "etcd-io/etcd#20221", "sync-min-rev", "set-to-next",
		"after a restore a watch from a future revision is sent events before that revision"},
	{"issue-20693", "etcd-io/etcd#20693", "negative-start", "accepted",
		"a watch from revision -1 makes all watchers that are synced with it miss their events"},
	{"created-overtakes-progress", "", "created", "past-channel",
		"Created of a new watch is sent before progress that was queued earlier, which is then taken for progress of that watch"},
}

// FixedIn are the first releases without the bug, one for each branch that ever had
// it; none if all releases have it.
func (b *Bug) FixedIn() release.Since { return FixedIn(b.Option, b.Value) }

// Bugs lists the bugs that the package knows, by number.
func Bugs() []Bug { return slices.Clone(bugs) }

// Apply puts the named bug in. It returns an error that lists the bugs if there
// is none of that name.
func (o *Options) Apply(bug string) error { return o.ApplyAll([]string{bug}) }

// ApplyAll puts several bugs in. It returns an error, and changes nothing, if
// there is none of that name or if two want different values of one
// option.
func (o *Options) ApplyAll(names []string) error {
	out := *o
	var applied []Bug
	for _, name := range names {
		i := slices.IndexFunc(bugs, func(k Bug) bool { return k.Name == name })
		if i < 0 {
			known := make([]string, len(bugs))
			for j := range bugs {
				known[j] = bugs[j].Name
			}
			return fmt.Errorf("etcd: no bug %q; there are %q", name, known)
		}
		for _, a := range applied {
			if a.Option == bugs[i].Option {
				return fmt.Errorf("etcd: bugs %q and %q both set %q", a.Name, name, a.Option)
			}
		}
		applied = append(applied, bugs[i])
		next, err := out.With(bugs[i].Option, bugs[i].Value)
		if err != nil {
			return err
		}
		out = next
	}
	*o = out
	return nil
}
