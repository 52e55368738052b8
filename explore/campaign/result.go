package campaign

import (
	"fmt"
	"slices"
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
	// NeverAtRest is how many runs ended while something could still happen, and have properties about rest.
	NeverAtRest uint64
	// Rechecked is how many runs were repeated; all took the same course.
	Rechecked uint64
	// Elapsed is wall-clock time, CPU the processor time of the whole process
	// in it.
	Elapsed, CPU time.Duration
	// Hash covers the trace hashes of all runs in the order of the seeds.
	Hash explore.Hash
	// Properties are in the order in which the subject reports them.
	Properties []PropertyTally
	// CoveragePoints are all that this binary knows, in the order of registration.
	CoveragePoints []CoveragePointTally
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
	r := emptyResult()
	r.Strategy, r.FirstSeed, r.Metrics = cfg.Strategy.Name, cfg.FirstSeed, newMetrics()
	return &r
}

// emptyResult is that of no runs. It has no metrics yet: only timed runs have any.
func emptyResult() Result {
	r := Result{Hash: explore.Hash(sim.NewDigest.Sum()), CoveragePoints: make([]CoveragePointTally, len(sim.CoveragePoints()))}
	for i, s := range sim.CoveragePoints() {
		r.CoveragePoints[i].CoveragePoint = s
	}
	return r
}

// Verdict joins those of all properties: violated if one is, unknown if one is
// or a run was cut off, vacuous if one is. A campaign without properties is
// vacuous.
func (r *Result) Verdict() model.Verdict {
	var all []model.Verdict
	for i := range r.Properties {
		all = append(all, r.Properties[i].Verdict)
	}
	if r.Truncated > 0 && len(all) > 0 {
		all = append(all, model.VerdictUnknown)
	}
	return model.Worst(all...)
}

// add adds what the runs that come next came to, in batches with these hashes.
func (r *Result) add(next *Result, batches ...explore.Hash) {
	r.Schedules += next.Schedules
	r.addStats(&next.Stats)
	r.Truncated += next.Truncated
	r.NeverReady += next.NeverReady
	r.NeverAtRest += next.NeverAtRest
	r.Rechecked += next.Rechecked
	for _, h := range batches {
		r.addHash(h)
	}
	for i := range next.Properties {
		r.addProperty(i, &next.Properties[i])
	}
	for i := range next.CoveragePoints {
		r.CoveragePoints[i].Times += next.CoveragePoints[i].Times
		r.CoveragePoints[i].Schedules += next.CoveragePoints[i].Schedules
	}
	for i := range next.Metrics {
		r.Metrics[i].Merge(&next.Metrics[i].Distribution)
	}
	for _, f := range next.Failures {
		addFailure(&r.Failures, f)
	}
}

func (r *Result) addHash(next explore.Hash) {
	r.Hash = explore.Hash(sim.Seeded(uint64(r.Hash)).Word(uint64(next)).Sum())
}

func (r *Result) addStats(s *sim.Stats) {
	r.Stats.Choices += s.Choices
	r.Stats.Picks += s.Picks
	r.Stats.Open += s.Open
	r.Stats.Messages += s.Messages
}

// addProperty adds more of a property. Properties come in the same order in each run, so its tally is
// at the place where it was.
func (r *Result) addProperty(at int, next *PropertyTally) {
	if at >= len(r.Properties) || r.Properties[at].Name != next.Name {
		at = slices.IndexFunc(r.Properties, func(t PropertyTally) bool { return t.Name == next.Name })
	}
	if at < 0 {
		at = len(r.Properties)
		r.Properties = append(r.Properties, PropertyTally{Name: next.Name})
	}
	t := &r.Properties[at]
	t.Verdict = t.Verdict.And(next.Verdict)
	t.Exercised += next.Exercised
	t.Violations += next.Violations
	t.Porcupine += next.Porcupine
	t.Witness += next.Witness
}

// PropertyTally is one property over all runs.
type PropertyTally struct {
	Name string
	// Verdict joins those of the runs. A property that no run checked is vacuous.
	Verdict model.Verdict
	// Exercised is how often it was checked, Violations in how many runs it was
	// violated.
	Exercised, Violations uint64
	// Porcupine is how many histories porcupine judged, Witness how many the witness alone.
	Porcupine, Witness uint64
}

// CoveragePointTally is how often a coverage point came about.
type CoveragePointTally struct {
	CoveragePoint sim.CoveragePoint
	// Times is how often in all, Schedules in how many runs.
	Times, Schedules uint64
}

// MetricTally is one metric over all runs. In JSON it is its distribution: tallies are in the order of the metrics.
type MetricTally struct {
	Metric metric.Metric
	metric.Distribution
}

// FailureTally is one way to fail.
type FailureTally struct {
	Failure explore.Failure
	// FirstSeed is the first seed that failed in this way, Schedules how many did.
	FirstSeed, Schedules uint64
	// Further are the next seeds that failed in this way, as many as are kept.
	Further []uint64
}

// maxFurther is how many seeds are kept beside the first one: enough to tell what stories
// of one failure have in common.
const maxFurther = 11

func (f *FailureTally) keep(seeds ...uint64) {
	more := min(len(seeds), maxFurther-len(f.Further))
	f.Further = append(f.Further, seeds[:more]...)
}

func addFailure(list *[]FailureTally, f FailureTally) {
	for i := range *list {
		known := &(*list)[i]
		if known.Failure != f.Failure {
			continue
		}
		known.Schedules += f.Schedules
		known.keep(f.FirstSeed)
		known.keep(f.Further...)
		return
	}
	*list = append(*list, f)
}

// NondeterminismError says that a seed did not give the same run twice. Nothing
// that the simulation showed can be trusted then.
type NondeterminismError struct {
	Strategy      string
	Seed          uint64
	First, Second explore.Hash
}

func (e *NondeterminismError) Error() string {
	return fmt.Sprintf("the simulation is not deterministic: seed %d of strategy %s gave trace hash %s, then %s",
		e.Seed, e.Strategy, e.First, e.Second)
}

// PanicError says that code of the subject panicked: what builds a run or judges it. A
// panic in simulated code is a finding (explore.NoPanic).
type PanicError struct {
	// Trial: it was one of the trial runs, which have no seed of the campaign.
	Trial    bool
	Strategy string
	Seed     uint64
	Value    any
	Stack    []byte
}

// ofPanic is the error of a panic: without the stack if two checkers disagree (explore.Disputed).
func ofPanic(e *PanicError) error {
	d, disputed := e.Value.(*explore.Disputed)
	switch {
	case !disputed:
		return e
	case e.Trial:
		return fmt.Errorf("a trial run: %w", d)
	}
	return fmt.Errorf("seed %d of strategy %s: %w", e.Seed, e.Strategy, d)
}

func (e *PanicError) Error() string {
	if e.Trial {
		return fmt.Sprintf("panic in a trial run: %v\n%s", e.Value, e.Stack)
	}
	return fmt.Sprintf("panic in seed %d of strategy %s: %v\n%s", e.Seed, e.Strategy, e.Value, e.Stack)
}
