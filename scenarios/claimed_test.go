package scenarios

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/internal/testsize"
	_ "github.com/watchbed/watchbed/properties"
	"github.com/watchbed/watchbed/testbed"
)

// unclaimed are the properties that no scenario claims, by the reason.
var unclaimed = map[string]string{
	"no-panic": "package explore judges it in every run",
}

// TestEveryPropertyIsClaimed: a property is of use if some scenario puts it to the
// test.
func TestEveryPropertyIsClaimed(t *testing.T) {
	for _, p := range testbed.Properties() {
		claimed := slices.ContainsFunc(testbed.Scenarios(), func(sc *testbed.Scenario) bool { return slices.Contains(sc.Claims, p) })
		assert.Equal(t, unclaimed[p.Name] == "", claimed, p.Name)
	}
}

// TestPropertiesSayWhatTheyPromise: in a sentence, and what is wrong in words that
// fit a cell of the matrix.
func TestPropertiesSayWhatTheyPromise(t *testing.T) {
	for _, p := range testbed.Properties() {
		assert.True(t, strings.HasSuffix(p.Promise, "."), "%s: %s", p.Name, p.Promise)
		words := []string{p.Violated, p.Words("no such label")}
		for label := range p.Labels {
			words = append(words, p.Words(label))
		}
		for _, w := range words {
			assert.NotEmpty(t, w, p.Name)
			assert.LessOrEqual(t, len(w), 32, "%s: %s", p.Name, w)
		}
	}
}

// TestScenariosClaimAndDescribe: a scenario without claims or words is of no use.
func TestScenariosClaimAndDescribe(t *testing.T) {
	for _, sc := range testbed.Scenarios() {
		assert.NotEmpty(t, sc.Claims, sc.Name)
		assert.NotEmpty(t, sc.Summary, sc.Name)
		assert.NotContains(t, sc.Summary, "\n", sc.Name)
		assert.NotEmpty(t, sc.Doc, sc.Name)
	}
}

// TestScenariosReachWhatTheyAreAbout: a scenario that does so in fewer schedules, or never, shows less than it says.
func TestScenariosReachWhatTheyAreAbout(t *testing.T) {
	const schedules = 200
	for k, sc := range testbed.Scenarios() {
		assert.NotEmpty(t, sc.About, sc.Name)
		if k%testsize.Of(1, 4) != 0 {
			continue
		}
		left := maps.Clone(sc.About)
		for _, s := range campaigns.Explored(t, sc, sc.Params, 0, schedules).CoveragePoints {
			name := s.CoveragePoint.String()
			if least, of := left[name]; of {
				assert.GreaterOrEqual(t, 100*s.Schedules, uint64(least)*schedules, "%s: %s in %d of %d schedules", sc.Name, name, s.Schedules, schedules)
				delete(left, name)
			}
		}
		assert.Empty(t, left, "%s: no coverage points", sc.Name)
	}
}
