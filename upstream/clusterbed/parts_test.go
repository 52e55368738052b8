package clusterbed

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/sim"
)

// TestPartsAreLeftOut: a run does without each part that is left out, and has the others.
func TestPartsAreLeftOut(t *testing.T) {
	c := Default("cluster@v3.6.16")
	c.Clients, c.Operations, c.Observe, c.Choice.Goroutines = 2, 3, time.Second, true
	c.Faults = Faults{Kills: 1, Partitions: 1, Defragments: 2, All: true}
	subjects, err := c.Subjects()
	require.NoError(t, err)
	s := subjects().(*subject)
	r := explore.NewRunner(s, Steps)
	run := func(out ...string) (befell map[string]int) {
		s.LeaveOut(out)
		by := strategy.Random().For(r)
		by.Begin(3)
		befell = map[string]int{}
		r.Observe(observed(func(w *sim.World, e *sim.Event) {
			switch {
			case e.Kind == sim.Acted && e.Action.Kind == sim.Inject:
				befell["faults"]++
			case e.Kind == sim.Chosen && len(e.Text) > 4 && e.Text[:4] == "pass":
				befell["picks"]++
			case e.Kind == sim.Sent:
				befell[w.NodeName(e.Message.From)]++
			}
		}))
		r.Run(by)
		return befell
	}
	var all []string
	for _, k := range s.Parts() {
		all = append(all, k.Parts...)
	}
	require.Subset(t, all, []string{"operation 3 of client-2", "watcher-2", partObserver, "a kill of member-3", "a partition of member-1", "defragmentation 2", partNetwork, partGoroutines})
	whole := run()
	for _, of := range []string{"faults", "client-1", "client-2", "watcher-1", "watcher-2", "observer", "operator"} {
		require.NotZero(t, whole[of], of)
	}
	none := run(all...)
	for _, of := range []string{"faults", "client-1", "client-2", "watcher-1", "watcher-2", "observer", "operator"} {
		require.Zero(t, none[of], of)
	}
	require.Empty(t, s.Parts())
	some := run("operation 1 of client-1", "operation 2 of client-1", "operation 3 of client-1", "watcher-2", "defragmentation 1")
	require.Equal(t, 0, some["client-1"])
	require.Equal(t, 3, some["client-2"])
	require.Equal(t, 0, some["watcher-2"])
	require.Equal(t, 1, some["operator"])

	c.Without = []string{"a kill of member-4"}
	_, err = c.Subjects()
	require.EqualError(t, err, `"a kill of member-4" is left out, and there is no such part`)
}

// observed is an observer.
type observed func(*sim.World, *sim.Event)

// Observe implements sim.Observer.
func (o observed) Observe(w *sim.World, e *sim.Event) { o(w, e) }

// TestFamiliesAreCounted: each family of faults that strikes is counted.
func TestFamiliesAreCounted(t *testing.T) {
	for _, faults := range []Faults{
		{Kills: 1, Pauses: 1, Partitions: 1, OneWays: 1, Breaks: 1, Moves: 1, Defragments: 1, ClockJumps: 1, ClockJump: time.Second, Flips: 1, StreamCuts: 1, Outages: 1, Updates: 1, Starvations: 1, All: true},
		{ForceNewClusters: 1, All: true},
		{Backups: 1, All: true},
	} {
		c := Default("cluster@v3.6.16")
		c.Faults = faults
		subjects, err := c.Subjects()
		require.NoError(t, err)
		r := explore.NewRunner(subjects(), Steps)
		by := strategy.Random().For(r)
		by.Begin(1)
		r.Run(by)
		for i := range kinds {
			require.Equal(t, kinds[i].times(&c.Faults) > 0, r.World().Count(covers[i]) > 0, kinds[i].name)
		}
	}
}
