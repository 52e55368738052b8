package smaller_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/command/smaller"
	_ "github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// TestWhatIsSmallerCanBeSearched: each option by itself makes a system of every scenario, and a row of the table is one of the scenario.
func TestWhatIsSmallerCanBeSearched(t *testing.T) {
	options, rows := 0, 0
	for _, sc := range testbed.Scenarios() {
		p := sc.Params
		for _, flag := range smaller.Options(sc, &p, 2) {
			setting, isSet := strings.CutPrefix(flag, "--set ")
			if !isSet {
				assert.Equal(t, "--firings 0", flag)
				continue
			}
			setting, _, _ = strings.Cut(setting, " ")
			name, value, _ := strings.Cut(setting, "=")
			less, err := p.With(name, value)
			require.NoError(t, err, "%s %s", sc.Name, flag)
			assert.NotEmpty(t, less.Expand(), "%s %s", sc.Name, flag)
			options++
		}
		if s := smaller.Searched(sc, &p); s != nil {
			rows++
			words := strings.Fields(s.Asked)
			assert.Equal(t, sc.Name, words[0])
			assert.Equal(t, "proved", s.Verdict)
			assert.Equal(t, s, smaller.Searched(sc, &p), "the same each time")
		}
	}
	assert.Greater(t, options, 100)
	assert.Greater(t, rows, 50)
}
