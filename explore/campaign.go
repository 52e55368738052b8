package explore

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// Config says how a campaign goes about.
type Config struct {
	// Strategy is Portfolio if it is the zero value.
	Strategy Strategy
	// Seeds is how many seeds to run, from FirstSeed on; 0 is no bound.
	FirstSeed, Seeds uint64
	// For is the wall-clock time after which no more runs begin; 0 is no bound.
	For time.Duration
	// Workers run at the same time; 0 is one for each processor. The result does
	// not depend on it.
	Workers int
	// Steps is the number of steps after which a run is cut off; 0 is
	// DefaultSteps.
	Steps int
	// RecheckShare is the share of the seeds that run a second time, in a world
	// of their own, to see that they take the same course; 0 is
	// DefaultRecheckShare, a negative one rechecks nothing.
	RecheckShare float64
	// StopAfter ends the campaign soon after the first so many different
	// failures; 0 is never. Where it ends depends on the seeds only.
	StopAfter int
	// Progress, if not nil, is called some times a second with what was found so
	// far. It must not keep or change it.
	Progress func(*Campaign)
}

// DefaultRecheckShare is one run in a hundred.
const DefaultRecheckShare = 0.01

// Campaign is what many runs came to. Everything but the times is a function of
// the subject, the strategy and the seeds.
type Campaign struct {
	Strategy  string
	FirstSeed uint64
	// Schedules is the number of runs: seeds FirstSeed and following.
	Schedules uint64
	// Stats are the sums over all runs, rechecks left out.
	Stats sim.Stats
	// Truncated is how many runs were cut off by the limit of steps.
	Truncated uint64
	// Rechecked is how many runs were repeated; all took the same course.
	Rechecked uint64
	// Elapsed is wall-clock time, CPU the processor time of the whole process
	// in it.
	Elapsed, CPU time.Duration
	// Hash covers the trace hashes of all runs in the order of the seeds.
	Hash uint64
	// Properties are in the order in which the subject reports them.
	Properties []PropertyTally
	// Situations are all that this binary knows, in the order of registration.
	Situations []SituationTally
	// Metrics are all that this binary knows, in the order of registration:
	// what timed runs recorded, merged over all of them. Untimed they are empty.
	Metrics []MetricTally
	// Failures are in the order of their first seeds.
	Failures []FailureTally
	// Interrupted: the context was cancelled before the seeds or the time were
	// used up.
	Interrupted bool
}

// PropertyTally is one property over all runs.
type PropertyTally struct {
	Name string
	// Verdict joins those of the runs. A property that no run put to the test is
	// vacuous.
	Verdict model.Verdict
	// Exercised is how often it was put to the test, Violations in how many runs
	// it was violated.
	Exercised, Violations uint64
}

// SituationTally is how often something came about.
type SituationTally struct {
	Situation sim.Situation
	// Times is how often in all, Schedules in how many runs.
	Times, Schedules uint64
}

// MetricTally is one metric over all runs.
type MetricTally struct {
	Metric sim.Metric
	sim.Distribution
}

// FailureTally is one way to fail.
type FailureTally struct {
	Failure Failure
	// FirstSeed is the first seed that failed so, Schedules how many did.
	FirstSeed, Schedules uint64
}

// Verdict joins those of all properties: violated if one is, unknown if one is
// or a run was cut off, vacuous if one is. A campaign without properties is
// vacuous.
func (c *Campaign) Verdict() model.Verdict {
	if len(c.Properties) == 0 {
		return model.Vacuous
	}
	worst := model.Holds
	for i := range c.Properties {
		switch v := c.Properties[i].Verdict; {
		case v == model.Violated:
			return model.Violated
		case v == model.Undecided || worst == model.Undecided:
			worst = model.Undecided
		case v == model.Vacuous:
			worst = model.Vacuous
		}
	}
	if c.Truncated > 0 {
		return model.Undecided
	}
	return worst
}

// errNoBound keeps a campaign from running until somebody loses patience.
var errNoBound = errors.New("a campaign needs a number of seeds or a time")

// Explore runs a campaign. newSubject is called once for each worker and for
// rechecks; it may be called from several goroutines.
//
// It returns a *NondeterminismError if a run did not repeat and a *PanicError if
// one panicked. Together with an error the campaign holds what was found before,
// and is nil only if the configuration is no good.
func Explore(ctx context.Context, newSubject func() Subject, cfg Config) (*Campaign, error) {
	if cfg.Seeds == 0 && cfg.For == 0 {
		return nil, errNoBound
	}
	if cfg.Strategy.make == nil {
		cfg.Strategy = Portfolio()
	}
	if cfg.RecheckShare == 0 {
		cfg.RecheckShare = DefaultRecheckShare
	}
	if cfg.Workers <= 0 {
		cfg.Workers = runtime.GOMAXPROCS(0)
	}
	start, cpu := time.Now(), cpuTime()
	c := &Campaign{
		Strategy: cfg.Strategy.Name, FirstSeed: cfg.FirstSeed, Hash: uint64(sim.NewDigest),
		Situations: make([]SituationTally, len(sim.Situations())),
		Metrics:    make([]MetricTally, len(sim.Metrics())),
	}
	for i, s := range sim.Situations() {
		c.Situations[i].Situation = s
	}
	for i, m := range sim.Metrics() {
		c.Metrics[i].Metric = m
	}
	clock := func() { c.Elapsed, c.CPU = time.Since(start), cpuTime()-cpu }
	defer clock()

	profile, err := trialRuns(newSubject, cfg.Steps)
	if err != nil {
		return c, err
	}
	var (
		next    atomic.Uint64
		stop    atomic.Bool
		working sync.WaitGroup
	)
	batches := make(chan *batch, cfg.Workers)
	for range cfg.Workers {
		working.Add(1)
		go func() {
			defer working.Done()
			w := newWorker(newSubject, &cfg, profile)
			for !stop.Load() {
				number := next.Add(1) - 1
				first := number * batchSize
				if cfg.Seeds > 0 && first >= cfg.Seeds {
					return
				}
				size := uint64(batchSize)
				if cfg.Seeds > 0 {
					size = min(size, cfg.Seeds-first)
				}
				b := w.run(cfg.FirstSeed+first, size)
				b.number = number
				batches <- b
			}
		}()
	}
	go func() {
		working.Wait()
		close(batches)
	}()

	var deadline, tick <-chan time.Time
	if cfg.For > 0 {
		t := time.NewTimer(cfg.For - time.Since(start))
		defer t.Stop()
		deadline = t.C
	}
	if cfg.Progress != nil {
		t := time.NewTicker(progressEvery)
		defer t.Stop()
		tick = t.C
	}
	// Batches are added in the order of their seeds, whoever is done first. Each
	// one that was begun is ended, so that what was added has no gaps.
	waiting := map[uint64]*batch{}
	expected := uint64(0)
	enough := false
	cancelled := ctx.Done()
	for {
		select {
		case b, ok := <-batches:
			if !ok {
				c.Interrupted = c.Interrupted && !enough && (cfg.Seeds == 0 || c.Schedules < cfg.Seeds)
				return c, err
			}
			waiting[b.number] = b
			for b := waiting[expected]; b != nil && !enough; b = waiting[expected] {
				delete(waiting, expected)
				expected++
				c.add(b)
				err = b.err
				enough = err != nil || cfg.StopAfter > 0 && len(c.Failures) >= cfg.StopAfter
			}
			if enough {
				stop.Store(true)
			}
		case <-cancelled:
			cancelled = nil
			c.Interrupted = true
			stop.Store(true)
		case <-deadline:
			stop.Store(true)
		case <-tick:
			clock()
			cfg.Progress(c)
		}
	}
}

const progressEvery = 100 * time.Millisecond

// NondeterminismError says that a seed did not give the same run twice: nothing
// that the simulation said can be trusted.
type NondeterminismError struct {
	Strategy      string
	Seed          uint64
	First, Second uint64
}

func (e *NondeterminismError) Error() string {
	return fmt.Sprintf("the simulation is not deterministic: seed %d of strategy %s gave trace hash %016x, then %016x",
		e.Seed, e.Strategy, e.First, e.Second)
}

// PanicError says that simulated code panicked.
type PanicError struct {
	// Trial: it was one of the trial runs, and Seed is the number of that one.
	Trial    bool
	Strategy string
	Seed     uint64
	Value    any
	Stack    []byte
}

func (e *PanicError) Error() string {
	if e.Trial {
		return fmt.Sprintf("panic in a trial run: %v\n%s", e.Value, e.Stack)
	}
	return fmt.Sprintf("panic in seed %d of strategy %s: %v\n%s", e.Seed, e.Strategy, e.Value, e.Stack)
}
