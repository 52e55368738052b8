package figures

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/testbed"
)

// TestFiguresOfFallback measures the tables of fallback.md.
func TestFiguresOfFallback(t *testing.T) {
	holdTables(t, "fallback.md", []table{
		{"defragmentation", func(t *testing.T) string { return measuredFallback(t) }},
		{"over time", fallbackOverTime},
		{"cut off", func(t *testing.T) string {
			return measuredFallback(t, "defragment=false", "member-partitions=1")
		}},
		{"corrupt object", undecodedFallback},
		{"no leader", func(t *testing.T) string { return measuredFallback(t, "defragment=false", "leader-losses=1") }},
	})
}

const fallbackSchedules = 40

// answersInTheIncident are what the documents weigh for a LIST that the cache cannot serve in time.
var answersInTheIncident = []struct {
	name     string
	settings []string
}{
	{"**fallback**, what ships", []string{"cache=kep-2340-fallback"}},
	{"**429**, the alpha gate", []string{"cache=kep-2340", "on-timeout=throttle"}},
	{"504, KEP-2340 at first", []string{"cache=kep-2340"}},
	{"dynamic fallback, KEP-2340's alternative", []string{"cache=dynamic-fallback"}},
	{"fallback with seats for what it costs", []string{"cache=kep-2340-fallback", "fallback-seats=at-etcd"}},
	{"fallback of one LIST at a time", []string{"cache=kep-2340-fallback", "delegated-limit=1"}},
	{"no cache", []string{"cache=direct"}},
}

// inFlight is how many LISTs of clients etcd has, each of which makes it and the API server hold the resource once
// more.
type inFlight struct {
	system *testbed.System
	// most is the largest number of each second of the run.
	most []int64
	runs *[][]int64
}

// Reset implements testbed.Judge.
func (j *inFlight) Reset() {
	if j.most != nil {
		*j.runs = append(*j.runs, j.most)
	}
	j.most = nil
}

// AfterStep implements testbed.StepObserver.
func (j *inFlight) AfterStep(w *sim.World, _ sim.Action) {
	second := int(time.Duration(w.Now()) / time.Second)
	for len(j.most) <= second {
		j.most = append(j.most, 0)
	}
	lists := int64(0)
	for _, c := range j.system.Caches() {
		for _, r := range c.Node.(cache.FlowControlled).Flow().Executing() {
			if r.AtEtcd > 0 {
				lists++
			}
		}
	}
	j.most[second] = max(j.most[second], lists)
}

// Finding implements testbed.Judge.
func (j *inFlight) Finding(*sim.World) explore.Finding { return explore.Finding{} }

// incident runs the scenario with an answer, and returns how many LISTs etcd had in each second of each run.
func incident(t *testing.T, settings ...string) (*campaign.Result, [][]int64) {
	var runs [][]int64
	var last *inFlight
	sc := *scenarios.DefragmentedMember
	sc.Claims = append(slices.Clone(sc.Claims), &testbed.Property{Name: "lists-at-etcd", Promise: "None: this counts.", New: func(s *testbed.System) testbed.Judge {
		last = &inFlight{system: s, runs: &runs}
		return last
	}})
	p := campaigns.With(t, &sc, settings...)
	c := campaigns.Run(t, &sc, p, campaign.Config{Seeds: fallbackSchedules, Strategy: strategy.Random(), Workers: 1, RecheckShare: -1})
	require.Zero(t, c.Truncated)
	last.Reset()
	require.Len(t, runs, fallbackSchedules)
	return c, runs
}

// resourceGB is the size of the resource in the incident that was reported.
const resourceGB = 2

func measuredFallback(t *testing.T, faults ...string) string {
	var b strings.Builder
	b.WriteString("| a LIST that waited in vain | LISTs at etcd at once, most | of 2 GB each, etcd reads | answered a second, during / after | p99 during | refused a run |\n|---|---|---|---|---|---|\n")
	for _, x := range answersInTheIncident {
		c, runs := incident(t, append(slices.Clone(x.settings), faults...)...)
		p := scenarios.DefragmentedMember.Params
		rate := func(phase string, within time.Duration) float64 {
			return float64(sumOf(c, fmt.Sprintf("client_lists_total{phase=%q,server=\"struck\",result=\"served\"}", phase))) / float64(len(runs)) / within.Seconds()
		}
		_, refused := clientLists(c)
		most := mostAtOnce(runs)
		fmt.Fprintf(&b, "| %s | %d | %d GB | %.1f / %.1f | %.2f s | %.1f |\n", x.name, most, most*resourceGB,
			rate("faults", p.Faults.For), rate("healed", p.Clock.Horizon-p.Faults.For),
			float64(tally(t, c, `client_list_wait_seconds{phase="faults",server="struck"}`).Quantile(0.99))/1e9, float64(refused)/float64(len(runs)))
	}
	return b.String()
}

// clientLists is how many LISTs of clients were served, and how many refused or given up.
func clientLists(c *campaign.Result) (served, refused int64) {
	for _, m := range c.Metrics {
		switch name := m.Metric.String(); {
		case !strings.HasPrefix(name, "client_lists_total{"):
		case strings.Contains(name, `result="served"`):
			served += m.Sum()
		default:
			refused += m.Sum()
		}
	}
	return served, refused
}

// mostAtOnce is the largest number in any second of any run.
func mostAtOnce(runs [][]int64) int64 {
	most := int64(0)
	for _, r := range runs {
		most = max(most, slices.Max(r))
	}
	return most
}

// fallbackOverTime is how many LISTs etcd has at most in each second, on average over all runs and in any.
func fallbackOverTime(t *testing.T) string {
	var b strings.Builder
	shown := answersInTheIncident[:5]
	b.WriteString("| second |")
	for _, x := range shown {
		b.WriteString(" " + x.name + " |")
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(shown)) + "\n")
	var all [][][]int64
	for _, x := range shown {
		_, runs := incident(t, x.settings...)
		all = append(all, runs)
	}
	for second := 0; second < 16; second++ {
		fmt.Fprintf(&b, "| %d |", second)
		for _, runs := range all {
			sum, most := int64(0), int64(0)
			for _, r := range runs {
				if second < len(r) {
					sum, most = sum+r[second], max(most, r[second])
				}
			}
			fmt.Fprintf(&b, " %.1f / %d |", float64(sum)/float64(len(runs)), most)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// undecodedFallback is what clients are told when an object cannot be decoded, in lists and watches, from some moment
// on.
func undecodedFallback(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| a LIST that waited in vain | served a run | refused with the error of the decode | refused with 429 or 504 | LISTs at etcd at once, most |\n|---|---|---|---|---|\n")
	for _, x := range answersInTheIncident {
		c, runs := incident(t, append(slices.Clone(x.settings), "defragment=false", "undecodable=w1.2")...)
		served, refused := clientLists(c)
		undecoded := min(refused, sumOf(c, `apiserver_watch_cache_consistent_read_total{success="false",fallback="true"}`))
		if x.settings[0] == "cache=direct" {
			undecoded = refused
		}
		n := float64(len(runs))
		fmt.Fprintf(&b, "| %s | %.1f | %.1f | %.1f | %d |\n", x.name, float64(served)/n, float64(undecoded)/n, float64(refused-undecoded)/n, mostAtOnce(runs))
	}
	return b.String()
}
