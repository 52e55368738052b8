package campaign

import (
	"context"

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

// Series is many small campaigns, each with a subject of its own. Campaign i has Each
// seeds, from FirstSeed + i*Each on.
type Series struct {
	// Campaigns is how many there are, Each how many seeds each of them has.
	Campaigns, Each uint64
	// Subject makes what campaign i is about, as newSubject of Run. It may be called
	// from several goroutines.
	Subject func(i uint64) (newSubject func() explore.Subject, steps int, err error)
	// Ended, if not nil, is called with what each campaign came to, one after the other in
	// their order. It must not keep the result.
	Ended func(i uint64, r *Result)
}

// Run runs all campaigns, as many at a time as the configuration has workers, and adds
// them up in their order. Of the configuration Seeds, Steps, StopAfter, Failed and Found mean nothing.
// The result is that of one campaign over all seeds: a function of the subjects, the
// strategy and the seeds.
//
// Its errors are those of Run for one campaign, and those of Subject.
func (s *Series) Run(ctx context.Context, cfg Config) (*Result, error) {
	cfg.Seeds, cfg.StopAfter, cfg.Failed, cfg.Found = s.Campaigns, 0, nil, nil
	cfg, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	cfg.Seeds = s.Campaigns * s.Each
	c := begin(&cfg)
	defer c.clock()
	c.batches, c.added = s.Campaigns, s.ended
	err = c.run(ctx, func() func(uint64) *batch {
		return func(i uint64) *batch { return s.campaign(ctx, &cfg, i) }
	})
	return c.result, err
}

// ended is called with the campaigns in their order.
func (s *Series) ended(b *batch) {
	if s.Ended != nil {
		s.Ended(b.number, &b.Result)
	}
}

// campaign runs campaign i alone, with one worker. One that was interrupted is the last that is added.
func (s *Series) campaign(ctx context.Context, cfg *Config, i uint64) *batch {
	newSubject, steps, err := s.Subject(i)
	if err != nil {
		return &batch{err: err}
	}
	result, err := Run(ctx, newSubject, Config{
		Strategy: cfg.Strategy, FirstSeed: cfg.FirstSeed + i*s.Each, Seeds: s.Each, Workers: 1, Steps: steps,
		RecheckShare: cfg.RecheckShare,
	})
	b := &batch{err: err}
	if result != nil {
		b.Result, b.cut = *result, result.Interrupted
	}
	return b
}
