package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/testbed"

	"github.com/watchbed/watchbed/upstream/table"
)

// TestTableHasItsReasons: each violation has its reason, and the page shows each violation.
func TestTableHasItsReasons(t *testing.T) {
	lots, err := table.Read[lot](data)
	require.NoError(t, err)
	wrong, err := amiss(lots)
	require.NoError(t, err)
	require.Empty(t, wrong)
	text, err := render(lots)
	require.NoError(t, err)
	for _, l := range lots {
		for _, f := range l.Found {
			require.Contains(t, text, fmt.Sprintf("| %s | %s | %s | **%s** (%s)", l.Scenario, l.Guest, counted(l.Schedules), f.Property, f.Label))
		}
	}
}

// TestTurnsGoOn: the second turn of a scenario runs the seeds behind those of the first, and a violation that is not known is told.
func TestTurnsGoOn(t *testing.T) {
	sc, err := testbed.FindScenario("stale-list")
	require.NoError(t, err)
	const guest = "kubernetes@v0.37.2"
	lots, err := take(t.Context(), nil, sc, guest)
	require.NoError(t, err)
	once := lots[0]
	require.NotZero(t, once.Schedules)
	require.NotEmpty(t, once.Found, "a LIST at resourceVersion 0 is stale")
	lots, err = take(t.Context(), lots, sc, guest)
	require.NoError(t, err)
	require.Len(t, lots, 1)
	require.Greater(t, lots[0].Schedules, once.Schedules)
	require.Equal(t, once.Found[0].Seed, lots[0].Found[0].Seed)
	wrong, err := amiss(lots)
	require.NoError(t, err)
	require.Empty(t, wrong)
	lots[0].add(found{Property: "ordered", Label: "backwards", Schedules: 1, Seed: first})
	wrong, err = amiss(lots)
	require.NoError(t, err)
	require.Len(t, wrong, 1)
	require.Contains(t, wrong[0], "violates ordered (backwards)")
}
