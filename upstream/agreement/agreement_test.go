package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/testbed"

	"github.com/watchbed/watchbed/upstream/table"
)

// TestTableHasItsReasons: each difference and each property that is never checked over the code has its reason, no reason is left
// over, and the page shows each difference.
func TestTableHasItsReasons(t *testing.T) {
	rows, err := table.Read[row](data)
	require.NoError(t, err)
	require.Empty(t, amiss(rows))
	text, err := render(rows)
	require.NoError(t, err)
	for i := range rows {
		r := &rows[i]
		for _, c := range r.differences() {
			require.Contains(t, text, fmt.Sprintf("| %s | %s | %s | %d of %d | %d of %d |", r.Scenario, c.Property, r.Etcd, c.Code.Violated, r.Code, c.Model.Violated, r.Model))
		}
	}
}

// measuredAgain are rows of which all schedules take seconds together.
var measuredAgain = []string{"issue-17507", "second-watch", "watches-at-rest"}

// TestRowsAreMeasuredAgain: the same schedules come to the same counts.
func TestRowsAreMeasuredAgain(t *testing.T) {
	rows, err := table.Read[row](data)
	require.NoError(t, err)
	for _, name := range measuredAgain {
		sc, err := testbed.FindScenario(name)
		require.NoError(t, err)
		of := table.Find(rows, table.Key{Scenario: name, Etcd: versions[len(versions)-1]})
		require.NotNil(t, of, name)
		again := row{Scenario: name, Etcd: of.Etcd}
		require.NoError(t, again.count(t.Context(), sc, of.Code, of.Model))
		require.Equal(t, *of, again, "run \"go run ./agreement %s\"", sc.Name)
	}
}

// TestAmissIsFound: a difference without a reason, a reason without a difference, a property that is not checked any more, and a
// row that is about nothing. What is known explains a difference only if that may be chance.
func TestAmissIsFound(t *testing.T) {
	rows := []row{
		{Scenario: "none", Etcd: versions[0]},
		{Scenario: "issue-17507", Etcd: versions[0], Code: 10, Model: 10, Claims: []claim{
			{"answers-in-time", tally{10, 0}, tally{10, 1}}, {"linearizable", tally{0, 0}, tally{10, 0}},
		}},
		{Scenario: "second-watch", Etcd: versions[0], Code: 10, Model: 10, Claims: []claim{{"bookmarkable", tally{10, 0}, tally{10, 1}}}},
		{Scenario: "second-watch", Etcd: versions[1], Code: 100, Model: 10, Claims: []claim{{"bookmarkable", tally{10, 0}, tally{10, 3}}}},
	}
	written, unchecked := reasons, unjudged
	reasons, unjudged = map[[2]string]string{{"second-watch", "unique"}: "none"}, map[string]string{"unique": "none"}
	defer func() { reasons, unjudged = written, unchecked }()
	require.ElementsMatch(t, []string{
		"the row of none on etcd 3.5.35 is about nothing that is measured",
		"issue-17507 on etcd 3.5.35: one side alone violates answers-in-time (code 0 of 10, model 1 of 10), and there is no reason for it",
		"issue-17507 on etcd 3.5.35 never checks linearizable over the code, and there is no reason for it",
		"second-watch on etcd 3.6.16: one side alone violates bookmarkable (code 0 of 100, model 3 of 10), and there is no reason for it",
		`there is a reason why one side alone violates unique in "second-watch", and none does`,
		"there is a reason why unique is never checked over the code, and it is",
	}, amiss(rows))
}
