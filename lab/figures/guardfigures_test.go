package figures

import (
	"fmt"
	"strings"
	"testing"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// TestFiguresOfGuards measures the tables of guards.md.
func TestFiguresOfGuards(t *testing.T) {
	holdTables(t, "guards.md", []table{{"checks", measuredChecks}, {"cascade", measuredCascade}, {"seats", measuredSeats}, {"seats and memory", measuredSeatsOfMemory}})
}

const (
	checkSchedules   = 2000
	cascadeSchedules = 100
)

// measuredChecks is in how many schedules each version check lets a cache believe an
// etcd that it must not believe.
func measuredChecks(t *testing.T) string {
	checks := []string{"none", "kep-beta", "kep-ga", "shipped", "periodic", "each-stream"}
	var b strings.Builder
	b.WriteString("| scenario | " + strings.Join(checks, " | ") + " |\n|---|" + strings.Repeat("---|", len(checks)) + "\n")
	for _, x := range []struct {
		scenario *testbed.Scenario
		what     string
	}{
		{scenarios.GuardOldEtcd, "3.5.7 from the start"},
		{scenarios.GuardMixed, "3.5.7 serves, 3.5.13 is the other"},
		{scenarios.GuardUnasked, "3.5.13 serves, 3.5.7 was down and takes over"},
		{scenarios.GuardDowngrade, "3.5.13 comes back as 3.5.7"},
		{scenarios.GuardQuietRange, "3.5.12 (etcd-io/etcd#17507)"},
	} {
		fmt.Fprintf(&b, "| `%s`: %s |", x.scenario.Name, x.what)
		for _, check := range checks {
			claim := x.scenario.Claims[0].Name
			for _, f := range campaigns.Explored(t, x.scenario, campaigns.With(t, x.scenario, "version-check="+check), 0, checkSchedules).Properties {
				switch {
				case f.Name != claim:
				case f.Exercised == 0:
					b.WriteString(" does not start |")
				case f.Violations > 0:
					fmt.Fprintf(&b, " **%d** |", f.Violations)
				default:
					b.WriteString(" 0 |")
				}
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// measuredCascade is what becomes of LISTs during and after the fault, by what an API
// server does with a LIST for which its cache is not fresh in time.
func measuredCascade(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| | violated | during | after | refused a run | given up a run | other p99 | never | LISTs to etcd a run |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, x := range []struct {
		name, cache string
		settings    []string
	}{
		{"kep-2340 (504)", "kep-2340", nil},
		{"kep-2340, retry-after ignored", "kep-2340", []string{"honour=false"}},
		{"on-timeout=throttle (429)", "kep-2340", []string{"on-timeout=throttle"}},
		{"**kep-2340-fallback**", "kep-2340-fallback", nil},
		{"shared-connection=false", "kep-2340-fallback", []string{"shared-connection=false"}},
		{"delegated-limit=1", "kep-2340-fallback", []string{"delegated-limit=1"}},
		{"delegated-limit=2", "kep-2340-fallback", []string{"delegated-limit=2"}},
		{"delegated-limit=4", "kep-2340-fallback", []string{"delegated-limit=4"}},
		{"delegated-limit=8", "kep-2340-fallback", []string{"delegated-limit=8"}},
		{"**v0.37.2**", "v0.37.2", nil},
		{"v0.37.2, version-check=none", "v0.37.2", []string{"version-check=none"}},
		{"v0.37.2, delegated-limit=1", "v0.37.2", []string{"delegated-limit=1"}},
		{"**dynamic-fallback**", "dynamic-fallback", nil},
		{"dynamic-fallback, delegated-limit=1", "dynamic-fallback", []string{"delegated-limit=1"}},
		{"**draft-2019**", "draft-2019", nil},
		{"draft-2019, delegated-limit=1", "draft-2019", []string{"delegated-limit=1"}},
	} {
		p := campaigns.With(t, scenarios.GuardCascade, append([]string{"cache=" + x.cache}, x.settings...)...)
		c := sampled(t, scenarios.GuardCascade, p, cascadeSchedules)
		fmt.Fprintf(&b, "| %s | %s |\n", x.name, strings.Join(cascadeColumns(t, c, &p), " | "))
	}
	return b.String()
}

func cascadeColumns(t *testing.T, c *campaign.Result, p *testbed.Params) []string {
	runs := float64(c.Schedules)
	during, after := p.Faults.For.Seconds(), (p.Clock.Horizon - p.Faults.For).Seconds()
	sum := func(name string) float64 { return float64(tally(t, c, name).Sum()) }
	lists := func(phase, server, result string) float64 {
		return sum(fmt.Sprintf("client_lists_total{phase=%q,server=%q,result=%q}", phase, server, result))
	}
	both := func(result string) (all float64) {
		for _, phase := range []string{"faults", "healed"} {
			for _, server := range []string{"struck", "other"} {
				all += lists(phase, server, result)
			}
		}
		return all
	}
	clients := runs * float64(p.Workload.Polling.Clients)
	return []string{
		fmt.Sprintf("%.0f %%", 100*float64(violations(t, c, reads.RecoversInTime))/runs),
		fmt.Sprintf("%.1f / %.1f", lists("faults", "struck", "served")/runs/during, lists("faults", "other", "served")/runs/during),
		fmt.Sprintf("%.1f / %.1f", lists("healed", "struck", "served")/runs/after, lists("healed", "other", "served")/runs/after),
		fmt.Sprintf("%.1f", both("refused")/runs),
		fmt.Sprintf("%.1f", both("abandoned")/runs),
		fmt.Sprintf("%.2f s", float64(tally(t, c, `client_list_wait_seconds{phase="healed",server="other"}`).Quantile(0.99))/1e9),
		fmt.Sprintf("%.0f %%", 100*(clients-float64(tally(t, c, "client_recovery_seconds").Count()))/clients),
		fmt.Sprintf("%.1f", sum(`etcd_requests_total{operation="list",for="client"}`)/runs),
	}
}
