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
