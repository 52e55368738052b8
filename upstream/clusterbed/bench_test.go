package clusterbed

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/sim"
)

// lifetime is a short life of a cluster: three puts, two linearizable reads, a watch, and a change of the leader.
func lifetime(warm bool) Config {
	c := Default("cluster@v3.6.16")
	c.Warm, c.Clients, c.Operations, c.Think, c.Watchers = warm, 1, 5, 20*time.Millisecond, 1
	c.Shares = Shares{Get: 2, Put: 3}
	c.Boot, c.For, c.Faults = 1200*time.Millisecond, 1400*time.Millisecond, Faults{Moves: 1, All: true}
	if warm {
		c.Boot, c.For = 0, 200*time.Millisecond
	}
	return c
}

// BenchmarkLifetimes has the processor's time of a lifetime and of the audit behind it, which a busy machine does not
// change much.
func BenchmarkLifetimes(b *testing.B) {
	for _, warm := range []bool{false, true} {
		b.Run(fmt.Sprintf("warm=%v", warm), func(b *testing.B) {
			s := subjectOf(b, lifetime(warm))
			w := sim.NewWorld(s.Options())
			by := strategy.Random().New(strategy.Profile{})
			var steps int
			var lifetimes, audits time.Duration
			for seed := uint64(0); b.Loop(); seed++ {
				begin := processor()
				by.Begin(seed)
				w.Reset(s.Options())
				s.Build(w)
				for w.Start(by); !s.clients[0].Done() || w.Now() < sim.Time(s.config.For); steps++ {
					require.True(b, w.Step(by))
				}
				audit := processor()
				for !s.Over(w) && w.Step(by) {
				}
				lifetimes, audits = lifetimes+audit-begin, audits+processor()-audit
			}
			b.ReportMetric(float64(steps)/float64(b.N), "steps/op")
			b.ReportMetric(lifetimes.Seconds()*1e3/float64(b.N), "cpu-ms/lifetime")
			b.ReportMetric(audits.Seconds()*1e3/float64(b.N), "cpu-ms/audit")
		})
	}
}

// processor is the time of a processor that the process has had.
func processor() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
