package etcd_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim/etcd"
)

func value(t *testing.T, b etcd.Behaviour, dim string) string {
	for _, d := range b.Dimensions() {
		if d.Name == dim {
			require.Contains(t, d.Values, d.Value)
			return d.Value
		}
	}
	t.Fatalf("no dimension %q", dim)
	return ""
}

func forVersion(t *testing.T, v string) etcd.Behaviour {
	b, err := etcd.ForVersion(v)
	require.NoError(t, err)
	return b
}

// TestFixesLandWhereTheReleasesSaySo: the release before has the bug, the one
// that it was fixed in has not, nor has any later one.
func TestFixesLandWhereTheReleasesSaySo(t *testing.T) {
	for _, bug := range etcd.Bugs() {
		if bug.FixedIn == nil {
			for _, v := range etcd.Versions() {
				require.Equal(t, bug.Value, value(t, forVersion(t, v), bug.Dimension), "%s in %s", bug.Name, v)
			}
			continue
		}
		for _, fixed := range bug.FixedIn {
			dot := strings.LastIndexByte(fixed, '.')
			patch, err := strconv.Atoi(fixed[dot+1:])
			require.NoError(t, err)
			for p := range 60 {
				has := value(t, forVersion(t, fmt.Sprintf("%s.%d", fixed[:dot], p)), bug.Dimension) == bug.Value
				switch {
				case p >= patch:
					require.False(t, has, "%s in %s.%d", bug.Name, fixed[:dot], p)
				case p == patch-1:
					require.True(t, has, "%s in %s.%d", bug.Name, fixed[:dot], p)
				}
			}
		}
		require.NotEqual(t, bug.Value, value(t, forVersion(t, "3.7.0"), bug.Dimension), bug.Name)
	}
}

func TestVersionsAreDistinctWithinABranch(t *testing.T) {
	versions := etcd.Versions()
	for i, v := range versions {
		b := forVersion(t, v)
		require.Equal(t, b, forVersion(t, "v"+v))
		if i > 0 && versions[i-1][:4] == v[:4] && i+1 < len(versions) && versions[i+1][:4] == v[:4] {
			require.NotEqual(t, forVersion(t, versions[i-1]), b, v)
		}
	}
}

func TestUnknownVersionsNameTheNearest(t *testing.T) {
	for v, nearest := range map[string]string{
		"3.3.27": "3.4.24", "2.3.8": "3.4.24", "": "3.4.24", "latest": "3.4.24", "3.5": "3.5.35", "3.5.x": "3.5.35",
		"3.6.0-rc.1": "3.6.16", "3.8.0": "3.7.3", "4.0.0": "3.7.3", "3.5.7.1": "3.5.35", "3.5.-1": "3.5.35",
	} {
		_, err := etcd.ForVersion(v)
		require.ErrorContains(t, err, "the nearest is "+nearest, "%q", v)
		require.NotContains(t, err.Error(), "\n")
	}
}

func TestChannelsWereLargerOnce(t *testing.T) {
	for v, want := range map[string]int{"3.4.9": 1024, "3.4.10": 128, "3.5.0": 128} {
		c, err := etcd.DefaultConfig(v)
		require.NoError(t, err)
		require.Equal(t, want, c.ChanBufLen, v)
	}
	_, err := etcd.DefaultConfig("3.3.0")
	require.Error(t, err)
}

func TestBugsAreValuesOfDimensions(t *testing.T) {
	for _, bug := range etcd.Bugs() {
		b := forVersion(t, "3.7.3")
		fixed := b
		require.NoError(t, b.Apply(bug.Name))
		require.Equal(t, bug.Value, value(t, b, bug.Dimension))
		back, err := b.With(bug.Dimension, value(t, fixed, bug.Dimension))
		require.NoError(t, err)
		require.Equal(t, fixed, back, "%s changes one dimension", bug.Name)
	}
	b := forVersion(t, "3.5.35")
	unchanged := b
	require.ErrorContains(t, b.Apply("issue-1"), "issue-15220")
	require.ErrorContains(t, b.ApplyAll([]string{"issue-15220", "issue-17507"}), `"issue-15220" and "issue-17507" both set the dimension "progress"`)
	require.Equal(t, unchanged, b)
	require.NoError(t, b.ApplyAll([]string{"issue-15220", "issue-17529"}))
	_, err := b.With("progress", "loud")
	require.ErrorContains(t, err, "deferred")
	_, err = b.With("colour", "red")
	require.ErrorContains(t, err, "notify-min-rev")
}
