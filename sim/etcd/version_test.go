package etcd_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/release"
)

func value(t *testing.T, o etcd.Options, name string) string {
	found, err := etcd.Group.Find(name)
	require.NoError(t, err)
	return found.Get(&o)
}

func forVersion(t *testing.T, v string) etcd.Options {
	b, err := etcd.OptionsOf(v)
	require.NoError(t, err)
	return b
}

// The patch releases that the notes of each issue name.
func TestFixReleasesMatchTheReleaseNotes(t *testing.T) {
	fixes := map[string]string{
		"issue-15220": "3.4.25 and 3.5.8", "issue-15271": "3.4.25 and 3.5.8",
		"issue-17507": "3.4.31 and 3.5.13", "issue-17529": "3.4.31 and 3.5.13",
		"issue-17780": "3.4.32 and 3.5.14", "issue-18089": "3.4.34 and 3.5.16", "issue-19179": "3.4.36 and 3.5.18",
		"issue-20221": "3.4.38, 3.5.22 and 3.6.2", "issue-20221-events": "3.4.38, 3.5.22 and 3.6.2",
		"issue-20693": "3.4.38, 3.5.24 and 3.6.6", "created-overtakes-progress": "",
	}
	for _, bug := range etcd.Bugs() {
		require.Equal(t, fixes[bug.Name], bug.FixedIn().String(), bug.Name)
		for _, fixed := range bug.FixedIn() {
			before := fixed
			before.Patch--
			require.Equal(t, bug.Value, value(t, forVersion(t, before.String()), bug.Option), "%s in %s", bug.Name, before)
			for ; fixed.Patch < 60; fixed.Patch++ {
				require.NotEqual(t, bug.Value, value(t, forVersion(t, fixed.String()), bug.Option), "%s in %s", bug.Name, fixed)
			}
		}
		has := value(t, forVersion(t, "3.7.0"), bug.Option) == bug.Value
		require.Equal(t, bug.FixedIn() == nil, has, "%s in 3.7.0", bug.Name)
	}
}

func TestValuesThatEveryReleaseHasHaveNoFix(t *testing.T) {
	for _, name := range []string{"progress", "created", "chan-buf", "colour"} {
		require.Nil(t, etcd.FixedIn(name, "in-order"), name)
	}
	require.Nil(t, etcd.FixedIn("progress", "dropped-below-start"))
}

// Each listed release is the last one with its behaviour on its branch.
func TestVersionsAreTheLastOfEachBehaviour(t *testing.T) {
	versions := etcd.Versions()
	require.Subset(t, versions, []string{"3.4.24", "3.5.7", "3.5.12", "3.5.13", "3.5.35", "3.6.1", "3.6.16", "3.7.3"})
	for i, v := range versions {
		require.Equal(t, forVersion(t, v), forVersion(t, "v"+v))
		if i+1 < len(versions) && versions[i+1][:4] == v[:4] {
			next := release.Must(v)
			next.Patch++
			require.NotEqual(t, forVersion(t, v), forVersion(t, next.String()), v)
			require.Equal(t, forVersion(t, versions[i+1]), forVersion(t, next.String()), v)
		}
	}
}

func TestUnknownVersionsNameTheNearest(t *testing.T) {
	for v, nearest := range map[string]string{
		"3.3.27": "3.4.24", "2.3.8": "3.4.24", "": "3.4.24", "latest": "3.4.24", "3.5": "3.5.35", "3.5.x": "3.5.35",
		"3.6.0-rc.1": "3.6.16", "3.8.0": "3.7.3", "4.0.0": "3.7.3", "3.5.7.1": "3.5.35", "3.5.-1": "3.5.35", "3.50.1": "3.7.3",
	} {
		_, err := etcd.OptionsOf(v)
		require.ErrorContains(t, err, "the nearest is "+nearest, "%q", v)
		require.NotContains(t, err.Error(), "\n")
	}
}

func TestWatchChannelSizeOfEachRelease(t *testing.T) {
	for v, want := range map[string]int{"3.4.9": 1024, "3.4.10": 128, "3.5.0": 128} {
		c, err := etcd.OptionsOf(v)
		require.NoError(t, err)
		require.Equal(t, want, c.Store.ChanBufLen, v)
	}
	_, err := etcd.OptionsOf("3.3.0")
	require.Error(t, err)
}

func TestBugsAreValuesOfOptions(t *testing.T) {
	for _, bug := range etcd.Bugs() {
		b := forVersion(t, "3.7.3")
		fixed := b
		require.NoError(t, b.Apply(bug.Name))
		require.Equal(t, bug.Value, value(t, b, bug.Option))
		back, err := b.With(bug.Option, value(t, fixed, bug.Option))
		require.NoError(t, err)
		require.Equal(t, fixed, back, "%s changes one option", bug.Name)
	}
	b := forVersion(t, "3.5.35")
	unchanged := b
	require.ErrorContains(t, b.Apply("issue-1"), "issue-15220")
	require.ErrorContains(t, b.ApplyAll([]string{"issue-15220", "issue-17507"}), `"issue-15220" and "issue-17507" both set "progress"`)
	require.Equal(t, unchanged, b)
	require.NoError(t, b.ApplyAll([]string{"issue-15220", "issue-17529"}))
	_, err := b.With("progress", "loud")
	require.EqualError(t, err, `progress has no value "loud"; there are control-queue, deferred, dropped, dropped-below-start`)
	_, err = b.With("colour", "red")
	require.ErrorContains(t, err, `unknown option "colour"`)
}
