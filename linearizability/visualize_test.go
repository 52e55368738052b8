package linearizability

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/model"
)

// TestVisualizeUnknownOutcome: a write that was asked for after the last
// answer, and not answered, is drawn to the end of the page.
func TestVisualizeUnknownOutcome(t *testing.T) {
	h := &model.History{Clients: []string{"a", "b"}, Operations: []model.Operation{
		{Client: 0, Call: 1, Return: 2, Request: &model.Request{Kind: model.Put, Key: "k", Value: "1"}, Outcome: model.Done, Result: &model.Result{Revision: 1}},
		{Client: 1, Call: 7, Return: afterAll, Request: &model.Request{Kind: model.Put, Key: "k", Value: "2"}, Outcome: model.Unknown},
	}}
	var b bytes.Buffer
	require.NoError(t, Visualize(&b, h, Linearizable))
	require.Contains(t, b.String(), "put k=2: outcome unknown")
}
