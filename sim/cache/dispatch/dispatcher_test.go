package dispatch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
)

func TestTimeBudget(t *testing.T) {
	b := timeBudget{bound: BudgetBounds.Of(0)}
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
	var d Dispatcher
	d.Reset(Config{Numbers: Numbers{Watcher: func(n int) (sim.Task, sim.Timer) { return sim.Task(n), sim.Timer(n) }}})
	watchers := make([]*Watcher, 3)
	for i := range watchers {
		watchers[i] = &Watcher{dispatcher: &d, number: i, state: watcherStreaming}
	}
	d.watchers, d.conns = watchers, make([]sim.Conn, 3)
	numbers := func(list []*Watcher) (all []int) {
		for _, w := range list {
			all = append(all, w.number)
		}
		return all
	}
	for _, list := range []func(*Dispatcher) *[]*Watcher{
		func(d *Dispatcher) *[]*Watcher { return &d.blocked },
		func(d *Dispatcher) *[]*Watcher { return &d.toStop },
	} {
		*list(&d) = append(make([]*Watcher, 0, 4), watchers[1])
		var e Dispatcher
		var s store.Store
		d.CloneTo(&e, &s, nil)
		require.Equal(t, []int{1}, numbers(*list(&e)))
		require.Same(t, e.watchers[1], (*list(&e))[0], "a watcher of the clone")
		require.Same(t, &e, e.watchers[1].dispatcher)
		require.Same(t, &s, e.cfg.Store)
		*list(&d) = append(*list(&d), watchers[2])
		*list(&e) = append(*list(&e), e.watchers[0])
		(*list(&e))[0] = e.watchers[0]
		require.Equal(t, []int{1, 2}, numbers(*list(&d)))
	}
}

// The zero value of the options is what is shipped.
func TestZeroOptionsAreShipped(t *testing.T) {
	var o Options
	shipped := map[string]string{
		"initial-events-end": "interval", "watch-delegation": "none", "initial-events-buffer": "as-shipped",
		"empty-history": "refuses-older", "registration": "rechecked", "teardown": "ends-watches", "watch-list-detection": "off",
		"watch-trigger":     "both",
		"watch-established": "registered",
		"dispatch-budget":   "capped",
	}
	for _, s := range Group.Expand(&o) {
		require.Equal(t, shipped[s.Name], s.Value, s.Name)
	}
	require.Len(t, Group, len(shipped))
}
