//go:build !js

package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/site/debugger"
)

// agent is a client of the protocol.
type agent struct {
	*testing.T
	session *mcp.ClientSession
}

func connect(t *testing.T) *agent {
	ours, theirs := mcp.NewInMemoryTransports()
	_, err := protocol().Connect(t.Context(), ours, nil)
	require.NoError(t, err)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), theirs, nil)
	require.NoError(t, err)
	t.Cleanup(func() { session.Close() })
	return &agent{t, session}
}

// text calls a tool, and returns its answer and whether that is an error.
func (a *agent) text(tool string, arguments any) (string, bool) {
	a.Helper()
	r, err := a.session.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	require.NoError(a, err)
	return r.Content[0].(*mcp.TextContent).Text, r.IsError
}

func ask[T any](a *agent, tool string, q any) (answer T) {
	a.Helper()
	text, isError := a.text(tool, q)
	require.False(a, isError, text)
	require.NoError(a, json.Unmarshal([]byte(text), &answer))
	return answer
}

// TestAgentFindsTheCause of etcd #15220 without its story: it searches, makes the run smaller, looks for the step at
// which etcd's ctrlStream and watch channel both hold something, tries what else sendLoop could have taken, and sees the
// claim hold.
func TestAgentFindsTheCause(t *testing.T) {
	a := connect(t)
	found := ask[debugger.Searched](a, "search", map[string]any{"scenario": "issue-15220", "set": []string{"etcd=3.5.7"}, "count": 100})
	i := slices.IndexFunc(found.Claims, func(c debugger.Claim) bool { return c.Property == "linearizable" })
	require.NotZero(t, found.Claims[i].Violated)
	run := ask[debugger.Story](a, "shrink", map[string]any{"link": found.Claims[i].Link})
	text, _ := a.text("open", map[string]any{"link": run.Link})
	require.NotContains(t, text, `"messages"`, "a run is answered by its story")
	both := -1
	for step := range run.Length {
		for _, node := range ask[[]debugger.Node](a, "state", map[string]any{"link": run.Link, "step": step}) {
			if node.Node == "etcd" && len(node.Parts["ctrlStream"]) > 0 && len(node.Parts["watch channel"]) > 0 {
				both = step
			}
		}
	}
	require.Positive(t, both, "progress and an event of one stream wait at the same time")
	next := ask[[]debugger.Line](a, "steps", map[string]any{"link": run.Link, "step": both + 1, "count": 1})
	require.Contains(t, next[0].Text, "takes from ctrlStream")
	others := ask[debugger.Moment](a, "at", map[string]any{"link": run.Link, "step": both + 1}).Others
	i = slices.IndexFunc(others, func(o debugger.Other) bool { return strings.Contains(o.Name, "takes watchStream") })
	passes := ask[debugger.Story](a, "take", map[string]any{"link": run.Link, "choice": others[i].Choice, "name": others[i].Name})
	require.Empty(t, passes.Title)
	require.Contains(t, ask[debugger.Cause](a, "cause", map[string]any{"link": run.Link}).Text, "progress=control-queue")

	text, isError := a.text("explain", map[string]any{"name": "control-queue"})
	require.False(t, isError)
	require.Contains(t, text, "progress")
}

// TestMistakesAreAnswers: an agent that asks wrongly is told what to do.
func TestMistakesAreAnswers(t *testing.T) {
	a := connect(t)
	for tool, q := range map[string]map[string]any{
		"open":    {"link": "1.AAAA"},
		"search":  {"scenario": "issue-15221", "count": 1},
		"run":     {"scenario": "issue-15220", "set": []string{"progress=never"}},
		"explain": {"name": "issue-15221"},
	} {
		text, isError := a.text(tool, q)
		require.True(t, isError, tool)
		require.NotContains(t, text, "\n", tool)
	}
	tools, err := a.session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, tools.Tools, len(debugger.Operations())+1)
	big, isError := a.text("catalogue", map[string]any{})
	require.False(t, isError)
	require.Less(t, len(big), maxAnswer+100)
}
