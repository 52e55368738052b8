// Package explore (unstable) carries out runs of a simulated world and reports
// what each of them showed.
//
//	Subject   what is explored: nodes, faults, invariants, judgement
//	Runner    carries out one run after another in one world
//	Finding   what one run showed about one property
//
// The choices are the run: a Runner asks a sim.Chooser for each of them. The
// packages below this one say where choices come from and what to do with them:
//
//	explore/strategy    from a seed to choices: random, paced, pct3, pos, urw, ...
//	explore/campaign    many seeds, several workers, one result
//	explore/recording   a run as a file: record, replay, follow, shrink
//	explore/prove       every schedule within bounds, in place of a sample
//	explore/property    a subject in a Go test, also with rapid
//
// The package imports sim and model. It must never import a package below it,
// anything that knows etcd, nor testing.
package explore

import (
	"fmt"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// DefaultSteps is the number of steps after which a run is cut off. Ordinary
// runs have some hundreds; a run that gets here does not end by itself.
const DefaultSteps = 100_000

// Runner carries out one run after another in one world, whose memory it keeps.
type Runner struct {
	subject Subject
	// recovering is the subject, if it is one.
	recovering Recovering
	// resting is the subject, if it is one.
	resting  Resting
	world    *sim.World
	steps    int
	findings []Finding
	// panicked is the finding of a panic in simulated code that ended the run, nil if there was none.
	panicked *Finding
}

// NewRunner returns a runner whose runs are cut off after so many steps; 0 is
// DefaultSteps.
func NewRunner(s Subject, steps int) *Runner {
	if steps <= 0 {
		steps = DefaultSteps
	}
	recovering, _ := s.(Recovering)
	resting, _ := s.(Resting)
	return &Runner{subject: s, recovering: recovering, resting: resting, world: sim.NewWorld(s.Options()), steps: steps}
}

// World is the world as the last run left it.
func (r *Runner) World() *sim.World { return r.world }

// Limit is the number of steps after which Run cuts a run off.
func (r *Runner) Limit() int { return r.steps }

// Observe passes to o what happens in all runs from now on; nil ends that.
func (r *Runner) Observe(o sim.Observer) { r.world.SetObserver(o) }

// Run carries out one run. A chooser that picks a negative number cuts it off.
func (r *Runner) Run(c sim.Chooser) Result { return r.RunUpTo(c, r.steps) }

// RunUpTo carries out one run and cuts it off after so many picked steps, in
// place of the runner's own limit.
func (r *Runner) RunUpTo(c sim.Chooser, limit int) Result {
	truncated := false
	r.panicked = Panicked(func() { truncated = r.explore(c, limit) })
	r.judge(truncated)
	w := r.world
	return Result{
		TraceHash: Hash(w.TraceHash()), Stats: w.Stats(), Steps: w.Steps(),
		Findings: r.findings, Truncated: truncated,
		NeverReady:  r.recovering != nil && r.recovering.NeverReady(w),
		NeverAtRest: r.resting != nil && r.panicked == nil && r.resting.NeverAtRest(w),
	}
}

// explore takes the steps of a run, and reports whether it was cut off.
func (r *Runner) explore(c sim.Chooser, limit int) (truncated bool) {
	w := r.world
	Begin(r.subject, w, c)
	// Steps before the first pick do not count.
	limit += w.Steps()
	for !r.subject.Over(w) {
		enabled := w.Enabled()
		if len(enabled) == 0 {
			return false
		}
		i := 0
		switch {
		case r.resting != nil && r.resting.Settles(w):
			i = settlingChoice(w, enabled)
		case w.Steps() >= limit:
			return true
		default:
			i = c.Pick(w, enabled)
		}
		if i < 0 {
			return true
		}
		a := enabled[i]
		w.Do(c, a)
		r.subject.After(w, a)
	}
	return false
}

// Build builds a subject's world, in which nothing has started.
func Build(s Subject, w *sim.World) {
	w.Reset(s.Options())
	s.Build(w)
}

// Begin builds a subject's world and takes the steps before the first pick.
func Begin(s Subject, w *sim.World, c sim.Chooser) {
	Build(s, w)
	w.Start(c)
	if rests, ok := s.(AtRest); ok && rests.BeginsAtRest() {
		settle(s, w, c)
	}
}

// settle takes the default choice until only timers and faults are left. The
// chooser picks nothing here, but it answers the questions inside steps.
func settle(s Subject, w *sim.World, c sim.Chooser) {
	for !s.Over(w) {
		enabled := w.Enabled()
		if len(enabled) == 0 {
			return
		}
		a := enabled[DefaultChoice(enabled)]
		if a.Kind == sim.Fire || a.Kind == sim.Inject {
			return
		}
		w.Do(c, a)
		s.After(w, a)
	}
}

func (r *Runner) judge(truncated bool) {
	if r.panicked != nil {
		r.findings = append(r.findings[:0], *r.panicked)
		return
	}
	r.findings = append(r.findings[:0], r.subject.Judge(r.world)...)
	for i := range r.findings {
		f := &r.findings[i]
		if miscounted(f) {
			panic(fmt.Sprintf("explore: the judge of %s says %v, and that it was checked %d times", f.Property, f.Verdict, f.Exercised))
		}
		if f.Verdict != model.Holds {
			continue
		}
		switch {
		case f.Exercised == 0:
			f.Verdict = model.Vacuous
		case truncated:
			f.Verdict = model.VerdictUnknown
		}
	}
}

// miscounted reports whether a judge is at fault itself: how often a property was checked
// is never negative, and none that was checked is vacuous.
func miscounted(f *Finding) bool {
	return f.Exercised < 0 || f.Verdict == model.Vacuous && f.Exercised > 0
}

// Subject is what is explored. It serves one Runner: run after run, never two
// at the same time.
type Subject interface {
	// Build puts the nodes and faults of one run into a world that was just
	// reset. It happens once a schedule, so it should reset nodes and not make
	// new ones.
	Build(w *sim.World)
	// Options are the settings of the world; always the same.
	Options() sim.Options
	// After looks at the world after each step, for invariants.
	After(w *sim.World, a sim.Action)
	// Over reports, before each step, whether the run has ended: the workload is
	// done or the horizon reached. It may call w.Heal to begin the liveness
	// phase.
	Over(w *sim.World) bool
	// Judge returns one finding for each property that is claimed, always in the
	// same order, also if the run did not exercise it. The slice may be reused by
	// the next run.
	//
	// A run may have been cut off at any step, by a limit or because a shorter
	// recording of it is wanted. Judge must not call missing what could still
	// have come.
	Judge(w *sim.World) []Finding
}

// Recovering is implemented by a subject whose liveness phase begins when its nodes are ready again after faults.
type Recovering interface {
	// NeverReady reports whether a run ended although the faults were over and some node was not ready: what must
	// come in the liveness phase was not judged.
	NeverReady(w *sim.World) bool
}

// Resting is implemented by a subject some of whose properties are about runs in which nothing more can happen.
type Resting interface {
	// Settles reports whether a run takes the default choice from here on, so that it comes to rest if it can
	// (DefaultChoice is fair, and strategies are not). It is so until the run ends.
	Settles(w *sim.World) bool
	// NeverAtRest reports whether a run ended before that, so that these were not judged.
	NeverAtRest(w *sim.World) bool
}

// AtRest is implemented by a subject whose runs may begin at rest. Everything
// that happens before the first timer fires, such as the start of a cache, then
// always happens in the same order and is no part of a recording's choices.
type AtRest interface {
	BeginsAtRest() bool
}
