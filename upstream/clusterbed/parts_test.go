package clusterbed

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
)

// TestPartsAreLeftOut: a run does without each part that is left out, and has the others.
func TestPartsAreLeftOut(t *testing.T) {
	c := Default("cluster@v3.6.16")
	c.Clients, c.Operations, c.Observe, c.Choice.Goroutines = 2, 3, time.Second, true
	c.Faults = Faults{Kills: 1, Partitions: 1, Defragments: 2, All: true}
	s := subjectOf(t, c)
	run := func(out ...string) (befell map[string]int) {
		s.LeaveOut(out)
		befell = map[string]int{}
		s.run(3, func(w *sim.World, e *sim.Event) {
			switch {
			case e.Kind == sim.Acted && e.Action.Kind == sim.Inject:
				befell["faults"]++
			case e.Kind == sim.Sent:
				befell[w.NodeName(e.Message.From)]++
			}
		})
		return befell
	}
	var all []string
	for _, k := range s.Parts() {
		all = append(all, k.Parts...)
	}
	require.Subset(t, all, []string{"operation 3 of client-2", "watcher-2", partObserver, "a kill of member-3", "a partition of member-1", "defragmentation 2", partNetwork, partGoroutines})
	whole, none := run(), run(all...)
	for _, of := range []string{"faults", "client-1", "client-2", "watcher-1", "watcher-2", "observer", "operator"} {
		require.NotZero(t, whole[of], of)
		require.Zero(t, none[of], of)
	}
	require.Empty(t, s.Parts())
	some := run("operation 1 of client-1", "operation 2 of client-1", "operation 3 of client-1", "watcher-2", "defragmentation 1")
	require.Equal(t, 0, some["client-1"])
	require.Equal(t, 3, some["client-2"])
	require.Equal(t, 0, some["watcher-2"])
	require.Equal(t, 1, some["operator"])

	c.Without = []string{"a kill of member-4"}
	_, err := c.Subjects()
	require.EqualError(t, err, `"a kill of member-4" is left out, and there is no such part`)
}

// TestFamiliesAreCounted: each family of faults that strikes is counted.
func TestFamiliesAreCounted(t *testing.T) {
	for _, faults := range []Faults{
		{Kills: 1, Pauses: 1, Partitions: 1, OneWays: 1, Breaks: 1, Moves: 1, Defragments: 1, ClockJumps: 1, ClockJump: time.Second, Flips: 1, StreamCuts: 1, Outages: 1, Updates: 1, Starvations: 1, All: true},
		{ForceNewClusters: 1, All: true},
		{Backups: 1, All: true},
	} {
		c := Default("cluster@v3.6.16")
		c.Faults = faults
		w := subjectOf(t, c).run(1, func(*sim.World, *sim.Event) {})
		for i := range kinds {
			require.Equal(t, kinds[i].times(&c.Faults) > 0, w.Count(covers[i]) > 0, kinds[i].name)
		}
	}
}
