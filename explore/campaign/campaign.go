// Package campaign (unstable) runs many seeds of a subject on several workers and adds up what they
// showed.
//
// Everything in a Result but its times is a function of the subject, the strategy
// and the seeds: it does not depend on the number of workers or on the machine.
// A share of the seeds is run twice to see that this is so.
//
// This is the only package of explore that has goroutines and a wall clock. It
// imports explore, explore/strategy and sim. It must never import explore/recording
// or anything that knows etcd.
package campaign

import (
	"context"
	"errors"
	"math"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// Run runs a campaign. newSubject is called once for each worker and for
// rechecks; it may be called from several goroutines.
//
// It returns a *NondeterminismError if a run did not repeat and a *PanicError if
// one panicked. Together with an error the result holds what was found before;
// it is nil only if the configuration is incomplete.
func Run(ctx context.Context, newSubject func() explore.Subject, cfg Config) (*Result, error) {
	cfg, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	c := begin(&cfg)
	c.batches = batchesOf(cfg.Seeds)
	return c.result, c.runSeeds(ctx, newSubject)
}

// runSeeds runs batches of the seeds of the configuration.
func (c *campaign) runSeeds(ctx context.Context, newSubject func() explore.Subject) error {
	defer c.clock()
	profile, err := measure(newSubject, c.cfg)
	if err != nil {
		return err
	}
	return c.run(ctx, func() func(uint64) *batch {
		w := newWorker(newSubject, c.cfg, profile)
		return func(number uint64) *batch {
			first, size := number*BatchSize, uint64(BatchSize)
			if c.cfg.Seeds > 0 {
				size = min(size, c.cfg.Seeds-first)
			}
			return w.run(c.cfg.FirstSeed+first, size, &c.stop)
		}
	})
}

// campaign is a campaign, or a series of them, that is running.
type campaign struct {
	cfg    *Config
	result *Result
	start  time.Time
	cpu    time.Duration
	// added is called with each batch that was added; nil is not.
	added func(*batch)
	// Batches from first to before batches are run, without a bound if that is 0. next is the number of the next one;
	// with stop, workers begin no more.
	first, batches uint64
	next           atomic.Uint64
	stop           atomic.Bool
}

func begin(cfg *Config) *campaign {
	return &campaign{cfg: cfg, result: newResult(cfg), start: time.Now(), cpu: CPUTime()}
}

func (c *campaign) clock() {
	c.result.Elapsed, c.result.CPU = time.Since(c.start), CPUTime()-c.cpu
}

// run has each worker carry out batches, with what newWorker returns.
func (c *campaign) run(ctx context.Context, newWorker func() (do func(number uint64) *batch)) error {
	// A time that is over before the first batch leaves none, and so does an interrupt, however soon a worker begins.
	c.stop.Store(ctx.Err() != nil || c.cfg.For > 0 && time.Since(c.start) >= c.cfg.For)
	c.next.Store(c.first)
	batches := make(chan *batch, c.cfg.Workers)
	var working sync.WaitGroup
	for range c.cfg.Workers {
		working.Go(func() {
			do := newWorker()
			for !c.stop.Load() {
				number := c.next.Add(1) - 1
				if c.batches > 0 && number >= c.batches {
					return
				}
				b := do(number)
				b.number = number
				batches <- b
			}
		})
	}
	go func() {
		working.Wait()
		close(batches)
	}()
	return c.collect(ctx, batches)
}

// collect adds batches in the order of their seeds until the workers have ended.
// A batch that was cut is the last, so what was added has no gaps.
func (c *campaign) collect(ctx context.Context, batches <-chan *batch) (err error) {
	var deadline, tick <-chan time.Time
	if c.cfg.For > 0 {
		t := time.NewTimer(c.cfg.For - time.Since(c.start))
		defer t.Stop()
		deadline = t.C
	}
	if c.cfg.Progress != nil {
		t := time.NewTicker(progressInterval)
		defer t.Stop()
		tick = t.C
	}
	waiting := map[uint64]*batch{}
	expected := c.first
	// over: nothing is added any more; enough: because all was found that was looked for.
	over, enough := false, false
	cancelled := ctx.Done()
	for {
		select {
		case b, ok := <-batches:
			if !ok {
				c.result.Interrupted = ctx.Err() != nil && !enough && (c.cfg.Seeds == 0 || c.result.Schedules < c.cfg.Seeds)
				return err
			}
			waiting[b.number] = b
			for b := waiting[expected]; b != nil && !over; b = waiting[expected] {
				delete(waiting, expected)
				expected++
				c.add(b)
				err = b.err
				enough = err != nil || c.cfg.StopAfter > 0 && len(c.result.Failures) >= c.cfg.StopAfter
				over = enough || b.cut
			}
			if over {
				c.stop.Store(true)
			}
		case <-cancelled:
			cancelled = nil
			c.stop.Store(true)
		case <-deadline:
			c.stop.Store(true)
		case <-tick:
			c.clock()
			c.cfg.Progress(c.result)
		}
	}
}

// add adds the batch that comes next.
func (c *campaign) add(b *batch) {
	if b.Schedules == 0 {
		return
	}
	c.addNew(&b.Result, b.Hash)
	if c.added != nil {
		c.added(b)
	}
}

// addNew adds what comes next, and says what fails for the first time.
func (c *campaign) addNew(next *Result, batches ...explore.Hash) {
	before := len(c.result.Failures)
	c.result.add(next, batches...)
	if c.cfg.Failed == nil {
		return
	}
	for _, f := range c.result.Failures[before:] {
		c.cfg.Failed(f)
	}
}

const progressInterval = 100 * time.Millisecond

// Config is which seeds a campaign runs, and how.
type Config struct {
	// Strategy is strategy.Default if it is the zero value.
	Strategy strategy.Strategy
	// Seeds is how many seeds to run, from FirstSeed on; 0 is no bound.
	FirstSeed, Seeds uint64
	// For is the wall-clock time after which no more runs begin; 0 is no bound.
	For time.Duration
	// Workers run at the same time; 0 is one for each processor. The result does
	// not depend on it.
	Workers int
	// Steps is the number of steps after which a run is cut off; 0 is
	// explore.DefaultSteps.
	Steps int
	// RecheckShare is the share of the seeds that run a second time, in a world
	// of their own, to see that they take the same course; 0 is
	// one in a hundred, a negative one rechecks nothing.
	RecheckShare float64
	// StopAfter ends the campaign soon after the first so many different
	// failures; 0 is never. Where it ends depends on the seeds only.
	StopAfter int
	// Failed, if not nil, is called with each way to fail when its first run is added,
	// in the order of the seeds.
	Failed func(FailureTally)
	// Found, if not nil, is called with the first run of each way to fail in a batch as soon as it has ended, for
	// what has to outlive this process: by several goroutines, in no order, and also with runs that are not added in
	// the end.
	Found func(FailureTally)
	// Progress, if not nil, is called some times a second with what was found so
	// far. It must not keep or change it.
	Progress func(*Result)
}

const defaultRecheckShare = 0.01

var errNoBound = errors.New("a campaign needs a number of seeds or a time")

// complete returns the configuration with defaults in place of zero values.
func (c Config) complete() (Config, error) {
	if c.Seeds == 0 && c.For == 0 {
		return c, errNoBound
	}
	if c.Strategy.New == nil {
		c.Strategy = strategy.Default()
	}
	if c.RecheckShare == 0 {
		c.RecheckShare = defaultRecheckShare
	}
	if c.Workers <= 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	if c.Seeds > 0 && uint64(c.Workers) > c.Seeds {
		c.Workers = int(c.Seeds)
	}
	return c, nil
}

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

// BatchSize is how many seeds a worker takes at once. It is part of the result: the hash
// is one over batches. A campaign may end within one, as that of so many seeds does.
const BatchSize = 32

func batchesOf(seeds uint64) uint64 { return (seeds + BatchSize - 1) / BatchSize }

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
