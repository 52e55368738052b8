package alarms

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/internal/tried"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// allSituations is how many schedules of each scenario with each design make it a gap
// that a situation did not come about.
const allSituations = 300

var situationSchedules = flag.Uint64("situations.schedules", 3, "schedules of each scenario with each design in search of situations; from 300 on each situation comes about, or situations.jsonl has it")

// situationDesigns are the designs with which situations are looked for.
var situationDesigns = []string{"kep-2340", "kep-2340-fallback", "kep-4988", "v0.37.2"}

// absentSituation is a line of situations.jsonl: a situation that does not come about by default, and the reason.
type absentSituation struct {
	Situation, Reason string
	// With is a scenario with options in which it comes about, empty if only tests of packages have it.
	With string
}

func absentSituations(t *testing.T) (rows []absentSituation) {
	t.Helper()
	file, err := os.Open("situations.jsonl")
	require.NoError(t, err)
	defer file.Close()
	listed := map[string]bool{}
	for d := json.NewDecoder(file); d.More(); {
		var row absentSituation
		require.NoError(t, d.Decode(&row))
		assert.False(t, listed[row.Situation], "%s: listed twice", row.Situation)
		assert.NotEmpty(t, row.Reason, row.Situation)
		listed[row.Situation] = true
		rows = append(rows, row)
	}
	return rows
}

// TestSituationsThatNeverComeAbout runs the whole catalogue, each scenario on its own
// version of etcd with each of the designs. A situation comes about, or situations.jsonl
// gives the reason why it does not.
func TestSituationsThatNeverComeAbout(t *testing.T) {
	times := map[sim.Situation]uint64{}
	for k, sc := range testbed.Scenarios() {
		for i, design := range situationDesigns {
			if *situationSchedules < allSituations && (i+k)%testsize.Of(1, 4, 4) != 0 {
				continue
			}
			p := sc.Params
			p.Cache = design
			for _, s := range tried.Explored(t, sc, p, 0, *situationSchedules).Situations {
				times[s.Situation] += s.Times
			}
		}
	}
	absent := map[string]string{}
	for _, row := range absentSituations(t) {
		absent[row.Situation] = row.Reason
	}
	var never []string
	for _, s := range sim.Situations() {
		name := s.String()
		reason, listed := absent[name]
		delete(absent, name)
		switch {
		case times[s] == 0:
			never = append(never, name)
			assert.True(t, listed || *situationSchedules < allSituations, "%q never comes about, and situations.jsonl gives no reason", name)
		case listed:
			assert.Fail(t, "situations.jsonl has a situation that comes about", "%s: %s", name, reason)
		}
	}
	assert.Empty(t, absent, "no such situations")
	t.Logf("%d of %d situations never came about in %d scenarios x %d designs x %d schedules:\n%s", len(never), len(sim.Situations()),
		len(testbed.Scenarios()), len(situationDesigns), *situationSchedules, strings.Join(never, "\n"))
}

// TestAbsentSituationsComeAboutElsewhere: what situations.jsonl says of where a situation
// comes about is so.
func TestAbsentSituationsComeAboutElsewhere(t *testing.T) {
	for _, row := range absentSituations(t) {
		if row.With == "" {
			continue
		}
		words := strings.Fields(row.With)
		sc, err := testbed.FindScenario(words[0])
		require.NoError(t, err, row.Situation)
		p := sc.Params
		for _, s := range option.Settings(words[1:]...) {
			require.NoError(t, p.Set(s.Name, s.Value), row.Situation)
		}
		came := false
		for first := uint64(0); first < 2000 && !came; first += 100 {
			came = tried.Times(t, tried.Explored(t, sc, p, first, 100), row.Situation) > 0
		}
		assert.True(t, came, "%s does not come about with %s", row.Situation, row.With)
	}
}
