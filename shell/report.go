package shell

import (
	"context"

	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/sim"
)

// Report is what the state machine has counted and measured since the cache was
// started, under the names that simrun prints for simulated runs.
type Report struct {
	// CoveragePoints says how often each came about: "cache: read waits".
	CoveragePoints map[string]uint64
	// Metrics are those of which something was recorded:
	// "apiserver_watch_cache_read_wait_seconds". Times are in nanoseconds.
	Metrics map[string]metric.Distribution
}

// Report returns the counts so far. Its error is ErrClosed or that of ctx.
func (c *Cache) Report(ctx context.Context) (Report, error) {
	made := make(chan Report, 1)
	if !c.loop.post(c.clientsID, func(*sim.Env) { made <- report(c.loop.world) }) {
		return Report{}, ErrClosed
	}
	select {
	case r := <-made:
		return r, nil
	case <-ctx.Done():
		return Report{}, ctx.Err()
	case <-c.loop.done:
		return Report{}, ErrClosed
	}
}

func report(w *sim.World) Report {
	r := Report{CoveragePoints: map[string]uint64{}, Metrics: map[string]metric.Distribution{}}
	for _, s := range sim.CoveragePoints() {
		if n := w.Count(s); n > 0 {
			r.CoveragePoints[s.String()] = n
		}
	}
	for _, m := range metric.All() {
		if d := w.Metric(m); d.Count() > 0 {
			// A copy of its own: the world goes on recording.
			var own metric.Distribution
			own.Merge(d)
			r.Metrics[m.String()] = own
		}
	}
	return r
}
