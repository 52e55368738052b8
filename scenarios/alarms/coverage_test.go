package alarms

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// allCoveragePoints is how many schedules of each scenario with each design make it a gap
// that a coverage point did not come about.
const allCoveragePoints = 300

var coveragePointSchedules = flag.Uint64("coverage.schedules", 3, "schedules of each scenario with each design in search of coverage points; from 300 on each coverage point comes about, or coveragepoints.jsonl has it")

// coveragePointDesigns are the designs with which coverage points are looked for.
var coveragePointDesigns = []string{"kep-2340", "kep-2340-fallback", "kep-4988", "v0.37.2"}

// absentCoveragePoint is a line of coveragepoints.jsonl: a coverage point that does not come about by default, and the
// reason.
type absentCoveragePoint struct {
	CoveragePoint, Reason string
	// With is a scenario with options in which it comes about, empty if only tests of packages have it.
	With string
}

func absentCoveragePoints(t *testing.T) (rows []absentCoveragePoint) {
	t.Helper()
	file, err := os.Open("coveragepoints.jsonl")
	require.NoError(t, err)
	defer file.Close()
	listed := map[string]bool{}
	for d := json.NewDecoder(file); d.More(); {
		var row absentCoveragePoint
		require.NoError(t, d.Decode(&row))
		assert.False(t, listed[row.CoveragePoint], "%s: listed twice", row.CoveragePoint)
		assert.NotEmpty(t, row.Reason, row.CoveragePoint)
		listed[row.CoveragePoint] = true
		rows = append(rows, row)
	}
	return rows
}

// TestCoveragePointsThatNeverComeAbout runs the whole catalogue, each scenario on its own
// version of etcd with each of the designs. A coverage point comes about, or coveragepoints.jsonl
// gives the reason why it does not.
func TestCoveragePointsThatNeverComeAbout(t *testing.T) {
	times := map[sim.CoveragePoint]uint64{}
	for k, sc := range testbed.Scenarios() {
		for i, design := range coveragePointDesigns {
			if *coveragePointSchedules < allCoveragePoints && (i+k)%testsize.Of(1, 8) != 0 {
				continue
			}
			p := sc.Params
			p.Cache = design
			for _, s := range campaigns.Explored(t, sc, p, 0, *coveragePointSchedules).CoveragePoints {
				times[s.CoveragePoint] += s.Times
			}
		}
	}
	absent := map[string]string{}
	for _, row := range absentCoveragePoints(t) {
		absent[row.CoveragePoint] = row.Reason
	}
	var never []string
	for _, s := range sim.CoveragePoints() {
		name := s.String()
		reason, listed := absent[name]
		delete(absent, name)
		switch {
		case times[s] == 0:
			never = append(never, name)
			assert.True(t, listed || *coveragePointSchedules < allCoveragePoints, "%q never comes about, and coveragepoints.jsonl gives no reason", name)
		case listed:
			assert.Fail(t, "coveragepoints.jsonl has a coverage point that comes about", "%s: %s", name, reason)
		}
	}
	assert.Empty(t, absent, "no such coverage points")
	t.Logf("%d of %d coverage points never came about in %d scenarios x %d designs x %d schedules:\n%s", len(never), len(sim.CoveragePoints()),
		len(testbed.Scenarios()), len(coveragePointDesigns), *coveragePointSchedules, strings.Join(never, "\n"))
}

// TestAbsentCoveragePointsComeAboutElsewhere: what coveragepoints.jsonl says of where a coverage point
// comes about is so.
func TestAbsentCoveragePointsComeAboutElsewhere(t *testing.T) {
	for _, row := range absentCoveragePoints(t) {
		if row.With == "" {
			continue
		}
		words := strings.Fields(row.With)
		sc, err := testbed.FindScenario(words[0])
		require.NoError(t, err, row.CoveragePoint)
		p := sc.Params
		for _, s := range option.Settings(words[1:]...) {
			require.NoError(t, p.Set(s.Name, s.Value), row.CoveragePoint)
		}
		came := false
		for first := uint64(0); first < 2000 && !came; first += 100 {
			came = campaigns.Times(t, campaigns.Explored(t, sc, p, first, 100), row.CoveragePoint) > 0
		}
		assert.True(t, came, "%s does not come about with %s", row.CoveragePoint, row.With)
	}
}
