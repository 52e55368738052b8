package cache_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/check"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

// snapshotConfig is a cache with snapshots whose compactor is the puppet above
// it.
func snapshotConfig(change func(*cache.Options)) cache.Config {
	o := cache.Options{Store: store.Options{Snapshotting: store.SnapshotsOn}}
	if change != nil {
		change(&o)
	}
	cfg := config(o)
	cfg.Compactor = upID
	return cfg
}

// fromEtcd is what exact returns for a list that etcd was asked for.
const fromEtcd = "asks etcd"

// exact is what a list at exactly a resourceVersion is answered: the objects, or
// that etcd was asked.
func (b *bed) exact(rv int64) string {
	b.t.Helper()
	asked := count[*wire.RangeRequest](b.up)
	b.ask(&wire.ListRequest{Prefix: prefix, ResourceVersion: rv, Match: wire.MatchExact})
	b.settle()
	if count[*wire.RangeRequest](b.up) > asked {
		req, _ := take[*wire.RangeRequest](b, b.up)
		require.Equal(b.t, rv, req.Revision)
		return fromEtcd
	}
	list, _ := take[*wire.ListResponse](b, b.down)
	require.Equal(b.t, rv, list.ResourceVersion)
	require.Equal(b.t, wire.FromCache, list.Origin)
	return objects(list.Items)
}

func objects(items []*wire.KeyValue) string {
	var all []string
	for _, kv := range items {
		all = append(all, strings.TrimPrefix(kv.Key, prefix)+"="+kv.Value)
	}
	return strings.Join(all, " ")
}

// pastBed is a cache that has listed a=1 at 5 and then seen a=2 at 6, b=1 at 8
// and the end of a at 9.
func pastBed(t *testing.T, cfg cache.Config) *bed {
	b := newBed(t, cfg)
	a := kv("a", "1", 5)
	b.listed(5, a)
	change := modified(a, "2", 6)
	b.send(change, added("b", "1", 8), deleted(change.Item, 9))
	b.settle()
	return b
}

func TestSnapshots(t *testing.T) {
	b := pastBed(t, snapshotConfig(nil))
	for rv, want := range map[int64]string{
		4: fromEtcd,
		5: "a=1",
		6: "a=2",
		// Between two events the earlier one holds.
		7: "a=2",
		8: "a=2 b=1",
		9: "b=1",
	} {
		assert.Equal(t, want, b.exact(rv), "at %d", rv)
	}
	// Progress makes versions known, and no snapshots.
	b.send(bookmark(12))
	b.settle()
	assert.Equal(t, "b=1", b.exact(11))
	assert.Equal(t, 4, b.covered("snapshot taken"), "one for the list, one for each event")
}

// TestLostSnapshot: the state before a change stands for the state after it, up to the next
// change. The newest state is right.
func TestLostSnapshot(t *testing.T) {
	b := &bed{t: t, up: &puppet{manual: true}, down: &puppet{manual: true}, choices: map[string]int{}, cache: cache.New(snapshotConfig(nil))}
	b.w = sim.NewWorld(sim.Options{})
	b.w.Add("up", b.up)
	b.w.Add("cache", b.cache)
	b.w.Add("down", b.down)
	b.w.AddFault(&cache.LoseSnapshot{Node: cacheID, Label: "cache"}, sim.Budget{Times: 1})
	b.w.Start(b)
	b.do("inject lose next snapshot of cache")
	a := kv("a", "1", 5)
	b.listed(5, a)
	second := modified(a, "2", 6)
	b.send(second, modified(second.Item, "3", 8))
	b.settle()
	for rv, want := range map[int64]string{5: "a=1", 6: "a=1", 7: "a=1", 8: "a=3"} {
		assert.Equal(t, want, b.exact(rv), "at %d", rv)
	}
	var past []string
	b.cache.AscendSnapshots(func(until int64, ascend func(func(*wire.KeyValue) bool)) {
		ascend(func(kv *wire.KeyValue) bool {
			past = append(past, fmt.Sprintf("%s until %d", kv.Value, until))
			return true
		})
	})
	assert.Equal(t, []string{"1 until 7", "3 until 8"}, past)
}

func TestWithoutSnapshotsEtcdServesExactReads(t *testing.T) {
	b := pastBed(t, config(cache.Options{}))
	assert.Equal(t, fromEtcd, b.exact(8))
	assert.Zero(t, b.covered("snapshot taken"))
}

// A full history is enough: the snapshot of the list goes with the event that
// fills it, although no event was evicted yet.
func TestSnapshotsGoWithTheirEvents(t *testing.T) {
	cfg := snapshotConfig(nil)
	cfg.RingCapacity = 2
	b := newBed(t, cfg)
	a := kv("a", "1", 5)
	b.listed(5, a)
	second := modified(a, "2", 6)
	b.send(second)
	b.settle()
	assert.Equal(t, "a=1", b.exact(5))
	third := modified(second.Item, "3", 8)
	b.send(third)
	b.settle()
	assert.Equal(t, fromEtcd, b.exact(5))
	assert.Equal(t, "a=2", b.exact(6))
	b.send(modified(third.Item, "4", 9))
	b.settle()
	assert.Equal(t, fromEtcd, b.exact(7))
	assert.Equal(t, "a=3", b.exact(8))
	assert.Equal(t, "a=4", b.exact(9))
}

func TestReplaceForgetsThePast(t *testing.T) {
	b := pastBed(t, snapshotConfig(nil))
	b.act(b.up, func(env *sim.Env) {
		env.Send(b.feed, &wire.WatchEvent{Type: wire.Failed, Err: &wire.Error{Code: wire.ErrCompacted}})
	})
	b.settle()
	b.do("fire cache list and watch again")
	b.settle()
	b.answer(&wire.RangeResponse{Revision: 20, Kvs: []*wire.KeyValue{kv("b", "1", 8)}})
	assert.Equal(t, fromEtcd, b.exact(9))
	assert.Equal(t, fromEtcd, b.exact(19))
	assert.Equal(t, "b=1", b.exact(20))
}

// notice lets the compactor answer what the cache asked it.
func (b *bed) notice(rev int64) *wire.CompactRevisionRequest {
	b.t.Helper()
	req, conn := take[*wire.CompactRevisionRequest](b, b.up)
	b.act(b.up, func(env *sim.Env) { env.Send(conn, &wire.CompactRevisionResponse{Revision: rev}) })
	b.settle()
	return req
}

// A compaction at 7 leaves the snapshots from 7 on: 8 and 9. What happened
// between 6 and 8 is etcd's, also at 7, where etcd still has it.
func TestCompactionDropsSnapshots(t *testing.T) {
	b := pastBed(t, snapshotConfig(nil))
	require.Equal(t, "a=2", b.exact(7))
	assert.EqualValues(t, 0, b.notice(7).Above)
	for rv, want := range map[int64]string{5: fromEtcd, 6: fromEtcd, 7: fromEtcd, 8: "a=2 b=1", 9: "b=1"} {
		assert.Equal(t, want, b.exact(rv), "at %d", rv)
	}
	// A snapshot at the compacted revision itself stays.
	assert.EqualValues(t, 7, b.notice(9).Above)
	assert.Equal(t, fromEtcd, b.exact(8))
	assert.Equal(t, "b=1", b.exact(9))
	assert.EqualValues(t, 9, b.cache.CompactRevision())
}

func TestCompactionPolled(t *testing.T) {
	b := pastBed(t, snapshotConfig(func(o *cache.Options) { o.Checks.CompactionNotice = check.CompactionPolled }))
	require.Zero(t, count[*wire.CompactRevisionRequest](b.up))
	b.do("fire cache compaction poll")
	b.settle()
	assert.EqualValues(t, -1, b.notice(0).Above)
	assert.Equal(t, "a=1", b.exact(5), "the compactor knew of none")
	b.do("fire cache compaction poll")
	b.settle()
	b.notice(8)
	assert.Equal(t, fromEtcd, b.exact(5))
	assert.False(t, b.can("compaction poll"), "untimed there is an end to it")
}

// A list and events from before a compaction that the cache knows of make no
// snapshots, or those of v0.37.2.
func TestLateSnapshots(t *testing.T) {
	for late, want := range map[bool]string{false: fromEtcd, true: "a=1"} {
		b := newBed(t, snapshotConfig(func(o *cache.Options) { o.Store.KeepsLateSnapshots = late }))
		b.settle()
		b.notice(10)
		a := kv("a", "1", 5)
		b.listed(5, a)
		assert.Equal(t, want, b.exact(5))
		b.send(modified(a, "2", 11))
		b.settle()
		assert.Equal(t, "a=2", b.exact(11))
		assert.Equal(t, want, b.exact(10))
	}
}

// Later pages come from the snapshot of the first one, whatever happened since.
func TestPagesFromOneSnapshot(t *testing.T) {
	b := newBed(t, snapshotConfig(nil))
	first, second, third := kv("a", "1", 3), kv("b", "1", 4), kv("c", "1", 5)
	b.listed(5, first, second, third)
	page := func(token string, rv int64) *wire.ListResponse {
		b.ask(&wire.ListRequest{Prefix: prefix, ResourceVersion: rv, Match: wire.MatchUnset, Limit: 1, Continue: token})
		b.settle()
		if count[*wire.RangeRequest](b.up) > 0 {
			b.answer(&wire.RangeResponse{Revision: 5})
		}
		list, _ := take[*wire.ListResponse](b, b.down)
		return list
	}
	one := page("", wire.Unset)
	assert.Equal(t, "a=1", objects(one.Items))
	b.send(modified(second, "2", 6), deleted(third, 7))
	b.settle()
	two := page(one.Continue, wire.Unset)
	assert.Equal(t, "b=1", objects(two.Items))
	three := page(two.Continue, wire.Unset)
	assert.Equal(t, "c=1", objects(three.Items))
	assert.Empty(t, three.Continue)
	for _, p := range []*wire.ListResponse{one, two, three} {
		assert.EqualValues(t, 5, p.ResourceVersion)
		assert.Equal(t, wire.FromCache, p.Origin)
	}
	assert.Equal(t, []int64{2, 1, 0}, []int64{one.RemainingItemCount, two.RemainingItemCount, three.RemainingItemCount})
}

// etcd counts from the key on where a page begins (storage.PrepareContinueToken).
func TestDelegatedPageSaysHowManyRemain(t *testing.T) {
	b := newBed(t, config(cache.Options{}))
	b.listed(5, kv("a", "1", 3))
	b.ask(&wire.ListRequest{Prefix: prefix, ResourceVersion: 4, Match: wire.MatchExact, Limit: 2})
	b.settle()
	b.answer(&wire.RangeResponse{Revision: 5, Kvs: []*wire.KeyValue{kv("a", "1", 3), kv("b", "1", 4)}, More: true, Count: 7})
	list, _ := take[*wire.ListResponse](b, b.down)
	assert.EqualValues(t, 5, list.RemainingItemCount)
}

// Clones share snapshots and nodes of the tree; what one does, and that it is
// used again for another run, must not reach the other.
func TestSnapshotsOfClonesAreTheirOwn(t *testing.T) {
	b := pastBed(t, snapshotConfig(nil))
	c := b.clone()
	b.send(added("x", "1", 10))
	b.settle()
	c.send(added("y", "1", 10))
	c.settle()
	assert.Equal(t, "b=1 x=1", b.exact(10))
	assert.Equal(t, "b=1 y=1", c.exact(10))

	b.cache.Reset(snapshotConfig(nil))
	used := &bed{t: t, up: &puppet{manual: true}, down: &puppet{manual: true}, choices: map[string]int{}, cache: b.cache}
	used.w = sim.NewWorld(sim.Options{})
	used.w.Add("up", used.up)
	used.w.Add("cache", used.cache)
	used.w.Add("down", used.down)
	used.w.Start(used)
	used.listed(3)
	for i := range int64(200) {
		used.send(added("n"+string(rune('A'+i%50)), "new", 4+i))
		used.settle()
	}
	for rv, want := range map[int64]string{5: "a=1", 7: "a=2", 8: "a=2 b=1", 9: "b=1", 10: "b=1 y=1"} {
		assert.Equal(t, want, c.exact(rv), "at %d", rv)
	}
}

func TestFingerprintIncludesSnapshots(t *testing.T) {
	fingerprint := func(b *bed) sim.Digest { return b.cache.Fingerprint(sim.NewDigest) }
	b := pastBed(t, snapshotConfig(nil))
	c := b.clone()
	require.Equal(t, fingerprint(b), fingerprint(c))
	c.notice(7)
	assert.NotEqual(t, fingerprint(b), fingerprint(c))
}
