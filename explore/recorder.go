package explore

import "github.com/watchbed/watchbed/sim"

// Record carries out one run and writes it down. Tool, Scenario, Parameters,
// Strategy and Seed are left to the caller.
func Record(r *Runner, c sim.Chooser) (*Recording, Result) { return record(r, c, r.steps) }

func record(r *Runner, c sim.Chooser, limit int) (*Recording, Result) {
	rec := &recorder{chooser: c}
	res := r.run(rec, limit)
	return &Recording{
		Format: RecordingFormat, TraceHash: Hash(res.TraceHash),
		Findings: rendered(res.Findings), Choices: rec.choices,
	}, res
}

// RecordSeed writes down the run that a strategy makes of a seed. Tool, Scenario
// and Parameters are left to the caller.
func RecordSeed(r *Runner, s Strategy, seed uint64) (*Recording, Result) {
	c := s.Chooser(r.Profile())
	c.Begin(seed)
	rec, res := Record(r, c)
	rec.Strategy, rec.Seed = s.Name, seed
	return rec, res
}

func rendered(findings []Finding) []RecordedFinding {
	list := make([]RecordedFinding, len(findings))
	for i := range findings {
		f := &findings[i]
		list[i] = RecordedFinding{Property: f.Property, Verdict: f.Verdict.String(), Label: f.Label}
		if f.Why != nil {
			list[i].Why = f.Why.String()
		}
	}
	return list
}

// recorder passes on what it is asked and keeps the answers by name.
type recorder struct {
	chooser sim.Chooser
	choices []string
}

func (c *recorder) Pick(w *sim.World, enabled []sim.Action) int {
	i := c.chooser.Pick(w, enabled)
	if i >= 0 {
		c.choices = append(c.choices, nameAmong(w, enabled, i))
	}
	return i
}

func (c *recorder) Choose(w *sim.World, n int, what string) int {
	v := c.chooser.Choose(w, n, what)
	a := choice{string(question(nil, w, what)), v, n}
	c.choices = append(c.choices, a.String())
	return v
}

// nameAmong names one enabled action so that no other one is meant.
func nameAmong(w *sim.World, enabled []sim.Action, i int) string {
	name := w.Name(enabled[i])
	n := 1
	for _, a := range enabled[:i] {
		if w.Name(a) == name {
			n++
		}
	}
	if n > 1 {
		return twin(name, n)
	}
	return name
}
