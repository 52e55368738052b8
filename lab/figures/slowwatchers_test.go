package figures

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/internal/campaigns"
	_ "github.com/watchbed/watchbed/knownbugs"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// TestFiguresOfSlowWatchers measures the tables of slowwatchers.md.
func TestFiguresOfSlowWatchers(t *testing.T) {
	holdTables(t, "slowwatchers.md", []table{{"verdicts", slowVerdicts}, {"breaks", slowBreaks}, {"cost", func(t *testing.T) string {
		return slowCosts(t, slowSize{10, 50}, slowSize{1000, 2})
	}}})
}

// TestFiguresOfTenThousandWatchers writes the last table of slowwatchers.md. It is not held to it:
// that takes minutes.
func TestFiguresOfTenThousandWatchers(t *testing.T) {
	if !*updateFigures {
		t.Skip("only with -figures.update")
	}
	holdTables(t, "slowwatchers.md", []table{{"cost of ten thousand", func(t *testing.T) string { return slowCosts(t, slowSize{10_000, 1}) }}})
}

// slowDesigns are the values of slow-watchers that KEP-6268 weighs.
var slowDesigns = []string{"ended", "latch", "reinitialised", "groups"}

// slowSchedules is how many schedules a verdict is about.
const slowSchedules = 3000

// slowVerdicts is what holds with each design.
func slowVerdicts(t *testing.T) string {
	var rows []settings
	for _, design := range slowDesigns {
		rows = append(rows, settings{design, []string{"slow-watchers=" + design}})
	}
	return verdicts(t, "design", rows, scenarios.StalledWatches, scenarios.StalledWatchesEnd, scenarios.StalledRelist)
}

// settings are those of a row of a table, with the name that it has there.
type settings struct {
	name string
	set  []string
}

// verdicts is what holds with settings, of everything that the scenarios claim. A claim that was never checked is none.
func verdicts(t *testing.T, head string, rows []settings, of ...*testbed.Scenario) string {
	var b strings.Builder
	head, line := "| "+head, "|---"
	for _, sc := range of {
		head, line = head+" | "+sc.Name, line+"|---"
	}
	fmt.Fprintf(&b, "%s |\n%s|\n", head, line)
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s |", row.name)
		for _, sc := range of {
			c := campaigns.Run(t, sc, campaigns.With(t, sc, row.set...), campaign.Config{Seeds: slowSchedules})
			var violated []string
			least := uint64(1 << 62)
			for _, p := range c.Properties {
				require.NotZero(t, p.Exercised, "%s %s %s", row.name, sc.Name, p.Name)
				least = min(least, uint64(p.Exercised))
				if p.Violations > 0 {
					violated = append(violated, fmt.Sprintf("**%s violated** in %d of %d schedules", p.Name, p.Violations, c.Schedules))
				}
			}
			if len(violated) == 0 {
				violated = []string{fmt.Sprintf("%d claims hold, each checked %d times or more", len(c.Properties), least)}
			}
			fmt.Fprintf(&b, " %s |", strings.Join(violated, ", "))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// firstSchedule is the row of a table of what goes wrong with a setting: the first schedule that shows it.
func firstSchedule(t *testing.T, sc *testbed.Scenario, what, property, setting, flag string) string {
	c := campaigns.Run(t, sc, campaigns.With(t, sc, setting), campaign.Config{Seeds: slowSchedules})
	for _, f := range c.Failures {
		if f.Failure.Property == property {
			return fmt.Sprintf("| %s | %s | `simrun run %s %s --seeds %d..%d` |\n", what, property, sc.Name, flag, f.FirstSeed, f.FirstSeed)
		}
	}
	require.Failf(t, "not found", "%s in %s", property, sc.Name)
	return ""
}

// slowBreaks is the first schedule that shows each danger.
func slowBreaks(t *testing.T) string {
	var b strings.Builder
	b.WriteString(breaksHead)
	b.WriteString(firstSchedule(t, scenarios.StalledNeighbours, "ended: one client that does not read delays all others, by design", "delivered-undelayed", "slow-watchers=ended", "--set slow-watchers=ended"))
	b.WriteString(firstSchedule(t, scenarios.StalledWatches, "reinitialised: the history passes what a watch is being sent, at its beginning or after a stall: it ends, and not by a 410", "watch-ends", "slow-watchers=reinitialised", "--set slow-watchers=reinitialised"))
	b.WriteString(breaksOfBugs(t, scenarios.StalledWatches, scenarios.StalledWatchesEnd, scenarios.StalledRelist))
	return b.String()
}

const breaksHead = "| what goes wrong | violated | replay |\n|---|---|---|\n"

// breaksOfBugs is the first schedule that shows each known bug of scenarios.
func breaksOfBugs(t *testing.T, of ...*testbed.Scenario) string {
	var b strings.Builder
	for _, k := range testbed.KnownBugs() {
		if slices.Contains(of, k.Scenario) {
			b.WriteString(firstSchedule(t, k.Scenario, k.Name+": "+k.Summary, k.Property.Name, k.Setting, "--bug "+k.Name))
		}
	}
	return b.String()
}

// slowSize is a number of watches, and in how many schedules it is measured.
type slowSize struct {
	watchers  int
	schedules uint64
}

// slowCosts is what each design costs with a quarter of the clients reading at once, slowly, with a
// hiccup, and no more at all.
func slowCosts(t *testing.T, sizes ...slowSize) string {
	var b strings.Builder
	b.WriteString("| watches | design | ended an hour | delivery to clients that read at once, p50 / p99 / max | dispatcher waits | events from the history | encoded | events in channels at the end |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|\n")
	for _, size := range sizes {
		for _, design := range slowDesigns {
			sc := scenarios.StalledNeighbours
			p := campaigns.With(t, sc, "slow-watchers="+design, fmt.Sprintf("watchers=%d", size.watchers), "writes=100", "watch-stall-after=5", "watch-hiccup=1s", "steps=10000000", "horizon=5s")
			c := campaigns.Run(t, sc, p, campaign.Config{Seeds: size.schedules, Strategy: strategy.Random(), RecheckShare: -1, Workers: 1})
			require.Zero(t, c.Truncated)
			hours := (time.Duration(size.schedules) * p.Clock.Horizon).Hours()
			ended := sumOf(c, "apiserver_terminated_watchers_total") + sumOf(c, `apiserver_terminated_watchers_total{reason="resource_expired"}`)
			d := tally(t, c, `watch_delivery_seconds{reader="fast"}`)
			each := int64(size.schedules)
			fmt.Fprintf(&b, "| %d | %s | %.0f | %s / %s / %s | %.1f %% | %d | %d | %d |\n", size.watchers, design, float64(ended)/hours,
				seconds(d.Quantile(0.5)), seconds(d.Quantile(0.99)), seconds(d.Max()),
				100*float64(sumOf(c, "dispatcher_wait_seconds"))/float64(time.Duration(size.schedules)*p.Clock.Horizon),
				sumOf(c, "watch_events_from_history_total")/each, sumOf(c, "watch_events_serialised_total")/each, tally(t, c, "watch_channels_events").Sum()/each)
		}
	}
	return b.String()
}

// sumOf is a metric of a campaign, 0 if nothing was measured.
func sumOf(c *campaign.Result, name string) int64 {
	for i := range c.Metrics {
		if c.Metrics[i].Metric.String() == name {
			return c.Metrics[i].Sum()
		}
	}
	return 0
}
