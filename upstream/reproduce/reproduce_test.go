package main

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/upstream/guests"
	"github.com/watchbed/watchbed/upstream/patches"
)

// TestTableIsComplete: the page has all rows, each row that is looked for has its patch, and each patch its row.
func TestTableIsComplete(t *testing.T) {
	of, err := readFigures(".")
	require.NoError(t, err)
	text, err := tables(of)
	require.NoError(t, err)
	for _, r := range rows {
		require.Contains(t, text, "\n| "+r.name+" | ")
	}
	for _, name := range patches.Names() {
		require.True(t, slices.ContainsFunc(rows, func(r row) bool { return r.name == name }), "the patch %s is in no row", name)
	}
	for _, r := range rows {
		if f := of[r.name]; r.scenario != "" && f != nil {
			require.Zero(t, f.ControlViolations, "%s: the property is violated without the patch, too", r.name)
		}
	}
}

// TestSomeBugsAreFound holds some rows of the table: those whose guests are compiled, for each takes
// minutes. make test compiles the guest of one.
func TestSomeBugsAreFound(t *testing.T) {
	directory, err := guests.Directory()
	require.NoError(t, err)
	looked := 0
	for _, r := range rows {
		if !slices.Contains(held, r.name) {
			continue
		}
		if _, err := os.Stat(guests.Path(directory, r.guest())); err != nil {
			continue
		}
		looked++
		sc, p, err := r.prepared(r.guest() + r.how.String())
		require.NoError(t, err)
		found, _, err := r.look(t.Context(), sc, &p, 0, 100)
		require.NoError(t, err)
		require.NotNil(t, found, r.name)
		require.NoError(t, replay(sc, &p, found), r.name)
	}
	require.NotZero(t, looked, `run "make upstream GUEST=kubernetes@v0.37.2+%s"`, held[0])
}

// held are rows that are found after a few schedules.
var held = []string{"123674", "134831"}
