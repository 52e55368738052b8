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
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
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
	defer c.clock()
	profile, err := measure(newSubject, &cfg)
	if err != nil {
		return c.result, err
	}
	c.batches = (cfg.Seeds + batchSize - 1) / batchSize
	return c.result, c.run(ctx, func() func(uint64) *batch {
		w := newWorker(newSubject, &cfg, profile)
		return func(number uint64) *batch {
			first, size := number*batchSize, uint64(batchSize)
			if cfg.Seeds > 0 {
				size = min(size, cfg.Seeds-first)
			}
			return w.run(cfg.FirstSeed+first, size, &c.stop)
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
	// batches is how many there are, 0 if there is no bound. next is the number of the next one; with stop,
	// workers begin no more.
	batches uint64
	next    atomic.Uint64
	stop    atomic.Bool
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
	expected := uint64(0)
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

// add adds the batch that comes next, and says what fails for the first time.
func (c *campaign) add(b *batch) {
	if b.Schedules == 0 {
		return
	}
	before := len(c.result.Failures)
	c.result.add(&b.Result)
	if c.added != nil {
		c.added(b)
	}
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
