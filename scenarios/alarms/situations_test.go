package alarms

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/tried"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// allSituations is how many schedules of each scenario with each design make it a gap
// that a situation did not come about.
const allSituations = 300

var situationSchedules = flag.Uint64("situations.schedules", 3, "schedules of each scenario with each design in search of situations; from 300 on each situation comes about, or situations.md has it")

// situationDesigns are the designs with which situations are looked for.
var situationDesigns = []string{"kep-2340", "kep-2340-fallback", "kep-4988", "v0.37.2"}

// absentSituation is a row of situations.md.
type absentSituation struct {
	name, reason string
	// scenario and settings are where it comes about, nil if only tests of packages
	// have it.
	scenario *testbed.Scenario
	settings []string
}

func absentSituations(t *testing.T) (rows []absentSituation) {
	text, err := os.ReadFile("../situations.md")
	require.NoError(t, err)
	listed := map[string]bool{}
	for _, line := range strings.Split(string(text), "\n") {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| situation |") || strings.HasPrefix(line, "| ---") {
			continue
		}
		cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "| "), " |"), " | ")
		require.Len(t, cells, 3, line)
		assert.False(t, listed[cells[0]], "%s: listed twice", cells[0])
		assert.NotEmpty(t, cells[1], "%s: no reason", cells[0])
		listed[cells[0]] = true
		row := absentSituation{name: cells[0], reason: cells[1]}
		if cells[2] != "-" {
			words := strings.Fields(strings.Trim(cells[2], "`"))
			var err error
			row.scenario, err = testbed.FindScenario(words[0])
			require.NoError(t, err, row.name)
			row.settings = words[1:]
		}
		rows = append(rows, row)
	}
	return rows
}

// TestSituationsThatNeverComeAbout runs the whole catalogue, each scenario on its own
// version of etcd with each of the designs. A situation comes about, or situations.md
// gives the reason why it does not.
func TestSituationsThatNeverComeAbout(t *testing.T) {
	times := map[sim.Situation]uint64{}
	for _, sc := range testbed.Scenarios() {
		for _, design := range situationDesigns {
			p := sc.Params
			p.Cache = design
			for _, s := range tried.Explored(t, sc, p, 0, *situationSchedules).Situations {
				times[s.Situation] += s.Times
			}
		}
	}
	absent := map[string]string{}
	for _, row := range absentSituations(t) {
		absent[row.name] = row.reason
	}
	var never []string
	for _, s := range sim.Situations() {
		name := s.String()
		reason, listed := absent[name]
		delete(absent, name)
		switch {
		case times[s] == 0:
			never = append(never, name)
			assert.True(t, listed || *situationSchedules < allSituations, "%q never comes about, and situations.md gives no reason", name)
		case listed:
			assert.Fail(t, "situations.md has a situation that comes about", "%s: %s", name, reason)
		}
	}
	assert.Empty(t, absent, "no such situations")
	t.Logf("%d of %d situations never came about in %d scenarios x %d designs x %d schedules:\n%s", len(never), len(sim.Situations()),
		len(testbed.Scenarios()), len(situationDesigns), *situationSchedules, strings.Join(never, "\n"))
}

// TestAbsentSituationsComeAboutElsewhere: what situations.md says of where a situation
// comes about is so.
func TestAbsentSituationsComeAboutElsewhere(t *testing.T) {
	for _, row := range absentSituations(t) {
		if row.scenario == nil {
			continue
		}
		p := row.scenario.Params
		for _, s := range option.Settings(row.settings...) {
			require.NoError(t, p.Set(s.Name, s.Value), row.name)
		}
		came := false
		for first := uint64(0); first < 2000 && !came; first += 100 {
			came = tried.Times(t, tried.Explored(t, row.scenario, p, first, 100), row.name) > 0
		}
		assert.True(t, came, "%s does not come about with %s %v", row.name, row.scenario.Name, row.settings)
	}
}
