package command

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestFailuresAreKeptAsTheyAreFound: a campaign that is killed has lost nothing of what
// it had found, and one that ends leaves the smaller runs only.
func TestFailuresAreKeptAsTheyAreFound(t *testing.T) {
	c := command(t)
	pattern := filepath.Join("simrun-failures", asFoundDir, "*.json")
	ctx, interrupt := context.WithCancel(context.Background())
	ended := make(chan int)
	go func() { ended <- c.runIn(ctx, "run", "issue-15220", "--for", "10m") }()
	var found []string
	require.Eventually(t, func() bool {
		found, _ = filepath.Glob(pattern)
		return len(found) > 0
	}, time.Minute, time.Millisecond, "the campaign goes on, and its first failure is on disk")
	whenKilled, err := os.ReadFile(found[0])
	require.NoError(t, err)
	interrupt()
	require.Equal(t, exitViolated, <-ended)
	require.NoDirExists(t, filepath.Dir(pattern), "smaller runs have taken the place of all")
	require.NotEmpty(t, c.failures())

	require.NoError(t, os.WriteFile("killed.json", whenKilled, 0o600))
	require.Equal(t, exitViolated, c.run("replay", "killed.json"))

	mine := filepath.Join("simrun-failures", asFoundDir, filepath.Base(found[0]))
	require.NoError(t, os.MkdirAll(filepath.Dir(mine), 0o777))
	require.NoError(t, os.WriteFile(mine, whenKilled, 0o600))
	require.Equal(t, exitViolated, c.run("run", "issue-15220"))
	require.FileExists(t, mine, "it was there before this process")
}
