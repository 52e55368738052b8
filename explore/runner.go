package explore

import (
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// DefaultSteps is the number of steps after which a run is cut off unless
// somebody says otherwise. Ordinary runs have some hundreds; who gets here does
// not end by itself.
const DefaultSteps = 100_000

// Runner carries out one run after another in one world, whose memory it keeps.
type Runner struct {
	subject  Subject
	world    *sim.World
	steps    int
	findings []Finding
}

// Result is what one run came to.
type Result struct {
	// TraceHash covers every action, choice and message with its payload.
	TraceHash uint64
	Stats     sim.Stats
	// Steps is the number of actions.
	Steps int
	// Findings has an entry for each claimed property. It is valid until the
	// next run.
	Findings []Finding
	// Truncated: the run was cut off before it was over. Its violations are
	// real; what held until then is undecided.
	Truncated bool
}

// Find returns the finding that says that the run failed in this way, nil if
// it did not.
func (r *Result) Find(f Failure) *Finding {
	for i := range r.Findings {
		if v := &r.Findings[i]; v.Verdict == model.Violated && v.Property == f.Property && v.Label == f.Label {
			return v
		}
	}
	return nil
}

// NewRunner returns a runner whose runs are cut off after so many steps; 0 is
// DefaultSteps.
func NewRunner(s Subject, steps int) *Runner {
	if steps <= 0 {
		steps = DefaultSteps
	}
	return &Runner{subject: s, world: sim.NewWorld(s.Options()), steps: steps}
}

// World is the world as the last run left it.
func (r *Runner) World() *sim.World { return r.world }

// Observe tells o what happens in all runs from now on; nil ends that.
func (r *Runner) Observe(o sim.Observer) { r.world.SetObserver(o) }

// Run carries out one run. A chooser that picks a negative number cuts it off.
func (r *Runner) Run(c sim.Chooser) Result { return r.run(c, r.steps) }

func (r *Runner) run(c sim.Chooser, limit int) Result {
	w := r.world
	w.Reset(r.subject.Options())
	r.subject.Build(w)
	w.Start(c)
	if rests, ok := r.subject.(AtRest); ok && rests.BeginsAtRest() {
		r.settle(c)
	}
	truncated := false
	// The limit is for steps that somebody picks.
	limit += w.Steps()
	for !r.subject.Over(w) {
		enabled := w.Enabled()
		if len(enabled) == 0 {
			break
		}
		if w.Steps() >= limit {
			truncated = true
			break
		}
		i := c.Pick(w, enabled)
		if i < 0 {
			truncated = true
			break
		}
		a := enabled[i]
		w.Do(c, a)
		r.subject.After(w, a)
	}
	r.judge(truncated)
	return Result{
		TraceHash: w.TraceHash(), Stats: w.Stats(), Steps: w.Steps(),
		Findings: r.findings, Truncated: truncated,
	}
}

// settle takes the default choice until nothing but timers and faults can
// happen. Nobody picks, but questions inside steps are asked.
func (r *Runner) settle(c sim.Chooser) {
	w := r.world
	for !r.subject.Over(w) {
		enabled := w.Enabled()
		if len(enabled) == 0 {
			return
		}
		a := enabled[usual(enabled)]
		if a.Kind == sim.Fire || a.Kind == sim.Inject {
			return
		}
		w.Do(c, a)
		r.subject.After(w, a)
	}
}

func (r *Runner) judge(truncated bool) {
	r.findings = append(r.findings[:0], r.subject.Judge(r.world)...)
	for i := range r.findings {
		f := &r.findings[i]
		if f.Verdict != model.Holds {
			continue
		}
		switch {
		case f.Exercised == 0:
			f.Verdict = model.Vacuous
		case truncated:
			f.Verdict = model.Undecided
		}
	}
}
