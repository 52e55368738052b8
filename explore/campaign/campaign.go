package campaign

import (
	"context"
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
	c := &campaign{cfg: &cfg, newSubject: newSubject, result: newResult(&cfg), start: time.Now(), cpu: CPUTime()}
	defer c.clock()
	c.profile, err = measure(newSubject, &cfg)
	if err != nil {
		return c.result, err
	}
	// A time that is over before the first batch leaves none, however soon a worker begins.
	c.stop.Store(cfg.For > 0 && time.Since(c.start) >= cfg.For)
	return c.result, c.collect(ctx, c.startWorkers())
}

// campaign is a campaign that is running.
type campaign struct {
	cfg        *Config
	newSubject func() explore.Subject
	profile    strategy.Profile
	result     *Result
	start      time.Time
	cpu        time.Duration
	// next is the number of the next batch; with stop, workers begin no more.
	next atomic.Uint64
	stop atomic.Bool
}

func (c *campaign) clock() {
	c.result.Elapsed, c.result.CPU = time.Since(c.start), CPUTime()-c.cpu
}

// startWorkers returns the channel of batches, which is closed after the last
// one.
func (c *campaign) startWorkers() <-chan *batch {
	batches := make(chan *batch, c.cfg.Workers)
	var working sync.WaitGroup
	for range c.cfg.Workers {
		working.Go(func() { c.work(batches) })
	}
	go func() {
		working.Wait()
		close(batches)
	}()
	return batches
}

func (c *campaign) work(batches chan<- *batch) {
	w := newWorker(c.newSubject, c.cfg, c.profile)
	for !c.stop.Load() {
		number := c.next.Add(1) - 1
		first, size := number*batchSize, uint64(batchSize)
		if c.cfg.Seeds > 0 {
			if first >= c.cfg.Seeds {
				return
			}
			size = min(size, c.cfg.Seeds-first)
		}
		b := w.run(c.cfg.FirstSeed+first, size, &c.stop)
		b.number = number
		batches <- b
	}
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
	interrupted := false
	cancelled := ctx.Done()
	for {
		select {
		case b, ok := <-batches:
			if !ok {
				c.result.Interrupted = interrupted && !enough && (c.cfg.Seeds == 0 || c.result.Schedules < c.cfg.Seeds)
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
			interrupted = true
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
	if b.cut && b.schedules == 0 {
		return
	}
	before := len(c.result.Failures)
	c.result.add(b)
	if c.cfg.Failed == nil {
		return
	}
	for _, f := range c.result.Failures[before:] {
		c.cfg.Failed(f)
	}
}

const progressInterval = 100 * time.Millisecond
