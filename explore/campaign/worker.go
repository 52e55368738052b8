package campaign

import (
	"math"
	"runtime/debug"
	"sync/atomic"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
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
