package designs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/testbed"
)

// explored are the properties of a scenario in a number of schedules with Kubernetes' own cache.
func explored(t *testing.T, sc *testbed.Scenario, seeds int, set ...string) map[string]campaign.PropertyTally {
	t.Helper()
	p := sc.Params
	p.Cache = "kubernetes@v0.37.2"
	for _, s := range set {
		name, value, _ := strings.Cut(s, "=")
		require.NoError(t, p.Set(name, value))
	}
	subjects, err := sc.Subjects(p)
	require.NoError(t, err)
	// The campaign carries out some seeds twice, and fails if a run differs.
	c, err := campaign.Run(t.Context(), subjects, campaign.Config{Seeds: uint64(seeds), Workers: 1, Steps: p.Clock.Steps})
	require.NoError(t, err)
	of := map[string]campaign.PropertyTally{}
	for _, property := range c.Properties {
		of[property.Name] = property
	}
	return of
}

// TestGuestFindsIssue15220: Kubernetes' own cache in front of etcd 3.5.7 answers a consistent LIST without
// a completed write if it does not check etcd's version. In front of 3.6.16 it does not, and with the
// check that it ships etcd 3.5.7 answers instead.
func TestGuestFindsIssue15220(t *testing.T) {
	for _, c := range []struct {
		set   []string
		finds bool
	}{
		{[]string{"etcd=3.5.7", "version-check=none"}, true},
		{[]string{"etcd=3.5.7"}, false},
		{[]string{"etcd=3.6.16"}, false},
	} {
		violated := 0
		for _, property := range explored(t, scenarios.Issue15220, 200, c.set...) {
			require.NotZero(t, property.Exercised, property.Name)
			if property.Verdict == model.Violated {
				violated++
			}
		}
		require.Equal(t, c.finds, violated > 0, "%v", c.set)
	}
}

// TestGuestShowsItsContents: judges see what is in Kubernetes' cache after each step, and whether it
// trusts etcd's progress. The check of etcd's version takes time, so that etcd answers first.
func TestGuestShowsItsContents(t *testing.T) {
	got := explored(t, scenarios.ConsistentList, 20, "etcd=3.6.16")
	for _, name := range []string{"cache-matches-etcd", "served-as-promised", "justified-refusals"} {
		require.Equal(t, model.Holds, got[name].Verdict, name)
		require.NotZero(t, got[name].Exercised, name)
	}
}

// TestGuestRefusesInvalidLists: what an API server refuses before its storage sees it has no answer.
// Without that a LIST with a match and no resourceVersion is answered with an old state.
func TestGuestRefusesInvalidLists(t *testing.T) {
	got := explored(t, scenarios.FutureReads, 24)
	// The scenario's future-rv=confirm does not reach the guest, which waits for the revision.
	for _, name := range []string{"linearizable", "exact", "served-as-promised", "justified-refusals"} {
		require.Equal(t, model.Holds, got[name].Verdict, name)
	}
}

// TestGuestsPromiseWhatTheirReleasesDo: what is known of a release is known of its guest, with a change or with
// goroutines that give way at locks as well. A checkout is taken for the newest release.
func TestGuestsPromiseWhatTheirReleasesDo(t *testing.T) {
	for guest, release := range map[string]string{
		"kubernetes@v0.37.2": "v0.37.2", "kubernetes@v0.37.2:locks": "v0.37.2", "kubernetes@v0.37.2+torn-update": "v0.37.2",
		"kubernetes@v0.38.0-alpha.2": "v0.38.0-alpha.2", "kubernetes@v0.38.0-alpha.2:locks": "v0.38.0-alpha.2", "kubernetes@v0.38.0-beta.0": "v0.38.0-beta.0", "kubernetes@mine": "v0.38.0-beta.0",
	} {
		got, err := cache.ForDesign(guest)
		require.NoError(t, err)
		want, err := cache.ForDesign(release)
		require.NoError(t, err)
		want.Ingestion.WatchListClient = true
		require.Equal(t, want, got, guest)
	}
}
