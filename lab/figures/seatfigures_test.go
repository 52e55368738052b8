package figures

import (
	"fmt"
	"strings"
	"testing"

	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/scenarios"
)

const seatsSchedules = 100

// measuredSeats is what an API server has with etcd at a time, by what it does with a LIST
// that was admitted as a read of the cache, and for which its cache is not fresh in time.
func measuredSeats(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| | violated | LISTs at etcd | objects at etcd | seats that these cost | LISTs to etcd a run | 429 for seats a run | served during / after | p99 during |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, x := range []struct {
		name, cache string
		settings    []string
	}{
		{"kep-2340 (504)", "kep-2340", nil},
		{"on-timeout=throttle (429)", "kep-2340", []string{"on-timeout=throttle"}},
		{"**kep-2340-fallback**", "kep-2340-fallback", nil},
		{"fallback-seats=at-etcd", "kep-2340-fallback", []string{"fallback-seats=at-etcd"}},
		{"delegated-limit=1", "kep-2340-fallback", []string{"delegated-limit=1"}},
		{"**v0.37.2**", "v0.37.2", nil},
		{"**dynamic-fallback**", "dynamic-fallback", nil},
		{"dynamic-fallback, fallback-seats=at-etcd", "dynamic-fallback", []string{"fallback-seats=at-etcd"}},
		{"**direct**", "direct", nil},
	} {
		p := campaigns.With(t, scenarios.SeatsFallback, append([]string{"cache=" + x.cache}, x.settings...)...)
		c := sampled(t, scenarios.SeatsFallback, p, seatsSchedules)
		runs := float64(c.Schedules)
		during, after := p.Faults.For.Seconds(), (p.Clock.Horizon - p.Faults.For).Seconds()
		sum := func(name string) float64 { return float64(tally(t, c, name).Sum()) }
		most := func(name string) int64 { return tally(t, c, name).Max() }
		served := func(phase string) float64 {
			return sum(fmt.Sprintf("client_lists_total{phase=%q,server=\"struck\",result=\"served\"}", phase))
		}
		refused := sum(`apiserver_flowcontrol_rejected_requests_total{reason="queue-full"}`) +
			sum(`apiserver_flowcontrol_rejected_requests_total{reason="time-out"}`) + sum(`flowcontrol_rejected_lists_total{reason="at-etcd"}`)
		fmt.Fprintf(&b, "| %s | %.0f %% | %d | %d | %d of 10 | %.1f | %.1f | %.1f / %.1f | %.2f s |\n", x.name,
			100*float64(violations(t, c, caches.WithinSeats))/runs,
			most("flowcontrol_lists_at_etcd"), most("flowcontrol_objects_at_etcd"), most("flowcontrol_seats_at_etcd"),
			sum(`etcd_requests_total{operation="list",for="client"}`)/runs, refused/runs,
			served("faults")/runs/during, served("healed")/runs/after,
			float64(tally(t, c, `client_list_wait_seconds{phase="faults",server="struck"}`).Quantile(0.99))/1e9)
	}
	return b.String()
}
