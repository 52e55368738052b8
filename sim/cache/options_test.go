package cache_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim/cache"
)

func TestDesigns(t *testing.T) {
	var names []string
	seen := map[cache.Options]bool{}
	for _, d := range cache.Designs() {
		names = append(names, d.Name)
		require.NotEmpty(t, d.Summary)
		require.False(t, seen[d.Options], "%s is another name for a design that there is", d.Name)
		seen[d.Options] = true
		o, err := cache.ForDesign(d.Name)
		require.NoError(t, err)
		require.Equal(t, d.Options, o)
	}
	require.Subset(t, names, []string{
		"kep-2340", "kep-2340-fallback", "direct", "stale", "single-request",
		"draft-2019", "progress-echo", "accumulated-reads", "dynamic-fallback", "v0.37.2",
	})
	_, err := cache.ForDesign("kep-1")
	require.ErrorContains(t, err, `"single-request"`)
}

func TestDimensions(t *testing.T) {
	var o cache.Options
	for _, d := range o.Dimensions() {
		require.Equal(t, d.Values[0], d.Value, "the zero value is the first")
		for i, v := range d.Values {
			p, err := o.With(d.Name, v)
			require.NoError(t, err)
			require.Equal(t, i != 0, p != o, "%s=%s", d.Name, v)
			changed := 0
			for _, e := range p.Dimensions() {
				if e.Name == d.Name {
					require.Equal(t, v, e.Value)
				} else if e.Value != e.Values[0] {
					changed++
				}
			}
			require.Zero(t, changed, "no other dimension changes")
		}
	}
	_, err := o.With("freshness", "new")
	require.ErrorContains(t, err, `"consistent"`)
	_, err = o.With("speed", "high")
	require.ErrorContains(t, err, `"on-timeout"`)
}
