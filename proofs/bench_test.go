package proofs_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/proof"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/prove"
)

// Each operation is a search with one worker and the same search with two, one after the other. Of all
// operations it reports medians: states a second of processor time with one worker, states a second with
// one and with two, how many times as many that is, how many times the processor time two take, and the bytes
// that a state takes. Where other work shares the machine, two workers get no more processors than one, and
// only their processor time says how much of the work is done twice.
func BenchmarkProve(b *testing.B) {
	for _, world := range []struct {
		name, scenario, settings string
		bounds                   prove.Bounds
		states                   int
	}{
		{"one write and one list", "issue-15220", "etcd=3.6.16 writers=1 writes=1 readers=1 reads=1", prove.Bounds{TimerBound: 3}, 0},
		{"two writes and two lists", "issue-15220", "etcd=3.6.16 writers=1 writes=2 readers=1 reads=2", prove.Bounds{TimerBound: 1}, 0},
		{"one stream that breaks", "issue-15220", "etcd=3.6.16 writers=1 writes=1 readers=1 reads=1 breaks=1", prove.Bounds{TimerBound: 1}, 0},
		{"a follower", "lagging-member", "writers=1 writes=1 readers=1 reads=1 noise=0 noise-writes=0 keys=1 breaks=0 restarts=0", prove.Bounds{TimerBound: 1}, 100_000},
	} {
		b.Run(world.name, func(b *testing.B) {
			sc, p := withSettings(b, world.scenario, world.settings)
			var core, one, two, ratio, work, bytes []float64
			for b.Loop() {
				var rates, took []float64
				states := 0.0
				for _, workers := range []int{1, 2} {
					began, used := time.Now(), campaign.CPUTime()
					found, _, err := proof.Search(context.Background(), sc, p, prove.Config{Bounds: world.bounds, States: world.states, Workers: workers}, "benchmark")
					require.NoError(b, err)
					states = float64(found.States)
					rates, took = append(rates, states/time.Since(began).Seconds()), append(took, (campaign.CPUTime()-used).Seconds())
					bytes = append(bytes, float64(found.Bytes)/states)
				}
				core, work = append(core, states/took[0]), append(work, took[1]/took[0])
				one, two, ratio = append(one, rates[0]), append(two, rates[1]), append(ratio, rates[1]/rates[0])
			}
			b.ReportMetric(median(core), "states/cpu-s")
			b.ReportMetric(median(one), "states/s")
			b.ReportMetric(median(two), "states/s-of-2")
			b.ReportMetric(median(ratio), "times-of-2")
			b.ReportMetric(median(work), "cpu-of-2")
			b.ReportMetric(median(bytes), "B/state")
		})
	}
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}
