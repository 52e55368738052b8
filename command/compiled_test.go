package command

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/testbed"
)

// The program of these tests has the name of compiled code, and is the simulated server.
func init() {
	testbed.RegisterPrograms(func(name string) *testbed.Program {
		if version, is := strings.CutPrefix(name, "same@v"); is {
			return &testbed.Program{Name: name, Version: version, New: func(s *etcd.Server) testbed.ProgramNode { return s }}
		}
		return nil
	})
}

// TestRunsOfCompiledCodeAreToldWithoutASearch: what decides takes hundreds of runs to find. The story as found is told
// at once, without a terminal as well, and a replay gives the cause that the campaign wrote into the file.
func TestRunsOfCompiledCodeAreToldWithoutASearch(t *testing.T) {
	c := command(t)
	require.Equal(t, exitViolated, c.run("run", "issue-15220", "--etcd", "same@v3.5.7", "--seeds", "102..102", "--out", "kept"))
	require.Contains(t, c.err, "Unshrunk, seed")
	require.Contains(t, c.err, "is answered: resourceVersion")
	files, err := os.ReadDir("kept")
	require.NoError(t, err)
	rec, err := recording.Open("kept/" + files[0].Name())
	require.NoError(t, err)
	i := slices.IndexFunc(rec.Findings, func(f recording.Finding) bool { return len(f.Story) > 0 })
	story, file := rec.Findings[i].Story, ""
	for cause, want := range map[string]string{
		"The moon decides.":                     "The moon decides.",
		"There was no search for what decides.": "There was no search for what decides.\n`simrun shrink %s` looks for it in a smaller run.",
	} {
		story[len(story)-1] = cause
		file, err = rec.Create("kept")
		require.NoError(t, err)
		require.Equal(t, exitViolated, c.run("replay", file), c.err)
		require.Contains(t, c.out, strings.ReplaceAll(want, "%s", file))
		require.Contains(t, c.out, "is answered: resourceVersion", "the story is that of the run")
	}
	require.Equal(t, exitViolated, c.run("replay", file, "--html", "page.html"), c.err)
	require.NotContains(t, c.out, "no search", "a page compares with a run that passes, which is searched for")
}
