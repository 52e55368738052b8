package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/upstream/table"
)

// TestReleasesAreIncluded: the simulated server can show all that the released code did, and the page shows the rows.
func TestReleasesAreIncluded(t *testing.T) {
	rows, err := table.Read[row](data)
	require.NoError(t, err)
	require.Empty(t, amiss(rows))
	text, err := render(rows)
	require.NoError(t, err)
	for i := range rows {
		require.Contains(t, text, fmt.Sprintf("| %s | %s | %d | %d |", rows[i].World, rows[i].Etcd, rows[i].Simulated, rows[i].States))
	}
}

// TestSimulatedTracesAreFoundAgain: the search over all states comes to the same numbers.
func TestSimulatedTracesAreFoundAgain(t *testing.T) {
	rows, err := table.Read[row](data)
	require.NoError(t, err)
	for i := range rows {
		r := &rows[i]
		found, err := find(r.World).search(t.Context(), r.Etcd)
		require.NoError(t, err)
		require.Equal(t, []int{r.Simulated, r.States}, []int{len(found.traces), found.states}, "run \"go run ./inclusion -etcd %s %s\"", r.Etcd, r.World)
		for _, trace := range r.SimulatedOnly {
			require.Contains(t, found.traces, trace, r.World)
		}
	}
}

// TestReleasedCodeIsMeasuredAgain: the same schedules show as many traces.
func TestReleasedCodeIsMeasuredAgain(t *testing.T) {
	rows, err := table.Read[row](data)
	require.NoError(t, err)
	version := "3.6.16"
	for _, name := range []string{"progress-after-put", "filter"} {
		again, err := measure(t.Context(), find(name), version)
		require.NoError(t, err)
		require.NotNil(t, rowOf(rows, name, version), name)
		require.Equal(t, *rowOf(rows, name, version), again, "run \"go run ./inclusion -etcd %s %s\"", version, name)
	}
}

// TestAnotherServerIsFound: a server with another behaviour than the code shows other traces. etcd #15220 is in 3.5.7 and not in
// 3.5.13.
func TestAnotherServerIsFound(t *testing.T) {
	r, _, err := compare(t.Context(), find("progress"), "3.5.13", "3.5.7")
	require.NoError(t, err)
	require.NotEmpty(t, r.ReleasedOnly)
	// Progress at the revision of an event or at a newer one comes before the event.
	require.True(t, slices.ContainsFunc(r.ReleasedOnly, func(trace string) bool {
		return strings.Contains(trace, "at 2 progress, watch 0 at 2 k1=a@2") || strings.Contains(trace, "at 3 progress, watch 0 at 2 k1=a@2")
	}), r.ReleasedOnly)
	require.NotEmpty(t, amiss([]row{r}))
}

// TestIssue17529: a stream has more watches from a compacted revision than its channel has room for. Each of them has to be
// cancelled. Releases before 3.5.13 take those for synced for which there was no room (etcd #17529).
func TestIssue17529(t *testing.T) {
	const watches = 140
	of := &world{Name: "many-watches", Initial: history("v", 4), Revision: 5, Compacted: 4, Clients: [][]step{nil}}
	for range watches {
		of.Clients[0] = append(of.Clients[0], hasty(0, watch(2)))
	}
	const canceled, all = "canceled compacted at 4", 60
	silent := map[string]int{}
	for _, version := range []string{"3.5.12", "3.5.35"} {
		roots, err := of.roots(released(version))
		require.NoError(t, err)
		seen := map[string]int{}
		require.NoError(t, sample(t.Context(), roots, all, seen))
		for trace, times := range seen {
			require.Equal(t, watches, strings.Count(trace, "created"), trace)
			if strings.Count(trace, canceled) < watches {
				silent[version] += times
			}
		}
	}
	t.Log("schedules in which watches go on without the events that are gone: ", fmt.Sprint(silent), " of ", all, " each")
	require.NotZero(t, silent["3.5.12"])
	require.Zero(t, silent["3.5.35"])
}

// TestSearchFindsTraces: a search for a trace finds each that random schedules show, in up to 100 attempts.
func TestSearchFindsTraces(t *testing.T) {
	of := find("progress-after-put")
	roots, err := of.roots(released("3.6.16") + atLocks)
	require.NoError(t, err)
	s, err := of.search(t.Context(), "3.6.16")
	require.NoError(t, err)
	require.NotEmpty(t, s.traces)
	for name, trace := range s.traces {
		found, err := towards(t.Context(), roots, trace, 100)
		require.NoError(t, err)
		require.True(t, found, name)
	}
	// A trace that no client is told is never found.
	for _, trace := range s.traces {
		never := append(slices.Clone(trace[:len(trace)-1]), append(slices.Clone(trace[len(trace)-1]), "rev 9"))
		found, err := towards(t.Context(), roots, never, 5)
		require.NoError(t, err)
		require.False(t, found)
		break
	}
}

// TestAmissIsFound: a row about nothing, and a trace of the code alone.
func TestAmissIsFound(t *testing.T) {
	require.Equal(t, []string{
		"the row of none on etcd 3.5.7 is about nothing that is compared",
		"filter on etcd 3.5.7: the simulated server cannot show 1 traces of the released code, such as created",
	}, amiss([]row{{World: "none", Etcd: "3.5.7"}, {World: "filter", Etcd: "3.5.7", ReleasedOnly: []string{"created"}}}))
}
