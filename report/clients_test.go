package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/model"
)

// TestEachOperationHasItsRow: also a refused one, with what was asked, and where it lies
// among all of them.
func TestEachOperationHasItsRow(t *testing.T) {
	h := &model.History{Clients: []string{"a", "idle", "b"}, Operations: []model.Operation{
		{Client: 2, Call: 1, Return: 4, Outcome: model.Failed, Request: &model.Request{Kind: model.List, Key: "/p/", Freshness: model.Exact, Revision: 7, Limit: 3}},
		{Client: 0, Call: 4, Return: 8, Outcome: model.Done, Request: &model.Request{Kind: model.Put, Key: "/p/a", Value: "1"}, Result: &model.Result{Revision: 8}},
	}}
	rows := clientsOf(h, nil)
	require.Len(t, rows, 2)
	require.Equal(t, []string{"a", "b"}, []string{rows[0].Client, rows[1].Client})
	require.Equal(t, []operationRow{{Asked: "put /p/a=1", Answer: "revision 8", Class: "done", Begin: 50, Length: 50}}, rows[0].Operations)
	require.Equal(t, []operationRow{{Asked: "list /p/ at revision 7, at most 3", Answer: "refused", Class: "refused", Begin: 12.5, Length: 37.5}}, rows[1].Operations)
}

// TestRowsOfATransaction: what it compares, what it does, and which branch it took. A register
// has no revisions.
func TestRowsOfATransaction(t *testing.T) {
	cas := &model.Request{Kind: model.Txn, Compare: []model.Compare{{Key: "x", Target: model.CompareValue, Value: "3"}, {Key: "y", Op: model.Greater, Operand: 7}},
		Success: []model.Request{{Kind: model.Put, Key: "x", Value: "4"}}, Failure: []model.Request{{Kind: model.Get, Key: "x"}}}
	h := &model.History{Clients: []string{"a"}, Operations: []model.Operation{
		{Call: 1, Return: 2, Outcome: model.Done, Request: cas, Result: &model.Result{Succeeded: true}},
		{Call: 3, Return: 4, Outcome: model.Done, Request: cas, Result: &model.Result{}},
		{Call: 5, Return: 6, Outcome: model.Done, Request: &model.Request{Kind: model.Get, Key: "x"}, Result: &model.Result{Items: []*model.Item{{Key: "x", Value: "4"}}}},
	}}
	rows := clientsOf(h, nil)[0].Operations
	require.Equal(t, "txn if x=3 and mod of y>7: put x=4; otherwise get x", rows[0].Asked)
	require.Equal(t, "the comparison was true", rows[0].Answer)
	require.Equal(t, "the comparison was false", rows[1].Answer)
	require.Equal(t, "x=4", rows[2].Answer)
}

// TestTheWrongAnswerIsMarkedAmongTheOperations: one row, that of the step that is marked.
func TestTheWrongAnswerIsMarkedAmongTheOperations(t *testing.T) {
	s := tellOnly(t, "issue-15220")
	var wrong []operationRow
	for _, c := range clientsOf(s.Run.History, s.Run) {
		for _, op := range c.Operations {
			if strings.Contains(op.Class, "wrong") {
				wrong = append(wrong, op)
			}
		}
	}
	require.Len(t, wrong, 1)
	require.True(t, strings.HasSuffix(wrong[0].When, s.Run.Place(s.Run.Wrong)), wrong[0].When)
}

// TestARefusalHasItsReason: as the client says it.
func TestARefusalHasItsReason(t *testing.T) {
	refused := 0
	for _, name := range storyNames(t) {
		s := tellOnly(t, name)
		for _, c := range clientsOf(s.Run.History, s.Run) {
			for _, op := range c.Operations {
				if op.Class == "refused" && op.When != "" {
					refused++
					require.NotEqual(t, "refused", op.Answer, "%s: %s", c.Client, op.Asked)
				}
			}
		}
	}
	require.NotZero(t, refused)
}

// TestThePageHasTheParametersThatWereGiven: each with its value.
func TestThePageHasTheParametersThatWereGiven(t *testing.T) {
	d := told(t, "issue-15220")
	page := pageOf(t, d)
	p, err := d.Scenario().RecordedParams(d.Recording.Parameters)
	require.NoError(t, err)
	require.NotEmpty(t, p.Given())
	for _, s := range p.Given() {
		require.Contains(t, page, "<tr><td>"+s.Name+"</td><td>"+s.Value+"</td></tr>")
	}
}

// TestNoStyleCutsText: at any width a label wraps or scrolls.
func TestNoStyleCutsText(t *testing.T) {
	for _, cut := range []string{"text-overflow", "overflow: hidden", "overflow:hidden", "line-clamp"} {
		require.NotContains(t, pageCSS, cut)
	}
}
