package figures

import (
	"fmt"
	"strings"
	"testing"

	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/properties/caches"
	properties "github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/scenarios/informers"
)

const seatsSchedules = 100

// measuredSeatsOfMemory is what keeps a server with little memory up when all informers list at once: while its cache
// answers, and when all start over beside a clogged watch.
func measuredSeatsOfMemory(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| | killed | synced, p50 / last | beside a clogged watch: killed | synced, p50 / last |\n|---|---|---|---|---|\n")
	clogged := "cache=kep-2340-fallback informer-rv=unset clog=true informer-storms=1 noise=1 noise-writes=60 noise-for=12s faults-for=10s "
	for _, x := range []struct{ name, settings string }{
		{"nothing", "seats=0"},
		{"measured memory, alternative 2 (`answers-limit`)", "seats=0 answers-limit=60"},
		{"seats by objects, before 1.34", "seats-by=objects seats-cap=shipped objects-per-seat=100"},
		{"the same, four seats", "seats-by=objects seats-cap=shipped objects-per-seat=100 seats=4 hand-size=1"},
		{"the same, two seats", "seats-by=objects seats-cap=shipped objects-per-seat=100 seats=2 hand-size=1"},
		{"seats by size, since 1.34", "seats-by=size seats-cap=shipped"},
		{"seats by size, `seats-cap=none`", "seats-by=size"},
		{"seats by memory, alternative 1", "seats-cap=shipped"},
		{"**seats by memory, `seats-cap=none`**", ""},
		{"the same, `fallback-seats=at-etcd`", "fallback-seats=at-etcd"},
		{"the same, `on-timeout=throttle`", "on-timeout=throttle"},
		{"**streams, no seats**", "seats=0 informer-list=watch-list"},
	} {
		fmt.Fprintf(&b, "| %s |", x.name)
		for _, also := range []string{"", clogged} {
			p := campaigns.With(t, informers.MemorySeats, strings.Fields(also+x.settings)...)
			c := sampled(t, informers.MemorySeats, p, seatsSchedules)
			took := "never in some"
			if violations(t, c, properties.CatchUp) == 0 {
				d := tally(t, c, "informer_sync_duration_seconds")
				took = seconds(d.Quantile(0.5)) + " / " + seconds(d.Max())
			}
			fmt.Fprintf(&b, " %d %% | %s |", 100*violations(t, c, caches.StaysUp)/c.Schedules, took)
		}
		b.WriteString("\n")
	}
	return b.String()
}

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
