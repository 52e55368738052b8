package etcd_test

import (
	"slices"
	"strings"
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

// newest is the newest known release of a branch.
func newest(branch string) string {
	all := etcd.Newest()
	return all[slices.IndexFunc(all, func(v string) bool { return strings.HasPrefix(v, branch+".") })]
}

// The patch releases that the notes of each issue name.
func TestFixReleasesMatchTheReleaseNotes(t *testing.T) {
	for setting, want := range map[string]string{
		"progress=ignored":                 "3.3.14", // #9869
		"fragments=none":                   "3.3.14", // #9291
		"watch-ids=counted":                "3.4.0",  // #9065
		"refusal-reason=none":              "3.4.0",
		"progress=control-queue":           "3.4.25 and 3.5.8",         // #15220
		"notify-min-rev=on-failure":        "3.4.25 and 3.5.8",         // #15271
		"progress=deferred":                "3.4.31 and 3.5.13",        // #17507
		"compacted-unsynced=falls-through": "3.4.31 and 3.5.13",        // #17529
		"restore-revision=from-keys":       "3.4.32 and 3.5.14",        // #17780
		"lease-time-left=of-any":           "3.4.32 and 3.5.14",        // #17642
		"compact-tombstone=removed":        "3.4.34 and 3.5.16",        // #18089
		"restore-tombstone=not-indexed":    "3.4.36 and 3.5.18",        // #19179
		"progress=dropped":                 "3.4.38, 3.5.22 and 3.6.2", // #20221
		"sync-min-rev=set-to-next":         "3.4.38, 3.5.22 and 3.6.2",
		"negative-start=accepted":          "3.4.38, 3.5.24 and 3.6.6", // #20693
		"sync-history=kept":                "3.6.6",                    // with #20693
		"needless-ranges=removed":          "3.7.0",                    // #18667
		"lease-renewal-waits=all":          "3.7.0",                    // #20589
		"read-index-ids=reused":            "3.4.42, 3.5.28 and 3.6.9", // #20418
		"created=past-channel":             "",
		"compact-recreated=lost":           "", // #22376
		"compacted-capped=left-unsynced":   "", // #22294
	} {
		name, old, _ := strings.Cut(setting, "=")
		fixed := etcd.FixedIn(name, old)
		require.Equal(t, want, fixed.String(), setting)
		for _, v := range fixed {
			before := v
			if before.Patch--; v.Patch == 0 {
				before = release.Must("3.3.27")
			}
			require.Equal(t, old, value(t, forVersion(t, before.String()), name), "%s in %s", setting, before)
			for ; v.Patch < 60; v.Patch++ {
				require.NotEqual(t, old, value(t, forVersion(t, v.String()), name), "%s in %s", setting, v)
			}
		}
		has := value(t, forVersion(t, "3.7.0"), name) == old
		require.Equal(t, fixed == nil, has, "%s in 3.7.0", setting)
	}
}

func TestValuesThatEveryReleaseHasHaveNoFix(t *testing.T) {
	for _, name := range []string{"created", "chan-buf", "colour"} {
		require.Nil(t, etcd.FixedIn(name, "in-order"), name)
	}
	require.Nil(t, etcd.FixedIn("progress", "dropped-below-start"))
}

// Each listed release is the last one with its behaviour on its branch.
func TestVersionsAreTheLastOfEachBehaviour(t *testing.T) {
	versions := etcd.Versions()
	require.Subset(t, versions, []string{"3.3.13", "3.3.27", "3.4.24", "3.5.7", "3.5.12", "3.5.13", newest("3.5"), "3.6.1", newest("3.6"), newest("3.7")})
	for i, v := range versions {
		require.Equal(t, forVersion(t, v), forVersion(t, "v"+v))
		if i+1 < len(versions) && versions[i+1][:4] == v[:4] {
			next := release.Must(v)
			next.Patch++
			require.NotEqual(t, forVersion(t, v), forVersion(t, next.String()), v)
			// Sizes of channels are no behaviour.
			newest, follows := forVersion(t, versions[i+1]), forVersion(t, next.String())
			newest.Store.ChanBufLen = follows.Store.ChanBufLen
			// Nor is what shows only where a follower asks twice.
			newest.Reads.ReusesIndexIDs = follows.Reads.ReusesIndexIDs
			require.Equal(t, newest, follows, v)
		}
	}
}

func TestUnknownVersionsNameTheNearest(t *testing.T) {
	for v, nearest := range map[string]string{
		"3.2.32": "3.3.0", "2.3.8": "3.3.0", "": newest("3.7"), "latest": newest("3.7"), "3.5": newest("3.5"), "3.5.x": newest("3.5"),
		"3.6.0-rc.1": newest("3.6"), "3.8.0": newest("3.7"), "4.0.0": newest("3.7"), "3.5.7.1": newest("3.5"), "3.5.-1": newest("3.5"),
		"3.50.1": newest("3.7"),
	} {
		_, err := etcd.OptionsOf(v)
		require.ErrorContains(t, err, "the nearest is "+nearest, "%q", v)
		require.NotContains(t, err.Error(), "\n")
	}
}

func TestUnreleasedVersionsBehaveAsTheNewestKnown(t *testing.T) {
	for v, newest := range map[string]string{"3.5.99": newest("3.5"), "v3.7.99": newest("3.7")} {
		known, unreleased := etcd.Unreleased(v)
		require.True(t, unreleased, v)
		require.Equal(t, newest, known)
		require.Equal(t, forVersion(t, newest), forVersion(t, v))
	}
	for _, v := range []string{newest("3.5"), "3.4.0", "3.8.0", "3.5.99-rc.0", "latest", ""} {
		_, unreleased := etcd.Unreleased(v)
		require.False(t, unreleased, v)
	}
}

func TestWatchChannelSizeOfEachRelease(t *testing.T) {
	for v, want := range map[string]int{"3.3.0": 1024, "3.3.22": 1024, "3.3.23": 128, "3.4.0": 1024, "3.4.9": 1024, "3.4.10": 128, "3.5.0": 128} {
		c, err := etcd.OptionsOf(v)
		require.NoError(t, err)
		require.Equal(t, want, c.Store.ChanBufLen, v)
	}
}

// kvstore_compaction.go of 3.3.27 has a batchsize of 10000 and waits 100 ms between two
// batches; that of 3.4.0 has CompactionBatchLimit, 1000 by default, and waits 10 ms.
func TestCompactionBatchesOfEachRelease(t *testing.T) {
	for v, want := range map[string]string{"3.3.0": "10000 100ms", "3.3.27": "10000 100ms", "3.4.0": "1000 10ms", "3.6.16": "1000 10ms"} {
		o := forVersion(t, v)
		require.Equal(t, want, value(t, o, "compaction-batch")+" "+value(t, o, "compaction-pause"), v)
	}
}

func TestOptionsAreSetByName(t *testing.T) {
	o := forVersion(t, "3.5.35")
	unchanged := o
	_, err := o.With("progress", "loud")
	require.EqualError(t, err, `progress has no value "loud"; there are control-queue, deferred, dropped, dropped-below-start, ignored`)
	_, err = o.With("colour", "red")
	require.ErrorContains(t, err, `unknown option "colour"`)
	require.Equal(t, unchanged, o)
	o, err = o.With("chan-buf", "3")
	require.NoError(t, err)
	require.Equal(t, 3, o.Store.ChanBufLen)
}
