package cache

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
)

func TestTimeBudget(t *testing.T) {
	var b timeBudget
	at := func(d time.Duration) sim.Time { return sim.Time(d) }
	require.Equal(t, 50*time.Millisecond, b.takeAvailable(at(time.Second)))
	require.Equal(t, 100*time.Millisecond, b.takeAvailable(at(10*time.Second)), "100 ms at most")
	b.returnUnused(70 * time.Millisecond)
	require.Equal(t, 95*time.Millisecond, b.takeAvailable(at(10500*time.Millisecond)))
	require.Zero(t, b.takeAvailable(at(10500*time.Millisecond)), "what was taken is gone")
	b.returnUnused(70 * time.Millisecond)
	b.returnUnused(70 * time.Millisecond)
	b.returnUnused(-time.Second)
	require.Equal(t, 100*time.Millisecond, b.takeAvailable(at(10500*time.Millisecond)))
}

// Lists that are changed in place are not shared with clones, and a clone's
// watchers are its own.
func TestCloneOwnsItsLists(t *testing.T) {
	c := New(Config{Prefix: "/p/"})
	var watchers []*cacheWatcher
	for range 3 {
		w := c.dispatcher.newWatcher()
		w.state = watcherStreaming
		watchers = append(watchers, w)
	}
	numbers := func(list []*cacheWatcher) (all []int) {
		for _, w := range list {
			all = append(all, w.number)
		}
		return all
	}
	for _, list := range []func(*Cache) *[]*cacheWatcher{
		func(c *Cache) *[]*cacheWatcher { return &c.dispatcher.blocked },
		func(c *Cache) *[]*cacheWatcher { return &c.dispatcher.toStop },
	} {
		*list(c) = append(make([]*cacheWatcher, 0, 4), watchers[1])
		d := c.Clone().(*Cache)
		require.Equal(t, []int{1}, numbers(*list(d)))
		require.Same(t, d.dispatcher.watchers[1], (*list(d))[0], "a watcher of the clone")
		require.Same(t, &d.dispatcher, (*list(d))[0].dispatcher)
		*list(c) = append(*list(c), watchers[2])
		*list(d) = append(*list(d), d.dispatcher.watchers[0])
		(*list(d))[0] = d.dispatcher.watchers[0]
		require.Equal(t, []int{1, 2}, numbers(*list(c)))
	}
}
