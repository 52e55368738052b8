package testbed_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// commits is a member of etcd that has applied these writes.
type commits []etcd.Commit

func (c *commits) Committed() []etcd.Commit { return *c }

func (c *commits) Applied() uint64 { return uint64(len(*c)) }

func (c *commits) put(key, value string) {
	*c = append(*c, etcd.Commit{Index: c.Applied() + 1, Request: &wire.PutRequest{Key: key, Value: value}})
}

func (c *commits) remove(key string) {
	*c = append(*c, etcd.Commit{Index: c.Applied() + 1, Request: &wire.DeleteRangeRequest{Key: key}})
}

func contents(list ...*wire.KeyValue) testbed.TruthContents {
	return func(f func(*wire.KeyValue) bool) {
		for _, kv := range list {
			if !f(kv) {
				return
			}
		}
	}
}

// at4 returns ground truth with /a=1 at revision 2, /b=2 at 3 and /a=3 at 4.
func at4(t *testing.T) (*testbed.Truth, *commits) {
	t.Helper()
	var c commits
	var tr testbed.Truth
	tr.Reset(&c, nil, model.Initial{Revision: 1})
	require.EqualValues(t, 1, tr.Revision())
	c.put("/a", "1")
	c.put("/b", "2")
	require.EqualValues(t, 3, tr.Revision(), "it follows what is committed")
	c.put("/a", "3")
	return &tr, &c
}

func TestTruthFollowsWhatIsCommitted(t *testing.T) {
	tr, c := at4(t)
	assert.EqualValues(t, 4, tr.Revision())
	assert.NotNil(t, tr.At(4))
	assert.Nil(t, tr.At(5), "not there yet")
	*c = nil
	tr.Reset(c, nil, model.Initial{Revision: 1})
	assert.EqualValues(t, 1, tr.Revision(), "a run begins anew")
}

// The follower of a lagging leader serves what is committed.
func TestTruthIsAheadWithAFollower(t *testing.T) {
	var leader, follower commits
	var tr testbed.Truth
	tr.Reset(&leader, &follower, model.Initial{Revision: 1})
	for _, c := range []*commits{&leader, &follower} {
		c.put("/a", "1")
	}
	follower.put("/a", "2")
	follower.put("/b", "3")
	require.EqualValues(t, 4, tr.Revision())
	leader.put("/a", "2")
	require.EqualValues(t, 4, tr.Revision(), "the leader has applied one of the two")
	leader.put("/b", "3")
	leader.put("/c", "4")
	require.EqualValues(t, 5, tr.Revision(), "the follower is behind")
	assert.NotNil(t, tr.At(5).Get("/c"))
	follower.put("/c", "4")
	require.EqualValues(t, 5, tr.Revision())
}

// What the leader did with an entry counts.
func TestTruthTakesBackWhatTheLeaderDidNotDo(t *testing.T) {
	var leader, follower commits
	var tr testbed.Truth
	refusing := refusal{commits: &leader}
	tr.Reset(&refusing, &follower, model.Initial{Revision: 1})
	follower.put("/a", "only on the follower")
	require.EqualValues(t, 2, tr.Revision())
	refusing.refused = 1
	require.EqualValues(t, 1, tr.Revision(), "the leader has refused it")
	assert.Nil(t, tr.At(2))
}

// refusal is a leader that has refused the last entries.
type refusal struct {
	*commits
	refused uint64
}

func (r *refusal) Applied() uint64 { return r.commits.Applied() + r.refused }

func TestCompareNamesTheFirstDifference(t *testing.T) {
	tr, c := at4(t)
	c.remove("/a")
	a2, b3, a4 := &wire.KeyValue{Key: "/a", Value: "1", ModRevision: 2}, &wire.KeyValue{Key: "/b", Value: "2", ModRevision: 3}, &wire.KeyValue{Key: "/a", Value: "3", ModRevision: 4}
	for _, c := range []struct {
		name     string
		revision int64
		holds    testbed.TruthContents
		label    string
		concern  explore.Concern
	}{
		{"equal", 3, contents(a2, b3), "", explore.Concern{}},
		{"equal later", 4, contents(a4, b3), "", explore.Concern{}},
		{"not there yet", 9, contents(), "", explore.Concern{}},
		{"lacks the last", 3, contents(a2), "missing-item", explore.Concern{Node: "cache", Key: "/b", Revision: 3}},
		{"lacks the first", 3, contents(b3), "missing-item", explore.Concern{Node: "cache", Key: "/a", Revision: 2}},
		{"holds what is not there", 2, contents(a2, b3), "ghost", explore.Concern{Node: "cache", Key: "/b", Revision: 3}},
		{"holds what was deleted", 5, contents(a4, b3), "ghost", explore.Concern{Node: "cache", Key: "/a", Revision: 5}},
		{"holds what was before", 4, contents(a2, b3), "stale-item", explore.Concern{Node: "cache", Key: "/a", Revision: 4}},
		{"other contents", 2, contents(&wire.KeyValue{Key: "/a", Value: "x", ModRevision: 2}), "stale-item", explore.Concern{Node: "cache", Key: "/a", Revision: 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := tr.Compare("cache", c.revision, "/", c.holds)
			if c.label == "" {
				require.Nil(t, d)
				return
			}
			require.NotNil(t, d)
			assert.Equal(t, c.label, d.Label())
			assert.Equal(t, c.concern, d.Concern())
			assert.Contains(t, d.String(), "cache says it is at RV ")
		})
	}
}
