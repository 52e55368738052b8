package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/model"
)

// TestSpelt: however a text is cut, and JSON says the same.
func TestSpelt(t *testing.T) {
	const text = "a\u202eb\u2066\u061cé\u2067 €😀\xff\u200f"
	for cut := range len(text) + 1 {
		var b strings.Builder
		w := &Spelt{To: &b}
		for _, part := range []string{text[:cut], text[cut:]} {
			n, err := w.Write([]byte(part))
			require.NoError(t, err)
			require.Equal(t, len(part), n)
		}
		require.Equal(t, `a\u202eb\u2066\u061cé\u2067 €😀`+"\xff"+`\u200f`, b.String(), cut)
	}
	var b bytes.Buffer
	require.NoError(t, json.NewEncoder(&Spelt{To: &b}).Encode(text[:8]))
	require.Contains(t, b.String(), `\u202e`)
	var back string
	require.NoError(t, json.Unmarshal(b.Bytes(), &back))
	require.Equal(t, text[:8], back)
}

// TestTimelineSpellsOut: a script takes one backslash away.
func TestTimelineSpellsOut(t *testing.T) {
	h := &model.History{Clients: []string{"a"}, Operations: []model.Operation{{
		Call: 1, Return: 2, Request: &model.Request{Kind: model.Put, Key: "k\u202e"}, Outcome: model.Done, Result: &model.Result{Revision: 1},
	}}}
	page := timelineOf(h, linearizability.Linearizable).Page
	require.Contains(t, page, `k\\u202e`)
	require.NotContains(t, page, "\u202e")
}
