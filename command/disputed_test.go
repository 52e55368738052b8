package command

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// wrongJudge disagrees with the witness about every history.
type wrongJudge struct{ system *testbed.System }

func (wrongJudge) Reset() {}

func (j wrongJudge) Finding(*sim.World) explore.Finding {
	panic(&explore.Disputed{
		Err:     &linearizability.Disagreement{Property: linearizability.Linearizable, Witness: model.Holds, Porcupine: model.Violated},
		History: j.system.History(),
	})
}

// dispute makes checkers disagree about each run of a scenario.
func dispute(t *testing.T, sc *testbed.Scenario) {
	t.Helper()
	claims := sc.Claims
	t.Cleanup(func() { sc.Claims = claims })
	sc.Claims = append(slices.Clone(claims), &testbed.Property{
		Name: "test-disputed", Promise: "Nothing.", Monitor: testbed.Monitor{Runs: testbed.Untimed}, New: func(s *testbed.System) testbed.Judge { return wrongJudge{s} },
	})
}

// Such a history is kept by each command, with exit code 2.
func TestEveryCommandKeepsAHistoryOnWhichCheckersDisagree(t *testing.T) {
	c := command(t)
	require.Equal(t, exitViolated, c.run("run", "issue-15220", "--etcd", "3.5.7", "--seeds", "40", "--no-shrink"), c.err)
	files, err := filepath.Glob("simrun-failures/linearizable-data-*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	dispute(t, scenarios.Issue15220)
	small := []string{"--set", "writers=1", "--set", "writes=1", "--set", "readers=1", "--set", "reads=1", "--set", "etcd=3.5.7"}
	for _, args := range [][]string{
		{"replay", files[0]}, {"replay", files[0], "--loose"}, {"shrink", files[0]},
		append([]string{"prove", "issue-15220", "--engine", "schedules"}, small...), append([]string{"prove", "issue-15220"}, small...),
		{"compare", "3.5.7", "3.6.16", "--scenarios", "issue-15220", "--seeds", "3"},
		{"matrix", "--designs", "kep-2340", "--etcd", "3.6.16", "--seeds", "3"},
	} {
		require.Equal(t, exitUsage, c.run(args...), "%v %s", args, c.err)
		require.Contains(t, c.err, "please report this history: simrun check simrun-failures/disputed-history-", args)
	}
}

// A history about which two checkers disagree is kept, and no verdict is given.
func TestRunKeepsAHistoryOnWhichCheckersDisagree(t *testing.T) {
	dispute(t, scenarios.Issue15220)
	c := command(t)
	require.Equal(t, exitUsage, c.run("run", "issue-15220", "--etcd", "3.6.16", "--seeds", "7..7", "--workers", "1", "--strategy", "random", "--out", "kept"), c.err)
	require.Empty(t, c.out)
	require.Equal(t, `simrun: seed 7 of strategy random: internal error: on "linearizable" the witness says holds and porcupine says violated; please report this history: `+
		"simrun check kept/disputed-history-1.jsonl reads it\n", c.err)
	require.Equal(t, exitNoVerdict, c.run("check", "kept/disputed-history-1.jsonl"), c.err)
	require.Contains(t, c.out, "12 operations of 4 clients")
	require.Equal(t, exitUsage, c.run("run", "issue-15220", "--etcd", "3.6.16", "--seeds", "7..7", "--out", "kept"), c.err)
	require.FileExists(t, "kept/disputed-history-2.jsonl")
}

// How many histories porcupine judged is said, and how many the witness alone.
func TestRunSaysWhoJudgedHistories(t *testing.T) {
	c := command(t)
	args := []string{"run", "issue-15220", "--etcd", "3.6.16", "--seeds", "20"}
	require.Zero(t, c.run(args...), c.err)
	require.Contains(t, strings.Join(strings.Fields(c.out), " "), "For linearizable porcupine judged 20 of 20 histories, the witness alone 0.")
	require.Zero(t, c.run(append(args, "--json")...), c.err)
	var s summary.Summary
	require.NoError(t, json.Unmarshal([]byte(c.out), &s))
	require.Equal(t, uint64(20), s.Properties["linearizable"].Porcupine)
	require.Zero(t, s.Properties["linearizable"].Witness)

	// 70 operations are more than are given to porcupine unless they violate something.
	args = append(args, "--set", "writes=35", "--set", "reads=35")
	require.Zero(t, c.run(args...), c.err)
	require.Contains(t, strings.Join(strings.Fields(c.out), " "), "For linearizable porcupine judged 0 of 20 histories, the witness alone 20.")
}

func TestAHistoryThatCannotBeWrittenLeavesNoFile(t *testing.T) {
	read := model.Request{Kind: model.Get, Key: "a", Freshness: model.Exact, Revision: 2}
	dir := t.TempDir()
	_, err := keepHistory(dir, &model.History{Initial: model.Initial{Revision: 1}, Clients: []string{"r"}, Operations: []model.Operation{{
		Call: 1, Return: 2, Request: &model.Request{Kind: model.Txn, Success: []model.Request{read}}, Result: &model.Result{Succeeded: true, Results: make([]model.Result, 1)},
	}}})
	require.ErrorContains(t, err, "reads are at the transaction's own revision")
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Empty(t, files)
}
