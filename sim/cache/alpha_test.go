package cache_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/check"
	"github.com/watchbed/watchbed/sim/wire"
)

// A check that passes drops the snapshots in v0.38.0-alpha.2 (snapshotter.SetEnabled): past states are etcd's from
// then on, the newest one stays, and the next event leaves a snapshot.
func TestCheckThatPassesDropsSnapshots(t *testing.T) {
	for drops, want := range map[bool]string{false: "b=1", true: fromEtcd} {
		cfg := checkerConfig(check.ConsistencyCheckerFallback)
		cfg.Checks.PassedCheckDrops = drops
		b := pastBed(t, cfg)
		b.check(atNine)
		assert.Equal(t, []check.Outcome{check.Consistent}, b.outcomes())
		assert.Equal(t, want, b.exact(9))
		assert.Equal(t, "b=1", b.newest())
		b.send(modified(atNine, "2", 10))
		b.settle()
		assert.Equal(t, "b=2", b.exact(10))
		assert.Equal(t, want, b.exact(9), "as before: the new snapshot stands for what comes after it")
	}
}

// Progress up to what the cache has wakes no read and is not handed to the dispatcher. A read that it would have
// woken looks again with the next change.
func TestEqualProgressIsSkipped(t *testing.T) {
	for how, notified := range map[cache.EqualProgress]int{cache.EqualProgressTaken: 2, cache.EqualProgressSkipped: 1} {
		cfg := snapshotConfig(nil)
		cfg.Ingestion.EqualProgress = how
		b := newBed(t, cfg)
		a := kv("a", "1", 5)
		b.listed(5, a)
		b.send(&wire.WatchEvent{Type: wire.Bookmark, ResourceVersion: 5}, &wire.WatchEvent{Type: wire.Bookmark, ResourceVersion: 6})
		b.settle()
		assert.EqualValues(t, 6, b.cache.ResourceVersion())
		assert.Equal(t, notified, b.covered("progress notification taken in"))
		b.send(modified(a, "2", 7))
		b.settle()
		assert.Equal(t, "a=2", b.newest())
	}
}
