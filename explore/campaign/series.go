package campaign

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
)

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
// them up in their order. Of the configuration Seeds, Steps and StopAfter mean nothing.
// The result is that of one campaign over all seeds: a function of the subjects, the
// strategy and the seeds.
//
// Its errors are those of Run for one campaign, and those of Subject.
func (s *Series) Run(ctx context.Context, cfg Config) (*Result, error) {
	cfg.Seeds = s.Campaigns
	cfg, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	r := &series{Series: s, cfg: &cfg, start: time.Now(), cpu: CPUTime(), done: map[uint64]outcome{}}
	r.sum = newResult(&cfg)
	if cfg.For > 0 {
		timed, cancel := context.WithTimeout(ctx, cfg.For)
		defer cancel()
		r.deadline = timed.Done()
	}
	var working sync.WaitGroup
	for range cfg.Workers {
		working.Go(func() { r.work(ctx) })
	}
	working.Wait()
	r.clock()
	return r.sum, r.err
}

// series is a Series that is running.
type series struct {
	*Series
	cfg      *Config
	start    time.Time
	cpu      time.Duration
	deadline <-chan struct{}
	// next is the number of the next campaign.
	next atomic.Uint64

	mu sync.Mutex
	// done are campaigns that have ended before an earlier one, added is how many are in
	// the sum.
	done  map[uint64]outcome
	added uint64
	sum   *Result
	err   error
	// over: nothing is added any more.
	over bool
}

type outcome struct {
	result *Result
	err    error
}

func (r *series) work(ctx context.Context) {
	for !r.ended(ctx) {
		i := r.next.Add(1) - 1
		if i >= r.Campaigns {
			return
		}
		r.add(i, r.campaign(ctx, i))
	}
}

func (r *series) ended(ctx context.Context) bool {
	select {
	case <-r.deadline:
		return true
	case <-ctx.Done():
		r.mu.Lock()
		defer r.mu.Unlock()
		r.sum.Interrupted = r.next.Load() < r.Campaigns
		return true
	default:
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.over
	}
}

// campaign runs campaign i alone, with one worker.
func (r *series) campaign(ctx context.Context, i uint64) outcome {
	newSubject, steps, err := r.Subject(i)
	if err != nil {
		return outcome{nil, err}
	}
	result, err := Run(ctx, newSubject, Config{
		Strategy: r.cfg.Strategy, FirstSeed: r.cfg.FirstSeed + i*r.Each, Seeds: r.Each, Workers: 1, Steps: steps,
		RecheckShare: r.cfg.RecheckShare,
	})
	return outcome{result, err}
}

// add adds a campaign that has ended, and those that waited for it. An interrupted one
// is the last, so that what is added has no gaps.
func (r *series) add(i uint64, o outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done[i] = o
	for ; !r.over; r.added++ {
		o, ok := r.done[r.added]
		if !ok {
			break
		}
		delete(r.done, r.added)
		if o.result != nil {
			r.sum.merge(o.result)
			if r.Ended != nil {
				r.Ended(r.added, o.result)
			}
		}
		r.err = o.err
		r.over = o.err != nil || o.result.Interrupted
	}
	if r.cfg.Progress != nil {
		r.clock()
		r.cfg.Progress(r.sum)
	}
}

func (r *series) clock() { r.sum.Elapsed, r.sum.CPU = time.Since(r.start), CPUTime()-r.cpu }

// merge adds the campaign that comes next.
func (r *Result) merge(next *Result) {
	r.Schedules += next.Schedules
	addStats(&r.Stats, &next.Stats)
	r.Truncated += next.Truncated
	r.NeverReady += next.NeverReady
	r.Rechecked += next.Rechecked
	r.Interrupted = r.Interrupted || next.Interrupted
	r.Hash = explore.Hash(sim.Seeded(uint64(r.Hash)).Word(uint64(next.Hash)).Sum())
	r.addTallies(next.Properties, next.Situations, next.Metrics, next.Failures)
}
