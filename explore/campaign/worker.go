package campaign

import (
	"context"
	"math"
	"runtime/debug"
	"sync/atomic"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// worker runs one batch after another, in a world of its own.
type worker struct {
	cfg        *Config
	newSubject func() explore.Subject
	profile    strategy.Profile
	runner     *explore.Runner
	chooser    strategy.Chooser
	// repeats are the runs of the present batch that are to be repeated.
	repeats []repeat
	// seed is the seed of the present run.
	seed uint64
}

type repeat struct {
	seed uint64
	hash explore.Hash
}

func newWorker(newSubject func() explore.Subject, cfg *Config, p strategy.Profile) *worker {
	return &worker{
		cfg: cfg, newSubject: newSubject, profile: p,
		runner: explore.NewRunner(newSubject(), cfg.Steps), chooser: cfg.Strategy.New(p),
	}
}

// measure carries out the trial runs, if the strategy wants to know what they say.
func measure(newSubject func() explore.Subject, cfg *Config) (p strategy.Profile, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = ofPanic(&PanicError{Trial: true, Value: v, Stack: debug.Stack()})
		}
	}()
	return cfg.Strategy.Profile(explore.NewRunner(newSubject(), cfg.Steps)), nil
}

// run runs n seeds from first on, fewer if it is to stop before. A panic ends the batch
// with an error.
func (w *worker) run(first, n uint64, stop *atomic.Bool) (b *batch) {
	b = &batch{Result: emptyResult()}
	defer func() {
		if v := recover(); v != nil {
			b.err = ofPanic(&PanicError{Strategy: w.cfg.Strategy.Name, Seed: w.seed, Value: v, Stack: debug.Stack()})
		}
	}()
	w.repeats = w.repeats[:0]
	for i := range n {
		if stop.Load() {
			b.cut = true
			break
		}
		w.seed = first + i
		w.chooser.Begin(w.seed)
		res := w.runner.Run(w.chooser)
		before := len(b.Failures)
		b.addRun(w.seed, &res, w.runner.World())
		if w.cfg.Found != nil {
			for _, f := range b.Failures[before:] {
				w.cfg.Found(f)
			}
		}
		if w.wantsRecheck() {
			w.repeats = append(w.repeats, repeat{w.seed, res.TraceHash})
		}
	}
	w.recheck(b)
	return b
}

// wantsRecheck is a function of the seed, so that every campaign repeats the
// same seeds. The first seed is always among them: a campaign of a few seeds has
// a check too.
func (w *worker) wantsRecheck() bool {
	if w.cfg.RecheckShare < 0 {
		return false
	}
	if w.seed == w.cfg.FirstSeed {
		return true
	}
	var r strategy.Rand
	r.Seed(w.seed, 'r')
	return float64(r.Next()) < w.cfg.RecheckShare*math.MaxUint64
}

// recheck repeats runs with a subject, a world and a chooser that nothing else
// has used. It fails if a run depends on anything but its seed, for example on
// what an earlier run left behind in a reused world or node.
func (w *worker) recheck(b *batch) {
	if len(w.repeats) == 0 {
		return
	}
	runner, chooser := explore.NewRunner(w.newSubject(), w.cfg.Steps), w.cfg.Strategy.New(w.profile)
	for _, r := range w.repeats {
		w.seed = r.seed
		chooser.Begin(r.seed)
		res := runner.Run(chooser)
		if res.TraceHash != r.hash {
			b.err = &NondeterminismError{w.cfg.Strategy.Name, r.seed, r.hash, res.TraceHash}
			return
		}
		b.Rechecked++
	}
}

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
