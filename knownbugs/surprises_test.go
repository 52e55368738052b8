package knownbugs_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/knownbugs"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

// TestBugsViolateWhatIsWrittenDown: a planted bug violates its own property, its
// further ones and what rows of the scenario say. Anything else is a surprise.
func TestBugsViolateWhatIsWrittenDown(t *testing.T) {
	schedules := testsize.Of[uint64](1_500, 100)
	recorded := knownbugs.Figures()
	require.Len(t, recorded, len(testbed.KnownBugs()), measureAnew)
	for i, b := range testbed.KnownBugs() {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			s := strategyOf(t, b)
			for _, sc := range append([]*testbed.Scenario{b.Scenario}, b.Also...) {
				var campaigns []*campaign.Result
				if first := uint64(compared(&recorded[i])); sc == b.Scenario {
					// TestKnownBugsAreDetected runs these.
					campaigns = append(campaigns, fresh(t, sc, s, first, b.Name))
					if first < schedules {
						campaigns = append(campaigns, explored(t, sc, s, freshSeeds+first, schedules-first, b.Name))
					}
				} else {
					campaigns = append(campaigns, fresh(t, sc, s, schedules, b.Name))
				}
				var violated []string
				for _, c := range campaigns {
					for _, f := range c.Properties {
						if f.Violations > 0 && !slices.Contains(violated, f.Name) {
							violated = append(violated, f.Name)
						}
					}
				}
				p := sc.Params
				p.Bugs = []string{b.Name}
				assert.Empty(t, known.OutcomeOf(sc, &p, violated).Unexpected, "%s: add them to Further, with the reason", sc.Name)
			}
		})
	}
}

// TestABugExcusesNothingElse: with a bug planted a violation of a claim that nothing
// is written about is unexpected, in the bug's scenario as in others.
func TestABugExcusesNothingElse(t *testing.T) {
	unexpected := func(sc *testbed.Scenario, bug string) []string {
		p := sc.Params
		p.Bugs = []string{bug}
		return known.OutcomeOf(sc, &p, testbed.Names(sc.Claims)).Unexpected
	}
	assert.Equal(t, []string{
		"ordered", "unique", "reliable", "bookmarkable", "served-as-promised", "needed-progress", "event-types", "justified-refusals",
		"nothing-left", "client-nothing-left", "etcd-nothing-left", "cache-catches-up", "watches-keep-up", "bookmarks-come", "comes-to-rest",
	}, unexpected(scenarios.ConsistentList, "version-before-store"))
	assert.NotContains(t, unexpected(scenarios.Outages, "version-before-store"), "linearizable-data", "it is its property")
	assert.Contains(t, unexpected(scenarios.Outages, "version-before-store"), "unique")
}

// TestFurtherPropertiesAreClaimed: some scenario of the bug can show each of them, and
// a sentence says why.
func TestFurtherPropertiesAreClaimed(t *testing.T) {
	for _, b := range testbed.KnownBugs() {
		assert.Equal(t, len(b.Further) > 0, b.WhyFurther != "", b.Name)
		assert.NotContains(t, b.Further, b.Property, b.Name)
		for _, p := range b.Further {
			assert.True(t, slices.ContainsFunc(append([]*testbed.Scenario{b.Scenario}, b.Also...), func(sc *testbed.Scenario) bool {
				return slices.Contains(sc.Claims, p)
			}), "%s: %s", b.Name, p.Name)
		}
	}
}
