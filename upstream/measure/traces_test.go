package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// large is from how many states on a search takes more than some seconds.
const large = 5_000

// TestSimulatedTracesAreFoundAgain: the search over all states comes to the same numbers.
func TestSimulatedTracesAreFoundAgain(t *testing.T) {
	again := func(r *compared, of *world, program, table string) {
		s, err := of.search(t.Context(), program)
		require.NoError(t, err)
		require.Equal(t, []int{r.Simulated, r.States}, []int{len(s.traces), s.states}, "run \"go run ./measure %s %s %s\"", table, r.Release, r.World)
		for _, trace := range r.SimulatedOnly {
			require.Contains(t, s.traces, trace, r.World)
		}
	}
	for _, r := range read(t, inclusion) {
		again(&r, findWorld(etcdWorlds, r.World), r.Release, "inclusion -etcd")
	}
	for _, r := range read(t, cachetraces) {
		if r.States <= large {
			again(&r, findWorld(cacheWorlds, r.World), simulatedCache(r.Release), "cachetraces -release")
		}
	}
}

// TestCacheWorldsHaveRows: none was left out.
func TestCacheWorldsHaveRows(t *testing.T) {
	rows := read(t, cachetraces)
	for _, k := range cacheKeys() {
		require.NotNil(t, find(rows, k), "run \"go run ./measure cachetraces -release %s %s\"", k.on, k.of)
	}
}

// TestAnotherServerIsFound: a server with another behaviour than the code shows other traces. etcd #15220 is in 3.5.7
// and not in 3.5.13.
func TestAnotherServerIsFound(t *testing.T) {
	needs(t, released("3.5.7"))
	r, _, err := findWorld(etcdWorlds, "progress").compareEtcd(t.Context(), "3.5.13", "3.5.7")
	require.NoError(t, err)
	require.NotEmpty(t, r.ReleasedOnly)
	// Progress at the revision of an event or at a newer one comes before the event.
	require.True(t, slices.ContainsFunc(r.ReleasedOnly, func(trace string) bool {
		return strings.Contains(trace, "at 2 progress, watch 0 at 2 k1=a@2") || strings.Contains(trace, "at 3 progress, watch 0 at 2 k1=a@2")
	}), r.ReleasedOnly)
	require.NotEmpty(t, inclusion.wrong([]compared{r}))
}

// TestAnotherCacheIsFound: a cache that behaves otherwise than the code shows other traces. One that has etcd answer
// everything never shows an old state; one that answers whatever it has shows one where the code may not.
func TestAnotherCacheIsFound(t *testing.T) {
	needs(t, guest)
	r, err := findWorld(cacheWorlds, "any-after-put").compareCache(t.Context(), "v0.37.2", "direct")
	require.NoError(t, err)
	require.Equal(t, []string{"rev 3, LIST at 2 a=initial@2"}, r.ReleasedOnly)
	require.NotEmpty(t, cachetraces.wrong([]compared{r}))
	const old = "rev 3, LIST at 2 a=initial@2"
	of := findWorld(cacheWorlds, "list-after-put")
	stale, err := of.search(t.Context(), "stale")
	require.NoError(t, err)
	require.Contains(t, stale.traces, old)
	roots, err := of.roots(guest)
	require.NoError(t, err)
	found, err := of.towards(t.Context(), roots, stale.traces[old], 20)
	require.NoError(t, err)
	require.False(t, found)
}

// TestIssue17529: a stream has more watches from a compacted revision than its channel has room for. Each of them has
// to be cancelled. Releases before 3.5.13 take those for synced for which there was no room (etcd #17529).
func TestIssue17529(t *testing.T) {
	const watches = 140
	of := &world{Name: "many-watches", Initial: history("v", 4), Revision: 5, Compacted: 4, Clients: [][]step{nil}}
	for range watches {
		of.Clients[0] = append(of.Clients[0], hasty(1, watch(2)))
	}
	const canceled, all = "canceled compacted at 4", 60
	silent := map[string]int{}
	for _, version := range []string{"3.5.12", "3.5.35"} {
		needs(t, released(version))
		roots, err := of.roots(released(version))
		require.NoError(t, err)
		seen := map[string]int{}
		require.NoError(t, of.sample(t.Context(), roots, all, seen))
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
	needs(t, released("3.6.16"))
	of := findWorld(etcdWorlds, "progress-after-put")
	roots, err := of.roots(released("3.6.16") + atLocks)
	require.NoError(t, err)
	s, err := of.search(t.Context(), "3.6.16")
	require.NoError(t, err)
	require.NotEmpty(t, s.traces)
	for name, trace := range s.traces {
		found, err := of.towards(t.Context(), roots, trace, 100)
		require.NoError(t, err)
		require.True(t, found, name)
	}
	// A trace that no client is told is never found.
	for _, trace := range s.traces {
		never := append(slices.Clone(trace[:len(trace)-1]), append(slices.Clone(trace[len(trace)-1]), "rev 9"))
		found, err := of.towards(t.Context(), roots, never, 5)
		require.NoError(t, err)
		require.False(t, found)
		break
	}
}
