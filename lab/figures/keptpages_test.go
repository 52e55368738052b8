package figures

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/scenarios"
)

// TestKeptPagesAreBoundedInBytes: "Memory would need to be somehow bound with this
// approach" (the first draft of KEP-2340). With a bound the rests stay below it, without
// one they do not, and one that is larger than the bound is not kept at all.
func TestKeptPagesAreBoundedInBytes(t *testing.T) {
	const bound = "100"
	free := measuredBy(t, scenarios.KeptPages, "kept-pages=100")
	require.Greater(t, tally(t, free, "kept_pages_bytes").Max(), int64(100))
	bounded := measuredBy(t, scenarios.KeptPages, "kept-pages=100", "kept-bytes="+bound)
	kept := tally(t, bounded, "kept_pages_bytes")
	require.NotZero(t, kept.Count())
	require.LessOrEqual(t, kept.Max(), int64(100))
	assert.NotZero(t, campaigns.Times(t, bounded, "cache: kept pages dropped for newer ones"))
	tiny := measuredBy(t, scenarios.KeptPages, "kept-bytes=20")
	assert.NotZero(t, campaigns.Times(t, tiny, "cache: rest of a list that is too large to be kept"))
	for _, f := range bounded.Properties {
		assert.Zero(t, f.Violations, f.Name)
		assert.NotZero(t, f.Exercised, f.Name)
	}
}
