package cache_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/watchbed/watchbed/sim/cache/check"
	"github.com/watchbed/watchbed/sim/wire"
)

// A check fails while the next event is amid its way: as shipped, the snapshot of
// that event outlives the others. When the next check has succeeded it is taken
// for the newest state, which it is not.
func TestCheckThatFailsAmidAnEvent(t *testing.T) {
	for unlocked, want := range map[bool]string{false: "a=3", true: "a=2"} {
		b, third := failsAmidAnEvent(t, unlocked)
		// c is gone meanwhile, and all is well again.
		b.check(third.Item)
		assert.Equal(t, []check.Outcome{check.Inconsistent, check.Consistent}, b.outcomes())
		assert.Equal(t, want, b.newest())
		list := b.consistent(7)
		assert.EqualValues(t, 7, list.ResourceVersion)
		assert.Equal(t, want, objects(list.Items))

		b.send(modified(third.Item, "4", 8))
		b.settle()
		assert.Equal(t, "a=4", b.newest(), "until the next event")
	}
}

// failsAmidAnEvent is a cache at 7, in which a check has failed amid the event of 6, and the event of 7.
func failsAmidAnEvent(t *testing.T, unlocked bool) (*bed, *wire.WatchEvent) {
	t.Helper()
	cfg := checkerConfig(check.ConsistencyCheckerFallback)
	cfg.Checks.UnlockedMark = unlocked
	b := newBed(t, cfg)
	b.choices["an event is amid its way"] = 1
	a := kv("a", "1", 5)
	b.listed(5, a)
	// The cache has missed that c was there at 5.
	b.check(a, kv("c", "1", 4))
	second := modified(a, "2", 6)
	b.send(second)
	b.settle()
	assert.Equal(t, fromEtcd, b.exact(6), "snapshots are off by now")
	third := modified(second.Item, "3", 7)
	b.send(third)
	b.settle()
	return b, third
}

// TestCompactionDropsWhatOutlivedACheck: a compaction above that snapshot drops it, and the next check that succeeds leaves none to be
// taken for the newest state.
func TestCompactionDropsWhatOutlivedACheck(t *testing.T) {
	b, third := failsAmidAnEvent(t, true)
	b.notice(7)
	b.check(third.Item)
	assert.Equal(t, "a=3", b.newest())
}

// consistent is the answer to a consistent list while etcd is at a revision.
func (b *bed) consistent(revision int64) *wire.ListResponse {
	b.t.Helper()
	b.ask(consistentList())
	b.settle()
	b.answer(&wire.RangeResponse{Revision: revision})
	list, _ := take[*wire.ListResponse](b, b.down)
	return list
}
