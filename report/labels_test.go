package report

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/testbed"
)

// TestEveryLabelIsKnown: a label in the name of a replay file is one of its property, so
// that `simrun list LABEL` says what it means.
func TestEveryLabelIsKnown(t *testing.T) {
	for _, c := range storyCases(t) {
		rec, err := recording.Open(c.recording())
		require.NoError(t, err)
		for _, f := range rec.Violations() {
			p, err := testbed.FindProperty(f.Property)
			require.NoError(t, err)
			if f.Label != "" {
				assert.Contains(t, p.Labels, f.Label, "%s of %s", f, c.name)
			}
		}
	}
}
