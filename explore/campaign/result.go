package campaign

import (
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// Result is what many runs came to. Everything but the times is a function of
// the subject, the strategy and the seeds.
type Result struct {
	Strategy  string
	FirstSeed uint64
	// Schedules is the number of runs: seeds FirstSeed and following.
	Schedules uint64
	// Stats are the sums over all runs, without the repeated ones.
	Stats sim.Stats
	// Truncated is how many runs were cut off by the limit of steps.
	Truncated uint64
	// NeverReady is how many timed runs ended with a cache that was not ready again after the faults.
	NeverReady uint64
	// Rechecked is how many runs were repeated; all took the same course.
	Rechecked uint64
	// Elapsed is wall-clock time, CPU the processor time of the whole process
	// in it.
	Elapsed, CPU time.Duration
	// Hash covers the trace hashes of all runs in the order of the seeds.
	Hash explore.Hash
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

func newResult(cfg *Config) *Result {
	r := &Result{
		Strategy: cfg.Strategy.Name, FirstSeed: cfg.FirstSeed, Hash: explore.Hash(sim.NewDigest.Sum()),
		Situations: make([]SituationTally, len(sim.Situations())),
		Metrics:    make([]MetricTally, len(metric.All())),
	}
	for i, s := range sim.Situations() {
		r.Situations[i].Situation = s
	}
	for i, m := range metric.All() {
		r.Metrics[i].Metric = m
	}
	return r
}

// Verdict joins those of all properties: violated if one is, unknown if one is
// or a run was cut off, vacuous if one is. A campaign without properties is
// vacuous.
func (r *Result) Verdict() model.Verdict {
	if len(r.Properties) == 0 {
		return model.Vacuous
	}
	worst := model.Holds
	for i := range r.Properties {
		switch v := r.Properties[i].Verdict; {
		case v == model.Violated:
			return model.Violated
		case v == model.VerdictUnknown || worst == model.VerdictUnknown:
			worst = model.VerdictUnknown
		case v == model.Vacuous:
			worst = model.Vacuous
		}
	}
	if r.Truncated > 0 {
		return model.VerdictUnknown
	}
	return worst
}

// add adds the next batch.
func (r *Result) add(b *batch) {
	r.Schedules += b.schedules
	addStats(&r.Stats, &b.stats)
	r.Truncated += b.truncated
	r.NeverReady += b.neverReady
	r.Rechecked += b.rechecked
	r.Hash = explore.Hash(sim.Seeded(uint64(r.Hash)).Word(b.hash.Sum()).Sum())
	r.addTallies(b.properties, b.situations, b.metrics, b.failures)
}

// addTallies adds what more runs came to.
func (r *Result) addTallies(properties []PropertyTally, situations []SituationTally, metrics []MetricTally, failures []FailureTally) {
	for i := range properties {
		p := &properties[i]
		t := tallyOf(&r.Properties, i, p.Name)
		t.Verdict = t.Verdict.And(p.Verdict)
		t.Exercised += p.Exercised
		t.Violations += p.Violations
		t.Porcupine += p.Porcupine
		t.Witness += p.Witness
	}
	for i := range situations {
		r.Situations[i].Times += situations[i].Times
		r.Situations[i].Schedules += situations[i].Schedules
	}
	for i := range metrics {
		r.Metrics[i].Merge(&metrics[i].Distribution)
	}
	for _, f := range failures {
		addFailure(&r.Failures, f)
	}
}

func addStats(sum, s *sim.Stats) {
	sum.Choices += s.Choices
	sum.Picks += s.Picks
	sum.Open += s.Open
	sum.Messages += s.Messages
}
