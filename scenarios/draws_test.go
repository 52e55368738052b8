package scenarios

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/testbed"
)

// drawing are the scenarios that have draws.
func drawing(t *testing.T) (all []*testbed.Scenario) {
	for _, sc := range testbed.Scenarios() {
		if len(sc.Draws) > 0 {
			all = append(all, sc)
		}
	}
	require.NotEmpty(t, all)
	return all
}

// TestEveryValueOfADrawFits: each value alone makes a system, so that a draw leaves
// nothing out but what does not fit together.
func TestEveryValueOfADrawFits(t *testing.T) {
	for _, sc := range drawing(t) {
		named := map[string]bool{}
		for _, r := range sc.Draws {
			assert.False(t, named[r.Name], "%s draws %s twice", sc.Name, r.Name)
			named[r.Name] = true
			for _, value := range r.Values {
				p := sc.Params
				require.NoError(t, p.Set(r.Name, value), sc.Name)
				_, err := sc.New(p)
				assert.NoError(t, err, "%s with %s=%s", sc.Name, r.Name, value)
			}
		}
	}
}

// TestDrawIsAFunctionOfItsNumber: and its parameters name all that was drawn.
func TestDrawIsAFunctionOfItsNumber(t *testing.T) {
	const many = 50
	for _, sc := range drawing(t) {
		different := map[string]bool{}
		for n := range uint64(many) {
			p, err := sc.Draw(n, nil)
			require.NoError(t, err)
			again, err := sc.Draw(n, nil)
			require.NoError(t, err)
			require.Equal(t, p, again)
			var restored testbed.Params
			require.NoError(t, restored.Restore(p.Expand()))
			assert.Equal(t, p.Expand(), restored.Expand(), "draw %d of %s", n, sc.Name)
			text := ""
			for _, s := range p.Expand() {
				text += s.String() + " "
			}
			different[text] = true
		}
		// Of two draws a range is left alone in both, or has one of its values in both.
		alike := 1.
		for _, r := range sc.Draws {
			alike *= 0.25 + 0.25/float64(len(r.Values))
		}
		pairs := int(alike * many * (many - 1) / 2)
		assert.Greater(t, len(different), 45-pairs, "%s draws the same again and again", sc.Name)
	}
}

// TestWhatIsAskedForIsNotDrawn: a change comes on top of a draw, and settings that make no
// system with it are left out.
func TestWhatIsAskedForIsNotDrawn(t *testing.T) {
	for n := range uint64(20) {
		p, err := AnyRequests.Draw(n, func(p *testbed.Params) error { return p.Set("ring", "7") })
		require.NoError(t, err)
		nodes, err := p.Nodes()
		require.NoError(t, err)
		assert.Equal(t, "7", nodes.Value("ring"))
	}
}
