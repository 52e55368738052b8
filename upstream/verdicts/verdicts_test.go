package main

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/testbed"

	"github.com/watchbed/watchbed/upstream/table"
)

// TestTableHasItsReasons: each violation and each claim that is never checked has its reason, no reason is left over, and the page
// has each scenario.
func TestTableHasItsReasons(t *testing.T) {
	rows, err := table.Read[row](data)
	require.NoError(t, err)
	wrong, err := amiss(rows)
	require.NoError(t, err)
	require.Empty(t, wrong)
	text, err := render(rows)
	require.NoError(t, err)
	for _, sc := range testbed.Scenarios() {
		require.Contains(t, text, sc.Name)
	}
}

// measuredAgain are rows of which all schedules take seconds together: quiet ranges, compaction, initial events.
var measuredAgain = []string{"issue-17507", "crash-in-compaction", "watch-list-six-seconds"}

// TestRowsAreMeasuredAgain: the same schedules come to the same counts.
func TestRowsAreMeasuredAgain(t *testing.T) {
	rows, err := table.Read[row](data)
	require.NoError(t, err)
	for _, name := range measuredAgain {
		sc, err := testbed.FindScenario(name)
		require.NoError(t, err)
		i := slices.IndexFunc(rows, func(r row) bool { return r.Scenario == name })
		require.GreaterOrEqual(t, i, 0, name)
		again, _, err := count(t.Context(), sc, rows[i].Etcd, rows[i].Schedules)
		require.NoError(t, err)
		require.Equal(t, rows[i], again, "run \"go run ./verdicts %s\"", name)
	}
}

// TestAmissIsFound: a violation without a reason, a claim that is never checked without one, and a row that is about nothing.
func TestAmissIsFound(t *testing.T) {
	rows, err := table.Read[row](data)
	require.NoError(t, err)
	of := table.Find(rows, table.Key{Scenario: "resumed-watch", Etcd: newEtcd})
	require.NotNil(t, of)
	of.Schedules, of.Claims[0].Violated, of.Claims[1].Checked = thin, 1, 0
	wrong, err := amiss(append(rows, row{Scenario: "none", Etcd: newEtcd}))
	require.NoError(t, err)
	require.ElementsMatch(t, []string{
		"resumed-watch on etcd 3.6.16 violates " + of.Claims[0].Property + ", and there is no reason for it",
		"resumed-watch on etcd 3.6.16 never checks " + of.Claims[1].Property + ", and there is no reason for it",
		"the row of none on etcd 3.6.16 is about nothing that is measured",
	}, wrong)
	unasked[[2]string{"issue-15220", "linearizable"}] = "none"
	defer delete(unasked, [2]string{"issue-15220", "linearizable"})
	wrong, err = idle(rows)
	require.NoError(t, err)
	require.Equal(t, []string{"there is a reason why issue-15220 does not check linearizable, and it does"}, wrong)
}

// TestDifferencesAreFound: a claim that one front violates and the other does not.
func TestDifferencesAreFound(t *testing.T) {
	rows := []row{
		{Scenario: "a", Etcd: newEtcd, Schedules: 20, Claims: []claim{{"x", 9, 2}, {"y", 9, 1}, {"z", 9, 0}}},
		{Scenario: "a", Etcd: nextNew, Schedules: 30, Claims: []claim{{"x", 9, 0}, {"y", 9, 3}, {"z", 9, 0}}},
		{Scenario: "b", Etcd: newEtcd, Schedules: 20, Claims: []claim{{"x", 9, 2}}},
	}
	require.Equal(t, []difference{{"a", "x", [2]uint64{2, 0}, [2]uint64{20, 30}}}, differences(rows, newEtcd, nextNew))
	require.Empty(t, differences(rows, newEtcd, streams))
}
