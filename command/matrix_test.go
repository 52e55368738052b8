package command

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/matrix"
	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/model"
)

// seeds are as many, not from 0 on: a command that says which seeds show a verdict again has to
// say the first.
func seeds(n int) string { return fmt.Sprintf("100..%d", 100+n-1) }

// TestMatrixCellsCanBeSeenAgain runs the command that each answer names.
func TestMatrixCellsCanBeSeenAgain(t *testing.T) {
	c := command(t)
	require.Equal(t, exitViolated, c.run("matrix", "--designs", "kep-2340", "--etcd", "3.5.7,3.6.16", "--seeds", seeds(testsize.Of(120, 40)), "--json"))
	require.Empty(t, c.err, "no progress in a pipe")
	var m matrix.Matrix
	require.NoError(t, json.Unmarshal([]byte(c.out), &m))
	require.Len(t, m.Cells, 2)
	violated := 0
	for _, e := range m.Cells[0].Safe.Evidence {
		args := strings.Fields(e.Again())
		require.Equal(t, "simrun", args[0])
		if claim := e.Failing(); claim != nil {
			// Each is a story, which takes as long as all that hold.
			if violated++; violated > testsize.Of(len(m.Cells[0].Safe.Evidence), 1) {
				continue
			}
			require.Equal(t, exitViolated, c.run(append(args[1:], "--no-shrink")...), e.Again())
			title, _, _ := strings.Cut(c.out, "\n")
			require.Contains(t, title, ": "+claim.Property+" is violated", e.Again())
			continue
		}
		require.Equal(t, exitHolds, c.run(append(args[1:], "--json", "--no-story")...), e.Again())
		var s summary.Summary
		require.NoError(t, json.Unmarshal([]byte(c.out), &s))
		require.Equal(t, e.Schedules, s.Schedules)
		for _, claim := range e.Claims {
			of := s.Properties[claim.Property]
			require.Equal(t, summary.Property{Verdict: claim.Verdict.String(), Exercised: claim.Exercised, Porcupine: of.Porcupine, Witness: of.Witness}, of, e.Again())
		}
	}
	require.Equal(t, model.Violated, m.Cells[0].Safe.Verdict)
	require.Equal(t, model.Holds, m.Cells[1].Safe.Verdict)
}
