package caches

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim/cache"
)

// TestEachLimitIsJudged: with an option that is no limit by default a cache answers 429, and justified-refusals has to
// know when. Above memory-limit a server is killed.
func TestEachLimitIsJudged(t *testing.T) {
	limits := 0
	for _, o := range cache.Group {
		if o.Default != "no limit" || o.Name == "memory-limit" {
			continue
		}
		var c cache.Options
		require.NoError(t, o.Set(&c, "1"))
		assert.True(t, hasLimits(&c), o.Name)
		limits++
	}
	require.Positive(t, limits)
}
