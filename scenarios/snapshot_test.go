package scenarios

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// violatedIn lists what a campaign of a scenario with single options set finds
// violated.
func violatedIn(t *testing.T, sc *testbed.Scenario, settings ...string) (names []string, c *campaign.Result) {
	t.Helper()
	p := campaigns.With(t, sc, settings...)
	c = campaigns.Explored(t, sc, p, 0, testsize.Of[uint64](1000, 500))
	names = campaigns.Violated(c)
	o := known.OutcomeOf(sc, &p, names)
	assert.Empty(t, known.Names(o.Missing))
	assert.Empty(t, o.Unexpected)
	return names, c
}

// What each phase of the consistency checker makes of one lost event (KEP-4988,
// "Cache Inconsistency Detection Mechanism").
func TestLostEvent(t *testing.T) {
	t.Run("off", func(t *testing.T) {
		p := campaigns.With(t, LostEvent, "consistency-checker=off")
		c := campaigns.Explored(t, LostEvent, p, 0, testsize.Of[uint64](1000, 300))
		for _, f := range c.Properties {
			// Nothing is compared.
			switch f.Name {
			case caches.DetectorAccuracy.Name, caches.ChecksApart.Name, caches.SuspectSnapshots.Name:
				assert.Zero(t, f.Exercised, f.Name)
			default:
				assert.NotZero(t, f.Violations, f.Name)
			}
		}
	})
	t.Run("alpha", func(t *testing.T) {
		names, c := violatedIn(t, LostEvent, "consistency-checker=panic")
		assert.Empty(t, names)
		assert.NotZero(t, campaigns.Times(t, c, "cache: process ended by a failed consistency check"))
	})
	t.Run("beta", func(t *testing.T) {
		names, c := violatedIn(t, LostEvent)
		assert.Equal(t, []string{reads.Linearizable.Name, reads.Pages.Name}, names)
		assert.NotZero(t, campaigns.Times(t, c, "cache: snapshots switched off by a failed consistency check"))
	})
}

// ofOtherDesigns are the coverage points that kep-4988 does not get into.
var ofOtherDesigns = []string{
	"cache: consistency check by a hash of etcd",
	"cache: process ended by a failed consistency check",
	"cache: snapshot of an event that was on its way when snapshots were switched off",
	"cache: snapshots dropped by a consistency check that passed",
}

// The scenarios of snapshots go through every branch of them.
func TestSnapshotCoveragePoints(t *testing.T) {
	seen := map[string]uint64{}
	for _, sc := range []*testbed.Scenario{SnapshotReads, CompactedHistory, CompetingCompactors, LostEvent, LostEventRecovers, Detectors} {
		_, c := violatedIn(t, sc)
		for _, s := range c.CoveragePoints {
			seen[s.CoveragePoint.String()] += s.Times
		}
	}
	for _, s := range sim.CoveragePoints() {
		name := s.String()
		if strings.HasPrefix(name, "compactor: ") || strings.Contains(name, "snapshot") && strings.HasPrefix(name, "cache: ") ||
			strings.Contains(name, "consistency check") || strings.Contains(name, "answered list") {
			if !slices.Contains(ofOtherDesigns, name) {
				assert.NotZero(t, seen[name], name)
			}
		}
	}
	require.NotZero(t, seen["compactor: another server was first"])
}
