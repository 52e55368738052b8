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

// Lists that are changed in place are not shared with clones.
func TestCloneOwnsItsLists(t *testing.T) {
	c := New(Config{Prefix: "/p/"})
	for _, list := range []func(*Cache) *[]int{
		func(c *Cache) *[]int { return &c.dispatcher.blocked },
		func(c *Cache) *[]int { return &c.dispatcher.toStop },
	} {
		*list(c) = append(make([]int, 0, 4), 1)
		d := c.Clone().(*Cache)
		*list(c) = append(*list(c), 2)
		*list(d) = append(*list(d), 3)
		(*list(d))[0] = 0
		require.Equal(t, []int{1, 2}, *list(c))
	}
}
