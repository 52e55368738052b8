// Package matrix (unstable) asks of each design of the cache on each version of etcd
// whether it is safe, whether it always answers, and what it costs. And it runs the whole catalogue of scenarios on a
// side, which is such a design, such a version or other settings on top of each scenario's parameters, and says what
// differs between two sides, or between one side and what is known.
//
//	matrix      the result: cells, questions, the evidence for each answer
//	explore     the campaigns that fill it
//	apart       the scenarios that tell a design from the others
//	alike       versions with which every run is the same
//	beyond      what is known of scenarios that it was not put to
//	cost        what the consistent LISTs of one workload cost
//	campaigns   what runs the campaigns of cells and of sides
//	side        what a cell or a side changes
//	catalogue   what all scenarios came to on one side; sides: the campaigns; file: a baseline for later
//	differ      two sides: verdicts, frequencies, ways to fail; costs: what LISTs cost
//	stories     what happens in the stories of a way to fail, and where two sides differ
//	asknown     one side and what is known of it
//
// What was not run, cut off or never checked is unknown, and never counts as alike. The package must never print anything.
package matrix

import (
	"maps"
	"slices"

	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

// Matrix is designs of the cache by versions of etcd. Either may be a variant, with what is
// set on top in its label: kep-2340+progress-period=50ms.
type Matrix struct {
	// Program is the name with which the commands begin.
	Program  string   `json:"-"`
	Designs  []string `json:"designs"`
	Versions []string `json:"etcd"`
	// Cells are in the order of the designs, then of the versions. After an
	// interrupt the last ones are missing.
	Cells []*Cell `json:"cells"`
	// Beyond is what is known to be violated in scenarios of which no cell was asked.
	Beyond []Beyond `json:"beyond"`
	// Schedules is the number of all runs.
	Schedules   uint64  `json:"schedules"`
	Seconds     float64 `json:"seconds"`
	Interrupted bool    `json:"interrupted,omitempty"`
}

// Cell is one design on one version.
type Cell struct {
	Design string `json:"design"`
	Etcd   string `json:"etcd"`
	// Alike are the versions of which the same is true: with them every run is the same.
	Alike []string `json:"alike,omitempty"`
	// Live joins the claims that something comes in time, Safe all others.
	Safe Question `json:"safe"`
	Live Question `json:"live"`
	Cost []*Cost  `json:"cost"`
	// Masked are the options of etcd whose race is masked in scenarios that the answers rest
	// on: a "yes" says nothing of etcd with it.
	Masked []string `json:"masked,omitempty"`
	// Interrupted: not all of it was run.
	Interrupted bool `json:"interrupted,omitempty"`
}

// Question is what was asked of a cell, with all that the answer rests on.
type Question struct {
	// Verdict is the worst of the evidence: violated, then unknown, then vacuous.
	Verdict  string     `json:"verdict"`
	Evidence []Evidence `json:"evidence"`
}

// Evidence is what one campaign says to a question.
type Evidence struct {
	Scenario   string                      `json:"scenario"`
	Verdict    string                      `json:"verdict"`
	Schedules  uint64                      `json:"schedules"`
	Properties map[string]summary.Property `json:"properties"`
	// NeverReady is how many schedules ended with a cache that was not ready again after the faults.
	NeverReady uint64 `json:"neverReady,omitempty"`
	// TooFew: something is known to be violated that so few schedules need not find.
	TooFew bool `json:"tooFew,omitempty"`
	// Failure is the way to fail that says most about the cause.
	Failure *summary.Failure `json:"failure,omitempty"`
	// Command shows the same again: the failure if there is one, else all runs.
	Command string `json:"command"`
	// Known is what is known to be violated, Missing and Unexpected are the
	// differences.
	Known      []summary.Known `json:"known,omitempty"`
	Missing    []string        `json:"missing,omitempty"`
	Unexpected []string        `json:"unexpected,omitempty"`
}

// Versions are all that a cell speaks of.
func (cell *Cell) Versions() []string { return append([]string{cell.Etcd}, cell.Alike...) }

// isLive reports whether a property says that something comes in time.
func isLive(property string) bool {
	p, err := testbed.FindProperty(property)
	return err == nil && p.Kind == testbed.Liveness
}

// answered reports whether what these properties could say is said: their questions
// have a "no" already.
func (cell *Cell) answered(properties []string) bool {
	return !slices.ContainsFunc(properties, func(name string) bool { return cell.question(isLive(name)).Failing() == nil })
}

func (cell *Cell) question(live bool) *Question {
	if live {
		return &cell.Live
	}
	return &cell.Safe
}

// add takes down what a campaign says of these properties to both questions.
func (cell *Cell) add(sc *testbed.Scenario, p *testbed.Params, c *campaign.Result, properties []string, command func(first, last uint64) string) {
	var violated []string
	for _, t := range c.Properties {
		if t.Verdict == model.Violated {
			violated = append(violated, t.Name)
		}
	}
	o := known.OutcomeOf(sc, p, violated)
	all := summary.KnownOf(sc, p)
	tallies := c.Properties
	if c.Schedules == 0 {
		// The time was over before the first run.
		tallies = nil
		for _, name := range properties {
			tallies = append(tallies, campaign.PropertyTally{Name: name, Verdict: model.VerdictUnknown})
		}
	}
	few := c.Schedules < enough(sc.Name)
	for _, live := range []bool{false, true} {
		mine := func(property string) bool { return isLive(property) == live && slices.Contains(properties, property) }
		others := func(property string) bool { return !mine(property) }
		e := Evidence{
			Scenario: sc.Name, Schedules: c.Schedules, NeverReady: c.NeverReady, Properties: map[string]summary.Property{},
			Known:   slices.DeleteFunc(slices.Clone(all), func(k summary.Known) bool { return !mine(k.Property) }),
			Missing: slices.DeleteFunc(known.Names(o.Missing), others), Unexpected: slices.DeleteFunc(testbed.Names(o.Unexpected), others),
			Command: command(c.FirstSeed, c.FirstSeed+max(c.Schedules, 1)-1),
		}
		var verdicts []string
		for _, t := range tallies {
			if !mine(t.Name) {
				continue
			}
			verdict := t.Verdict
			if verdict == model.Holds && c.Truncated > 0 {
				verdict = model.VerdictUnknown
			}
			if verdict == model.Holds && (slices.Contains(e.Missing, t.Name) || few && slices.ContainsFunc(all, func(k summary.Known) bool { return k.Property == t.Name })) {
				e.TooFew = true
			}
			e.Properties[t.Name] = summary.Property{Verdict: verdict.String(), Exercised: t.Exercised, Violations: t.Violations, Porcupine: t.Porcupine, Witness: t.Witness}
			verdicts = append(verdicts, verdict.String())
		}
		if len(verdicts) == 0 {
			continue
		}
		e.Verdict = worst(verdicts).String()
		// The failure that a run tells first, so that the run of its seed alone is about the property that the matrix names.
		failures := summary.PlainestFirst(all, p, c.Failures)
		if i := slices.IndexFunc(failures, func(f campaign.FailureTally) bool { return mine(f.Failure.Property) }); i >= 0 {
			f := &failures[i]
			e.Failure = &summary.Failure{Property: f.Failure.Property, Label: f.Failure.Label, Seed: f.FirstSeed, Schedules: f.Schedules}
			e.Command = command(f.FirstSeed, f.FirstSeed)
		}
		q := cell.question(live)
		q.Evidence = append(q.Evidence, e)
	}
}

// worst joins verdicts as a campaign does: nothing is folded into "holds".
func worst(verdicts []string) model.Verdict {
	for _, bad := range []model.Verdict{model.Violated, model.VerdictUnknown, model.Vacuous} {
		if slices.Contains(verdicts, bad.String()) {
			return bad
		}
	}
	if len(verdicts) == 0 {
		return model.Vacuous
	}
	return model.Holds
}

func (cell *Cell) judge() {
	for _, q := range []*Question{&cell.Safe, &cell.Live} {
		var verdicts []string
		for i := range q.Evidence {
			verdicts = append(verdicts, q.Evidence[i].Verdict)
		}
		q.Verdict = worst(verdicts).String()
		tooFew := slices.ContainsFunc(q.Evidence, func(e Evidence) bool { return e.TooFew })
		if (cell.Interrupted || tooFew) && q.Verdict == model.Holds.String() {
			q.Verdict = model.VerdictUnknown.String()
		}
	}
}

// Verdict joins those of all cells. A matrix without cells, or with fewer than it
// should have, is unknown unless something is violated.
func (m *Matrix) Verdict() model.Verdict {
	var verdicts []string
	for _, c := range m.Cells {
		verdicts = append(verdicts, c.Safe.Verdict, c.Live.Verdict)
	}
	if m.Interrupted {
		verdicts = append(verdicts, model.VerdictUnknown.String())
	}
	return worst(verdicts)
}

// CutShort reports whether some answer is unknown because a campaign that it rests on had too
// few schedules, or none.
func (m *Matrix) CutShort() bool {
	short := func(q *Question) bool {
		return q.Verdict == model.VerdictUnknown.String() && slices.ContainsFunc(q.Evidence, func(e Evidence) bool { return e.TooFew || e.Schedules == 0 })
	}
	return !m.Interrupted && slices.ContainsFunc(m.Cells, func(c *Cell) bool { return short(&c.Safe) || short(&c.Live) })
}

// Failing is the first evidence with a failure, nil if there is none.
func (q *Question) Failing() *Evidence {
	for i := range q.Evidence {
		if q.Evidence[i].Failure != nil {
			return &q.Evidence[i]
		}
	}
	return nil
}

// Violated are the properties that are violated, each once, in the order of the
// evidence.
func (q *Question) Violated() []string {
	var all []string
	for i := range q.Evidence {
		e := &q.Evidence[i]
		for _, name := range slices.Sorted(maps.Keys(e.Properties)) {
			if e.Properties[name].Violations > 0 && !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return all
}

// Cell finds a cell, nil if it was not filled.
func (m *Matrix) Cell(design, version string) *Cell {
	return find(m.Cells, func(c *Cell) bool { return c.Design == design && slices.Contains(c.Versions(), version) })
}

// CostOf finds what a workload cost in a cell, nil if it was not run.
func (cell *Cell) CostOf(scenario string) *Cost {
	return find(cell.Cost, func(c *Cost) bool { return c.Scenario == scenario })
}
