package cache_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim/cache"
)

// TestBugsAreValuesOfDimensions: each can be set on top of a healthy cache and
// changes it, and no two are the same under two names.
func TestBugsAreValuesOfDimensions(t *testing.T) {
	names, values := map[string]bool{}, map[cache.Options]bool{}
	for _, b := range cache.Bugs() {
		require.False(t, names[b.Name], b.Name)
		names[b.Name] = true
		require.NotEmpty(t, b.Summary, b.Name)
		require.False(t, b.Issue == "" && b.FixedIn != "", "%s: a fix belongs to an issue", b.Name)
		o, err := cache.Options{}.With(b.Dimension, b.Value)
		require.NoError(t, err, b.Name)
		require.NotEqual(t, cache.Options{}, o, b.Name)
		require.False(t, values[o], "%s is another name for a bug that there is", b.Name)
		values[o] = true
	}
}
