package dispatch

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
)

// Lists that are changed in place are not shared with clones, and a clone's
// watchers are its own.
func TestCloneOwnsItsLists(t *testing.T) {
	var d Dispatcher
	d.Reset(Config{Numbers: Numbers{Watcher: func(n int) (sim.Task, sim.Timer) { return sim.Task(n), sim.Timer(n) }}})
	d.watchers.Reach(2, func(n int) Watcher { return Watcher{dispatcher: &d, number: n, turn: turn{state: watcherStreaming}} })
	d.conns = make([]sim.Conn, 3)
	for _, list := range []func(*Dispatcher) *[]int{
		func(d *Dispatcher) *[]int { return &d.blocked.Value().watchers },
		func(d *Dispatcher) *[]int { return &d.blocked.Value().toStop },
		func(d *Dispatcher) *[]int { return &d.passes.Value().candidates },
	} {
		*list(&d) = append(make([]int, 0, 4), 1)
		var e Dispatcher
		var s store.Store
		d.CloneTo(&e, Parts{Store: &s})
		require.Equal(t, []int{1}, *list(&e))
		require.Same(t, &e, e.watchers.At(1).dispatcher)
		require.Same(t, &s, e.cfg.Store)
		*list(&d) = append(*list(&d), 2)
		*list(&e) = append(*list(&e), 0)
		(*list(&e))[0] = 0
		require.Equal(t, []int{1, 2}, *list(&d))
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
		"watch-start":       "apart",
		"slow-watchers":     "ended",
		"hard-stop":         "kept",
	}
	for _, s := range Group.Expand(&o) {
		require.Equal(t, shipped[s.Name], s.Value, s.Name)
	}
	require.Len(t, Group, len(shipped))
}
