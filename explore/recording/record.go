package recording

import (
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/sim"
)

// Record carries out one run and writes it down. Tool, Scenario, Parameters,
// Strategy and Seed are left to the caller.
func Record(r *explore.Runner, c sim.Chooser) (*Recording, explore.Result) {
	rec := &recorder{chooser: c}
	res := r.Run(rec)
	return rec.recording(&res), res
}

// RecordSeed writes down the run that a strategy makes of a seed. Tool, Scenario
// and Parameters are left to the caller.
func RecordSeed(r *explore.Runner, s strategy.Strategy, seed uint64) (*Recording, explore.Result) {
	c := s.For(r)
	c.Begin(seed)
	rec, res := Record(r, c)
	rec.Strategy, rec.Seed = s.Name, seed
	return rec, res
}

// recorder passes on what it is asked and keeps the choices by name.
type recorder struct {
	chooser sim.Chooser
	choices []string
}

func (c *recorder) Pick(w *sim.World, enabled []sim.Action) int {
	i := c.chooser.Pick(w, enabled)
	if i >= 0 {
		c.choices = append(c.choices, actionName(w, enabled, i))
	}
	return i
}

func (c *recorder) Choose(w *sim.World, n int, what string) int {
	v := c.chooser.Choose(w, n, what)
	a := choice{string(appendQuestion(nil, w, what)), v, n}
	c.choices = append(c.choices, a.String())
	return v
}

func (c *recorder) recording(res *explore.Result) *Recording {
	return &Recording{
		Format: formatVersion, TraceHash: res.TraceHash,
		Findings: rendered(res.Findings), Choices: c.choices,
	}
}

func rendered(findings []explore.Finding) []Finding {
	list := make([]Finding, len(findings))
	for i := range findings {
		f := &findings[i]
		list[i] = Finding{Property: f.Property, Verdict: f.Verdict.String(), Label: f.Label}
		if f.Why != nil {
			list[i].Why = f.Why.String()
		}
	}
	return list
}

// planned is the plan of the run that is under way: what was really picked and
// answered.
type planned struct {
	names *names
	plan  plan
}

// addStep adds the picked action, and the action of the default choice; both are
// indices of names. It keeps the memory of earlier runs.
func (p *planned) addStep(names []int32, picked, byDefault int) {
	k := len(p.plan.steps)
	if k < cap(p.plan.steps) {
		p.plan.steps = p.plan.steps[:k+1]
	} else {
		p.plan.steps = append(p.plan.steps, step{})
	}
	s := &p.plan.steps[k]
	s.name, s.byDefault, s.answers = names[picked], names[byDefault], s.answers[:0]
}

// planner is a chooser that passes on what it is asked and keeps the plan.
type planner struct {
	planned
	chooser sim.Chooser
}

// replayPlan replays a recording and returns its plan, with these names, and
// whether it ends before the run is over.
func replayPlan(r *explore.Runner, rec *Recording, t *names) (p plan, truncated bool, err error) {
	c, err := newStrict(rec.Choices)
	if err != nil {
		return plan{}, false, err
	}
	t.begin()
	n := &planner{planned: planned{names: t}, chooser: c}
	res := r.Run(n)
	return n.plan, res.Truncated, nil
}

func (c *planner) Pick(w *sim.World, enabled []sim.Action) int {
	names := c.names.ofActions(w, enabled)
	picked := c.chooser.Pick(w, enabled)
	if picked >= 0 {
		c.addStep(names, picked, explore.DefaultChoice(enabled))
	}
	return picked
}

func (c *planner) Choose(w *sim.World, options int, what string) int {
	v := c.chooser.Choose(w, options, what)
	c.plan.addAnswer(answer{c.names.ofQuestion(w, what), int32(v), int32(options)})
	return v
}
