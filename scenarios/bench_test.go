package scenarios

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// BenchmarkSchedules runs schedules of issue-15220 (2 writers with 3 writes, 2
// readers with 3 consistent lists, 1 watch) on one core, and judges every
// history: by the witness, or by porcupine too.
func BenchmarkSchedules(b *testing.B) {
	for _, judged := range []struct {
		name       string
		operations int
		claims     []*testbed.Property
	}{
		{"witness", -1, []*testbed.Property{reads.Linearizable, reads.LinearizableData}},
		{"porcupine", linearizability.DefaultOperations, []*testbed.Property{reads.Linearizable, reads.Sequential}},
	} {
		for _, chosen := range []strategy.Strategy{strategy.Random(), strategy.Paced(), strategy.Default()} {
			for _, version := range []string{"3.5.7", "3.5.13"} {
				b.Run(judged.name+"/"+chosen.Name+"/etcd="+version, func(b *testing.B) {
					sc := *Issue15220
					sc.Claims = judged.claims
					p := sc.Params
					p.Etcd = version
					s, err := sc.New(p)
					require.NoError(b, err)
					s.JudgeWith(judged.operations)
					r := explore.NewRunner(s, p.Clock.Steps)
					c := chosen.For(r)
					var total sim.Stats
					open := uint64(0)
					b.ReportAllocs()
					b.ResetTimer()
					for i := range b.N {
						c.Begin(uint64(i))
						res := r.Run(c)
						total.Choices += res.Stats.Choices
						total.Messages += res.Stats.Messages
						total.Picks += res.Stats.Picks
						open += res.Stats.Open
					}
					n := float64(b.N)
					seconds := b.Elapsed().Seconds()
					b.ReportMetric(float64(total.Choices)/seconds/1e6, "Mchoices/s")
					b.ReportMetric(n/seconds, "schedules/s")
					b.ReportMetric(float64(total.Choices)/n, "choices/schedule")
					b.ReportMetric(float64(total.Messages)/n, "messages/schedule")
					b.ReportMetric(float64(len(s.History().Operations)), "operations/schedule")
					b.ReportMetric(float64(total.Picks)/n, "yields/schedule")
					b.ReportMetric(float64(open)/n, "open/schedule")
				})
			}
		}
	}
}
