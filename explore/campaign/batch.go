package campaign

import (
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// batchSize is how many seeds a worker takes at once. It is part of the result: the hash
// is one over batches. A campaign may end within one, as that of so many seeds does.
const batchSize = 32

// batch is what a part of a campaign came to: of consecutive seeds, or of one campaign of a series.
type batch struct {
	Result
	number uint64
	// cut: the worker stopped before the end of the batch.
	cut bool
	err error
}

// addRun adds the run of a seed that has just ended in the world.
func (r *Result) addRun(seed uint64, res *explore.Result, world *sim.World) {
	r.Schedules++
	r.addHash(res.TraceHash)
	r.addStats(&res.Stats)
	if res.Truncated {
		r.Truncated++
	}
	if res.NeverReady {
		r.NeverReady++
	}
	if res.NeverAtRest {
		r.NeverAtRest++
	}
	for i := range res.Findings {
		f := &res.Findings[i]
		p := PropertyTally{Name: f.Property, Verdict: f.Verdict, Exercised: uint64(f.Exercised)}
		switch f.By {
		case explore.Porcupine:
			p.Porcupine++
		case explore.WitnessAlone:
			p.Witness++
		}
		if f.Verdict == model.Violated {
			p.Violations++
			addFailure(&r.Failures, FailureTally{Failure: f.Failure(), FirstSeed: seed, Schedules: 1})
		}
		r.addProperty(i, &p)
	}
	for i := range r.CoveragePoints {
		if n := world.Count(sim.CoveragePoint(i)); n > 0 {
			r.CoveragePoints[i].Times += n
			r.CoveragePoints[i].Schedules++
		}
	}
	if world.Mode() == sim.Timed {
		r.addMetrics(world)
	}
}

func (r *Result) addMetrics(world *sim.World) {
	if r.Metrics == nil {
		r.Metrics = newMetrics()
	}
	for i := range r.Metrics {
		r.Metrics[i].Merge(world.Metric(r.Metrics[i].Metric))
	}
}

// newMetrics are all metrics, of which nothing was recorded.
func newMetrics() (all []MetricTally) {
	for _, m := range metric.All() {
		all = append(all, MetricTally{Metric: m})
	}
	return all
}
