package report

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
)

// TestBlame: the diagnosis names the cause of each known bug and of each scenario
// that fails, if the case is diagnosed. That of a known bug is its setting.
func TestBlame(t *testing.T) {
	for i, c := range storyCases(t) {
		if !diagnosed(i) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.blame, c.open(t).Decision.Blame())
		})
	}
}

// TestTheBugOfTheScenarioIsBlamedFirst: of two behaviours of etcd that decide alike, the
// one is blamed that the scenario was made for, and the other one is named behind it. A
// compaction that keeps deletions hides etcd-io/etcd#17780, too, and a watch from now on
// that is given its revision later hides #20693 in this world.
func TestTheBugOfTheScenarioIsBlamedFirst(t *testing.T) {
	for _, c := range []storyCase{
		{scenario: scenarios.CrashInCompaction, property: reads.LinearizableData, set: []string{"cache=direct", "etcd=3.5.12"}, blame: "restore-revision=from-keys"},
		{scenario: scenarios.NegativeWatch, property: watches.Reliable, set: []string{"cache=draft-2019", "etcd=3.5.13"}, blame: "negative-start=accepted"},
	}[:testsize.Of(2, 1, 1)] {
		c.name = c.scenario.Name
		rec := c.search(t)
		i := slices.IndexFunc(rec.Violations(), func(f explore.Failure) bool { return f.Property == c.property.Name })
		d, err := diagnosis.Of(c.scenario, rec, rec.Violations()[i])
		require.NoError(t, err)
		assert.Equal(t, c.blame, d.Decision.Blame())
		assert.Contains(t, d.Cause(), "The same is true with ")
	}
}

// TestWhatIsKnownIsSaid: where no setting decides, the reason in the rows of the scenario
// is said.
func TestWhatIsKnownIsSaid(t *testing.T) {
	for name, issue := range map[string]string{
		"stale-list":           "kubernetes/kubernetes#59848",
		"informer-relist-loop": "kubernetes/kubernetes#133810",
	} {
		assert.Contains(t, told(t, name).Cause(), issue, name)
	}
	assert.NotContains(t, told(t, "issue-15220").Cause(), "What is known", "one behaviour decides")
}
