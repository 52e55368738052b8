package explore

import (
	"math"
	"runtime/debug"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// batchSize is how many seeds a worker takes at once. It is part of the result:
// campaigns end between batches, and the hash is one over batches.
const batchSize = 32

// batch is what consecutive seeds came to.
type batch struct {
	number     uint64
	schedules  uint64
	stats      sim.Stats
	truncated  uint64
	rechecked  uint64
	hash       sim.Digest
	properties []PropertyTally
	situations []SituationTally
	// metrics is nil for untimed runs.
	metrics  []MetricTally
	failures []FailureTally
	err      error
}

type worker struct {
	cfg        *Config
	newSubject func() Subject
	profile    Profile
	runner     *Runner
	chooser    Chooser
	situations []sim.Situation
	// repeats are the runs of the present batch that are to be repeated.
	repeats []repeat
	// seed is the one that is running.
	seed uint64
}

type repeat struct{ seed, hash uint64 }

func newWorker(newSubject func() Subject, cfg *Config, p Profile) *worker {
	return &worker{
		cfg: cfg, newSubject: newSubject, profile: p, situations: sim.Situations(),
		runner: NewRunner(newSubject(), cfg.Steps), chooser: cfg.Strategy.Chooser(p),
	}
}

func trialRuns(newSubject func() Subject, steps int) (p Profile, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Trial: true, Value: v, Stack: debug.Stack()}
		}
	}()
	return NewRunner(newSubject(), steps).Profile(), nil
}

func (w *worker) run(first, n uint64) (b *batch) {
	b = &batch{hash: sim.NewDigest, situations: make([]SituationTally, len(w.situations))}
	defer func() {
		if v := recover(); v != nil {
			b.err = &PanicError{Strategy: w.cfg.Strategy.Name, Seed: w.seed, Value: v, Stack: debug.Stack()}
		}
	}()
	w.repeats = w.repeats[:0]
	for i := range n {
		w.seed = first + i
		w.chooser.Begin(w.seed)
		res := w.runner.Run(w.chooser)
		b.count(w, &res)
		if w.wantsRecheck() {
			w.repeats = append(w.repeats, repeat{w.seed, res.TraceHash})
		}
	}
	w.recheck(b)
	return b
}

func (b *batch) count(w *worker, res *Result) {
	b.schedules++
	b.hash = b.hash.Word(res.TraceHash)
	b.stats.Choices += res.Stats.Choices
	b.stats.Picks += res.Stats.Picks
	b.stats.Open += res.Stats.Open
	b.stats.Messages += res.Stats.Messages
	if res.Truncated {
		b.truncated++
	}
	for i := range res.Findings {
		f := &res.Findings[i]
		p := tallyOf(&b.properties, i, f.Property)
		p.Verdict = p.Verdict.And(f.Verdict)
		p.Exercised += uint64(f.Exercised)
		if f.Verdict == model.Violated {
			p.Violations++
			addFailure(&b.failures, FailureTally{f.Failure(), w.seed, 1})
		}
	}
	for i, s := range w.situations {
		if n := w.runner.World().Count(s); n > 0 {
			b.situations[i].Times += n
			b.situations[i].Schedules++
		}
	}
	b.countMetrics(w.runner.World())
}

func (b *batch) countMetrics(world *sim.World) {
	if world.Mode() != sim.Timed {
		return
	}
	if b.metrics == nil {
		for _, m := range sim.Metrics() {
			b.metrics = append(b.metrics, MetricTally{Metric: m})
		}
	}
	for i := range b.metrics {
		b.metrics[i].Merge(world.Metric(b.metrics[i].Metric))
	}
}

// tallyOf finds the entry of a property; findings come in the same order in
// each run, so it is where it was.
func tallyOf(list *[]PropertyTally, at int, name string) *PropertyTally {
	if at < len(*list) && (*list)[at].Name == name {
		return &(*list)[at]
	}
	for i := range *list {
		if (*list)[i].Name == name {
			return &(*list)[i]
		}
	}
	*list = append(*list, PropertyTally{Name: name})
	return &(*list)[len(*list)-1]
}

func addFailure(list *[]FailureTally, f FailureTally) {
	for i := range *list {
		if (*list)[i].Failure == f.Failure {
			(*list)[i].Schedules += f.Schedules
			return
		}
	}
	*list = append(*list, f)
}

// wantsRecheck selects seeds by themselves, not by who runs them. The first
// seed is always among them, so that a campaign of a few seeds has a check too.
func (w *worker) wantsRecheck() bool {
	if w.cfg.RecheckShare < 0 {
		return false
	}
	return w.seed == w.cfg.FirstSeed || float64(mix(w.seed^goldenGamma)) < w.cfg.RecheckShare*math.MaxUint64
}

// recheck repeats runs with a subject, a world and a chooser that nothing else
// has used: it fails if a run depends on anything but its seed, and that is
// also what a run left behind in a reused world or node.
func (w *worker) recheck(b *batch) {
	if len(w.repeats) == 0 {
		return
	}
	runner, chooser := NewRunner(w.newSubject(), w.cfg.Steps), w.cfg.Strategy.Chooser(w.profile)
	for _, r := range w.repeats {
		w.seed = r.seed
		chooser.Begin(r.seed)
		res := runner.Run(chooser)
		if res.TraceHash != r.hash {
			b.err = &NondeterminismError{w.cfg.Strategy.Name, r.seed, r.hash, res.TraceHash}
			return
		}
		b.rechecked++
	}
}

// add adds the next batch.
func (c *Campaign) add(b *batch) {
	c.Schedules += b.schedules
	c.Stats.Choices += b.stats.Choices
	c.Stats.Picks += b.stats.Picks
	c.Stats.Open += b.stats.Open
	c.Stats.Messages += b.stats.Messages
	c.Truncated += b.truncated
	c.Rechecked += b.rechecked
	c.Hash = uint64(sim.Digest(c.Hash).Word(uint64(b.hash)))
	for i := range b.properties {
		p := &b.properties[i]
		t := tallyOf(&c.Properties, i, p.Name)
		t.Verdict = t.Verdict.And(p.Verdict)
		t.Exercised += p.Exercised
		t.Violations += p.Violations
	}
	for i := range b.situations {
		c.Situations[i].Times += b.situations[i].Times
		c.Situations[i].Schedules += b.situations[i].Schedules
	}
	for i := range b.metrics {
		c.Metrics[i].Merge(&b.metrics[i].Distribution)
	}
	for _, f := range b.failures {
		addFailure(&c.Failures, f)
	}
}
