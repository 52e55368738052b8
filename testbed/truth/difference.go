package truth

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"
)

// Contents calls its argument with every object of a store, in the order of their
// keys, until that returns false.
type Contents func(func(*wire.KeyValue) bool)

// Difference is the first object in which a store is not what etcd had at that
// revision.
type Difference struct {
	// Node is the name of the node whose store it is.
	Node string
	// Revision is the one that the node says it is at.
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

// LabelsAs gives each label of a difference, and more of a property, the same words.
func LabelsAs(words string, more ...string) map[string]string {
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

// Concerns implements explore.Concerned.
func (d *Difference) Concerns() explore.Concern {
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
func (t *Truth) Compare(node string, revision int64, prefix string, contents Contents) *Difference {
	return t.CompareSelected(node, revision, &model.WatchRequest{Key: prefix, End: model.PrefixEnd(prefix)}, contents)
}

// CompareSelected is Compare with the items that a watch selects.
func (t *Truth) CompareSelected(node string, revision int64, r *model.WatchRequest, contents Contents) *Difference {
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
