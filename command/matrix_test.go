package command

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/matrix"
	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/internal/testsize"
)

// seeds are as many, not from 0 on: a command that says which seeds show a verdict again has to
// say the first.
func seeds(n int) string { return fmt.Sprintf("100..%d", 100+n-1) }

// TestMatrixCellsCanBeSeenAgain runs the command that each answer names.
func TestMatrixCellsCanBeSeenAgain(t *testing.T) {
	c := command(t)
	require.Equal(t, exitViolated, c.run("matrix", "--designs", "kep-2340", "--etcd", "3.5.7,3.6.16", "--seeds", seeds(testsize.Of(120, 40, 40)), "--json"))
	require.Empty(t, c.err, "no progress in a pipe")
	var m matrix.Matrix
	require.NoError(t, json.Unmarshal([]byte(c.out), &m))
	require.Len(t, m.Cells, 2)
	violated := 0
	for _, e := range m.Cells[0].Safe.Evidence {
		want := exitHolds
		if e.Failure != nil {
			want = exitViolated
		}
		args := strings.Fields(e.Command)
		require.Equal(t, "simrun", args[0])
		if e.Failure != nil {
			// Each is a story, which takes as long as all that hold.
			if violated++; violated > testsize.Of(len(m.Cells[0].Safe.Evidence), 1, 1) {
				continue
			}
			require.Equal(t, want, c.run(append(args[1:], "--no-shrink")...), e.Command)
			title, _, _ := strings.Cut(c.out, "\n")
			require.Contains(t, title, ": "+e.Failure.Property+" is violated", e.Command)
			continue
		}
		require.Equal(t, want, c.run(append(args[1:], "--json", "--no-story")...), e.Command)
		var s summary.Summary
		require.NoError(t, json.Unmarshal([]byte(c.out), &s))
		require.Equal(t, e.Schedules, s.Schedules)
		for name, p := range e.Properties {
			require.Equal(t, p, s.Properties[name], e.Command)
		}
	}
	require.Equal(t, "violated", m.Cells[0].Safe.Verdict)
	require.Equal(t, "holds", m.Cells[1].Safe.Verdict)
}

func TestMatrixExitCodes(t *testing.T) {
	c := command(t)
	require.Equal(t, exitHolds, c.run("matrix", "--designs", "kep-2340", "--designs", "accumulated-reads", "--etcd", "3.6.16", "--seeds", seeds(30), "--html", "m.html"), c.out+c.err)
	require.Contains(t, c.out, "kep-2340")
	page, err := os.ReadFile("m.html")
	require.NoError(t, err)
	require.Contains(t, string(page), "etcd 3.6.16")
	require.NotContains(t, string(page), "http", "the page needs nothing from elsewhere")

	require.Equal(t, exitViolated, c.run("matrix", "--designs", "stale", "--etcd", "3.6.16", "--seeds", seeds(60)))
	require.Equal(t, exitHolds, c.run("matrix", "--designs", "stale", "--etcd", "3.6.16", "--seeds", seeds(200), "--expect"), c.err)

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.Equal(t, exitNoVerdict, c.runIn(ctx, "matrix", "--designs", "kep-2340", "--etcd", "3.6.16"))
}

func TestMatrixBadInput(t *testing.T) {
	c := command(t)
	c.refuses([]string{"--designs", "kep-2340"}, "matrix", "--designs", "kep-2341")
	c.refuses([]string{"--etcd", "9.9"}, "matrix", "--etcd", "9.9")
	c.refuses([]string{"twice"}, "matrix", "--etcd", "3.6.16,3.6.16")
	c.refuses([]string{"--seeds"}, "matrix", "--seeds", "x")
	c.refuses([]string{"--set", "want NAME=VALUE"}, "matrix", "--set", "network")
	c.refuses([]string{"--set", "network"}, "matrix", "--set", "network=often")
	c.refuses([]string{"--set", "horizon"}, "matrix", "--set", "horizon=0s")
	c.refuses([]string{"--set", "sets that itself"}, "matrix", "--set", "etcd=3.5.7")
	c.refuses([]string{"--designs: kep-2340+progress-period=50: ", "want a duration from 1ms to 1h"}, "matrix", "--designs", "kep-2340+progress-period=50")
	c.refuses([]string{"--designs: kep-2340+progress-perio=50ms: ", `did you mean "progress-period"`}, "matrix", "--designs", "kep-2340+progress-perio=50ms")
	c.refuses([]string{"--designs: kep-2340+fast: ", "want NAME=VALUE"}, "matrix", "--designs", "kep-2340+fast")
	c.refuses([]string{"--designs", "etcd cannot be set on top of a name"}, "matrix", "--designs", "kep-2340+etcd=3.5.7")
	c.refuses([]string{"--designs", "ring is there twice"}, "matrix", "--designs", "kep-2340+ring=3+ring=4")
	c.refuses([]string{"--etcd: 9.9+notify=1s"}, "matrix", "--etcd", "9.9+notify=1s")
	c.refuses([]string{"kep-2340+ring=3 on 3.6.16: ring=4 and ring=3; give one of them"}, "matrix", "--designs", "kep-2340+ring=3", "--etcd", "3.6.16", "--set", "ring=4")
	c.refuses([]string{"kep-2340+ring=3 on 3.6.16+ring=5: ring=5 and ring=3; give one of them"}, "matrix", "--designs", "kep-2340+ring=3", "--etcd", "3.6.16+ring=5")
	c.refuses([]string{"--for"}, "matrix", "--for", "-1s")
	c.refuses([]string{"--workers"}, "matrix", "--workers", "0")
	c.refuses([]string{"issue-15220"}, "matrix", "issue-15220")

	require.Equal(t, exitUsage, c.run("matrix", "--designs", "kep-2340", "--etcd", "3.6.16", "--seeds", seeds(20), "--html", "/dev/full"))
	require.Contains(t, c.err, "cannot write --html /dev/full")
	require.Contains(t, c.out, "kep-2340", "what was found is told all the same")
}
