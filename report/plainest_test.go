package report

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/recorded"
	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/testbed"
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
		failures := tallies(rec)
		for range 2 {
			assert.Equal(t, c.property.Name, summary.PlainestFirst(&p, failures)[0].Failure.Property, c.name)
			slices.Reverse(failures)
		}
	}
}

// TestWhatClientsSeeIsToldFirst: of all properties that the recording of a scenario
// violates, one about what clients see is told before those about what a cache holds,
// initial events before bookmarks, and what an informer holds before what it was sent.
func TestWhatClientsSeeIsToldFirst(t *testing.T) {
	later := map[string][]*testbed.Property{
		caches.MatchEtcd.Name:      {reads.LinearizableData, reads.Linearizable, reads.Exact, reads.Pages, informers.MatchEtcd, watches.InitialEvents},
		watches.Bookmarkable.Name:  {reads.LinearizableData, watches.InitialEvents},
		watches.InitialEvents.Name: {reads.LinearizableData, informers.MatchEtcd},
		informers.CatchUp.Name:     {informers.MatchEtcd},
		reads.Sequential.Name:      {reads.ReadYourWrites},
		reads.Pages.Name:           {reads.Linearizable, reads.Exact},
	}
	compared := 0
	for _, c := range storyCases(t) {
		rec, err := recording.Open(c.recording())
		require.NoError(t, err)
		p, err := recorded.Params(c.scenario, rec)
		require.NoError(t, err)
		if len(p.Planted()) > 0 {
			continue
		}
		failures := tallies(rec)
		for range 2 {
			first := summary.PlainestFirst(&p, failures)[0].Failure.Property
			for _, plainer := range later[first] {
				compared++
				assert.False(t, slices.ContainsFunc(rec.Violations(), func(f explore.Failure) bool { return f.Property == plainer.Name }),
					"%s: %s is told before %s", c.name, first, plainer.Name)
			}
			slices.Reverse(failures)
		}
	}
	assert.NotZero(t, compared)
}

// tallies are the violations of a recording as a campaign of one schedule counts them.
func tallies(rec *recording.Recording) []campaign.FailureTally {
	var failures []campaign.FailureTally
	for _, f := range rec.Violations() {
		failures = append(failures, campaign.FailureTally{Failure: f, Schedules: 1})
	}
	return failures
}
