package report

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/recorded"
	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/recording"
)

// TestAListedPropertyIsToldFirst: of all properties that the recording of a known bug
// violates, the one that the bug is listed with is told first, in whatever order the
// campaign has found them.
func TestAListedPropertyIsToldFirst(t *testing.T) {
	for _, c := range storyCases(t) {
		rec, err := recording.Open(c.recording())
		require.NoError(t, err)
		p, err := recorded.Params(c.scenario, rec)
		require.NoError(t, err)
		if len(p.Planted()) == 0 {
			continue
		}
		var failures []campaign.FailureTally
		for _, f := range rec.Violations() {
			failures = append(failures, campaign.FailureTally{Failure: f, Schedules: 1})
		}
		for range 2 {
			assert.Equal(t, c.property.Name, summary.PlainestFirst(c.scenario, &p, failures)[0].Failure.Property, c.name)
			slices.Reverse(failures)
		}
	}
}
