package main

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/upstream/table"
)

// TestReleaseIsIncluded: the simulated cache can show all that the released one did, and the page shows the rows.
func TestReleaseIsIncluded(t *testing.T) {
	rows, err := table.Read[row](data)
	require.NoError(t, err)
	require.Empty(t, amiss(rows))
	text, err := render(rows)
	require.NoError(t, err)
	for i := range rows {
		require.Contains(t, text, fmt.Sprintf("| %d | %d | %d in %d |", rows[i].Simulated, rows[i].States, rows[i].Released, rows[i].Schedules), rows[i].World)
	}
}

// large is from how many states on a search takes more than some seconds.
const large = 5_000

// TestSimulatedTracesAreFoundAgain: the search over all states comes to the same numbers.
func TestSimulatedTracesAreFoundAgain(t *testing.T) {
	rows, err := table.Read[row](data)
	require.NoError(t, err)
	for i := range rows {
		r := &rows[i]
		if r.States > large {
			continue
		}
		found, err := find(r.World).search(t.Context(), simulated)
		require.NoError(t, err)
		require.Equal(t, []int{r.Simulated, r.States}, []int{len(found.traces), found.states}, "run \"go run ./cachetraces %s\"", r.World)
		for _, trace := range r.SimulatedOnly {
			require.Contains(t, found.traces, trace, r.World)
		}
	}
}

// TestReleasedCodeIsMeasuredAgain: the same schedules show as many traces.
func TestReleasedCodeIsMeasuredAgain(t *testing.T) {
	rows, err := table.Read[row](data)
	require.NoError(t, err)
	for _, name := range []string{"any-after-put", "watch"} {
		again, err := compare(t.Context(), find(name), simulated, released)
		require.NoError(t, err)
		require.NotNil(t, rowOf(rows, name), name)
		require.Equal(t, *rowOf(rows, name), again, "run \"go run ./cachetraces %s\"", name)
	}
}

// TestAnotherCacheIsFound: a cache that behaves otherwise than the code shows other traces. One that has etcd answer everything never
// shows an old state; one that answers whatever it has shows one where the code may not.
func TestAnotherCacheIsFound(t *testing.T) {
	r, err := compare(t.Context(), find("any-after-put"), "direct", released)
	require.NoError(t, err)
	require.Equal(t, []string{"rev 3, LIST at 2 a=initial@2"}, r.ReleasedOnly)
	require.NotEmpty(t, amiss([]row{r}))
	const old = "rev 3, LIST at 2 a=initial@2"
	of := find("list-after-put")
	wrong, err := of.search(t.Context(), "stale")
	require.NoError(t, err)
	require.Contains(t, wrong.traces, old)
	roots, err := of.roots(released)
	require.NoError(t, err)
	found, err := of.towards(t.Context(), roots, wrong.traces[old], 20)
	require.NoError(t, err)
	require.False(t, found)
}

// TestAmissIsFound: a row about nothing, and a trace of the code alone.
func TestAmissIsFound(t *testing.T) {
	rows := []row{{World: "none"}, {World: "list", ReleasedOnly: []string{"LIST at 1"}}}
	require.Equal(t, []string{
		"the row of none is about no world",
		"list: the simulated cache cannot show 1 traces of the released code, such as LIST at 1",
	}, amiss(rows))
}

// TestEachWorldHasARow: none was left out.
func TestEachWorldHasARow(t *testing.T) {
	rows, err := table.Read[row](data)
	require.NoError(t, err)
	for _, of := range worlds {
		require.True(t, slices.ContainsFunc(rows, func(r row) bool { return r.World == of.Name }), "run \"go run ./cachetraces %s\"", of.Name)
	}
}
