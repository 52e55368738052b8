package designs

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/proof"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/explore/prove/schedules"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// oneWriteOneList are the parameters of a write and a consistent LIST in front of an etcd.
func oneWriteOneList(t *testing.T, set ...string) testbed.Params {
	t.Helper()
	p := scenarios.Issue15220.Params
	for _, s := range append([]string{"cache=kubernetes@v0.37.2", "writers=1", "writes=1", "readers=1", "reads=1"}, set...) {
		name, value, _ := strings.Cut(s, "=")
		require.NoError(t, p.Set(name, value))
	}
	return p
}

// TestProveLooksAtEachSchedule: with the code that ships a search within bounds finds the stale read behind an etcd
// whose progress overtakes events, and none behind one in which it does not.
func TestProveLooksAtEachSchedule(t *testing.T) {
	for _, c := range []struct {
		verdict prove.Verdict
		set     []string
	}{
		{prove.Violated, []string{"etcd=3.5.7", "version-check=none"}},
		{prove.Proved, []string{"etcd=3.6.16"}},
	} {
		found, _, err := proof.SearchSchedules(t.Context(), scenarios.Issue15220, oneWriteOneList(t, c.set...), schedules.Config{TimerBound: 2}, "test")
		require.NoError(t, err)
		require.Equal(t, c.verdict, found.Verdict, c.set)
		require.NotZero(t, found.Checked["linearizable-data"])
		t.Logf("%v: %s, %d schedules, %d put it to the test", c.set, found.Verdict, found.Schedules.Complete, found.Checked["linearizable-data"])
	}
}

// TestRandomSchedulesAreOfClassesThatProveFinds: random schedules within the bounds are of the classes that the search
// of the code that ships comes to, and come to most of them.
func TestRandomSchedulesAreOfClassesThatProveFinds(t *testing.T) {
	p := oneWriteOneList(t, "etcd=3.6.16")
	const firings, walks = 0, 3_000
	system, _, err := scenarios.Issue15220.ProvableByHistory(p)
	require.NoError(t, err)
	system.JudgeWith(-1)
	found, err := schedules.Search(t.Context(), system, testbed.Names(system.Claims()), schedules.Config{TimerBound: firings})
	require.NoError(t, err)
	require.Empty(t, found.Why)
	walk, random := schedules.NewWalk(system, firings), drawing{rand.New(rand.NewSource(1))}
	for range walks {
		require.True(t, walk.Take(random))
		require.True(t, found.CameTo(walk.Last()))
	}
	t.Logf("%d of %d classes in %d random schedules", walk.Classes(), found.Schedules.Classes, walks)
	require.Greater(t, 10*walk.Classes(), 8*found.Schedules.Classes)
}

// drawing takes any step and gives any answer.
type drawing struct{ *rand.Rand }

func (d drawing) Pick(_ *sim.World, enabled []sim.Action) int    { return d.Intn(len(enabled)) }
func (d drawing) Choose(_ *sim.World, options int, _ string) int { return d.Intn(options) }
