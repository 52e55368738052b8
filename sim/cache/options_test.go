package cache_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

func TestDesigns(t *testing.T) {
	var names []string
	seen := map[cache.Options]bool{}
	for _, d := range cache.Designs() {
		names = append(names, d.Name)
		require.NotEmpty(t, d.Doc)
		require.False(t, seen[d.Options()], "%s is another name for a design that there is", d.Name)
		seen[d.Options()] = true
		o, err := cache.ForDesign(d.Name)
		require.NoError(t, err)
		require.Equal(t, d.Options(), o)
		require.IsType(t, &cache.Cache{}, d.New(cache.Config{Prefix: prefix}))
	}
	require.Subset(t, names, []string{
		"kep-2340", "kep-2340-fallback", "direct", "stale", "single-request",
		"draft-2019", "progress-echo", "accumulated-reads", "dynamic-fallback", "v0.37.2",
	})
	_, err := cache.ForDesign("kep-234")
	require.EqualError(t, err, `unknown cache design "kep-234"; did you mean "kep-2340"?`)
}

// TestOptionsSetOneFieldEach: the zero value is the first value of each choice,
// and setting one changes no other.
func TestOptionsSetOneFieldEach(t *testing.T) {
	var zero cache.Options
	for i := range cache.Choices {
		c := &cache.Choices[i]
		require.Equal(t, "cache", c.Node)
		require.NotEmpty(t, c.Doc)
		require.Equal(t, c.Values()[0].Name, c.Get(&zero))
		for i, v := range c.Values() {
			require.NotEmpty(t, v.Doc, "%s=%s", c.Name, v.Name)
			o, err := zero.With(c.Name, v.Name)
			require.NoError(t, err)
			require.Equal(t, i != 0, o != zero, "%s=%s", c.Name, v.Name)
			require.Equal(t, []option.Setting{{Name: c.Name, Value: v.Name}}[:min(i, 1)], changed(o))
		}
	}
	o, err := zero.With("ring", "7")
	require.NoError(t, err)
	require.Equal(t, 7, o.RingCapacity)
	_, err = zero.With("freshness", "consistant")
	require.EqualError(t, err, `freshness has no value "consistant"; did you mean "consistent"?`)
	_, err = zero.With("freshnes", "none")
	require.EqualError(t, err, `unknown option "freshnes"; did you mean "freshness"?`)
}

// changed are the settings that differ from the defaults.
func changed(o cache.Options) []option.Setting {
	all := []option.Setting{}
	defaults := cache.Group.Expand(&cache.Options{})
	for i, s := range cache.Group.Expand(&o) {
		if s != defaults[i] {
			all = append(all, s)
		}
	}
	return all
}

func TestNotOlderThanTimesOutInEveryDesign(t *testing.T) {
	for _, d := range cache.Designs() {
		if d.Name == "direct" {
			continue
		}
		b := newBed(t, config(d.Options()))
		b.listed(5)
		b.ask(&wire.ListRequest{Prefix: prefix, ResourceVersion: 8, Match: wire.MatchNotOlderThan})
		b.do("fire cache timeout")
		b.settle()
		err, _ := take[*wire.Error](b, b.down)
		require.Equal(t, wire.TooLargeResourceVersion, err.Code, d.Name)
		require.Equal(t, 1, b.covered("read that is not consistent timed out"), d.Name)
	}
}

// timers-owned names a timer that was left behind. The read or the watch that it was for is over then.
func TestWhatIsOverHasAName(t *testing.T) {
	require.Equal(t, "read 0: over", new(read.Read).String())
	require.Equal(t, "watcher 0: over", new(dispatch.Watcher).String())
}
