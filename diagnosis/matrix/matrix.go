// Package matrix (unstable) asks of each design of the cache on each version of etcd whether it is safe, whether it
// always answers, and what it costs. And it runs the whole catalogue of scenarios with one side or two, which are such
// a design, such a version or other settings on top of each scenario's parameters, and says what differs between two,
// or between one and what is known.
//
//	column   what scenarios came to with one side: a cell of the matrix, or what is compared and saved
//	run      the campaigns that fill it
//	matrix   cells, questions, the evidence for each answer
//	apart    the scenarios that tell a design from the others; versions with which every run is the same; what is known beside
//	differ   two columns, or one and what is known of it: verdicts, frequencies, ways to fail
//	stories  what happens in the stories of a way to fail, and where two columns differ
//	cost     what the consistent LISTs of one workload cost, and what differs
//
// What was not run, cut off or never checked is unknown, and never counts as alike. The package must never print
// anything.
package matrix

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/watchbed/watchbed/internal/registry"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// The scenarios of a matrix. Those of Safety and Liveness put both questions;
// those of Costs measure, and are held to their claims as well.
var (
	Safety   = []string{"issue-15220", "issue-15220-catching-up", "consistent-list", "paged-lists", "snapshot-reads", "watch-list"}
	Liveness = []string{"issue-17507", "recovery", "watch-list-ends"}
	Costs    = []string{"cost-quiet", Waiting, "cost-prefix", Busy, Pages, Writing}
)

// Waiting is the workload in which every LIST has to wait for the cache, Busy
// the one in which the resource is written, too, Pages that in which clients list in
// pages, Writing that in which they update one object at a time.
const (
	Waiting = "cost-elsewhere"
	Busy    = "cost-busy"
	Pages   = "cost-pages"
	Writing = "write-storm"
)

func isCost(scenario string) bool { return slices.Contains(Costs, scenario) }

// basis are the scenarios that every cell is put to.
func basis() []string { return slices.Concat(Safety, Liveness, Costs) }

// Config says what a matrix is of.
type Config struct {
	Designs, Versions []string
	// Params change every campaign of every cell.
	Params []option.Setting
	Campaigns
}

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
	// Masked are the options of etcd whose race is masked in scenarios that the answers rest
	// on: a "yes" says nothing of etcd with it.
	Masked []string `json:"masked,omitempty"`
	// Interrupted: not all of it was run.
	Interrupted bool `json:"interrupted,omitempty"`
}

// Question is what was asked of a cell, with all that the answer rests on.
type Question struct {
	// Verdict is the worst of the evidence: violated, then unknown, then vacuous.
	Verdict model.Verdict `json:"verdict"`
	// Evidence has of each campaign the claims that are about the question.
	Evidence []*Run `json:"evidence"`
}

// params are those of a scenario in a cell.
func (cfg *Config) params(sc *testbed.Scenario, version, design string) (testbed.Params, error) {
	p := sc.Params
	side, err := cfg.side(version, design)
	if err != nil {
		return p, err
	}
	return p, side.Apply(&p)
}

// side joins what a matrix sets everywhere with what a version and a design have.
func (cfg *Config) side(version, design string) (Side, error) {
	of, err := readVariant("etcd", version)
	if err != nil {
		return Side{}, err
	}
	with, err := readVariant("cache", design)
	if err != nil {
		return Side{}, err
	}
	return SideOf(design+" on "+version, cfg.Params, of, with)
}

// Check returns an error if some campaign could not be run.
func (cfg *Config) Check() error {
	for _, name := range basis() {
		sc, err := testbed.FindScenario(name)
		if err != nil {
			return err
		}
		for _, design := range cfg.Designs {
			for _, version := range cfg.Versions {
				p, err := cfg.params(sc, version, design)
				if err != nil {
					return err
				}
				if _, err := sc.Subjects(p); err != nil {
					return fmt.Errorf("%s on %s: %w", design, version, err)
				}
			}
		}
	}
	return nil
}

// Explore fills a matrix cell by cell. An interrupt ends it early; what was found
// until then is kept, and is no error.
func Explore(ctx context.Context, cfg Config) (*Matrix, error) {
	m := &Matrix{Program: cfg.Program, Designs: cfg.Designs, Versions: cfg.Versions, Cells: []*Cell{}, Beyond: []Beyond{}}
	x := &runner{Campaigns: cfg.Campaigns, start: time.Now()}
	err := cfg.fill(ctx, x, m)
	m.Schedules, m.Seconds = x.schedules, time.Since(x.start).Seconds()
	if errors.Is(err, errInterrupted) {
		m.Interrupted, err = true, nil
	}
	return m, err
}

func (cfg *Config) fill(ctx context.Context, x *runner, m *Matrix) error {
	plans, err := cfg.plans(ctx)
	if err != nil {
		return err
	}
	for i := range plans {
		x.total += len(basis()) + len(plans[i].apart)
	}
	for i := range plans {
		cell := &Cell{Design: plans[i].design, Etcd: plans[i].version, Alike: plans[i].also}
		err := cfg.ask(ctx, x, cell, plans[i].apart)
		cell.Interrupted = errors.Is(err, errInterrupted)
		if len(cell.Safe.Evidence) > 0 {
			cell.judge()
			m.Cells = append(m.Cells, cell)
		}
		if err != nil {
			return err
		}
	}
	m.Beyond, err = cfg.beyond(ctx, m.Cells)
	return err
}

// ask puts a cell to the basis, and to what tells its design from the others as far as that has something to say yet.
func (cfg *Config) ask(ctx context.Context, x *runner, cell *Cell, further []apart) error {
	side, err := cfg.side(cell.Etcd, cell.Design)
	if err != nil {
		return err
	}
	c := &Column{Name: cell.Design + " on " + cell.Etcd, Side: side}
	ask := func(sc *testbed.Scenario, until []string) error {
		r, err := x.run(ctx, c, sc, until)
		cell.Masked = c.Masked
		if r != nil {
			cell.add(r)
		}
		return err
	}
	for _, name := range basis() {
		sc, err := testbed.FindScenario(name)
		if err != nil {
			return err
		}
		if err := ask(sc, nil); err != nil {
			return err
		}
	}
	for _, a := range further {
		if cell.answered(a.properties) {
			x.done++
		} else if err := ask(a.scenario, a.properties); err != nil {
			return err
		}
	}
	return nil
}

// answered reports whether what these properties could say is said: their questions
// have a "no" already.
func (cell *Cell) answered(properties []string) bool {
	return !slices.ContainsFunc(properties, func(name string) bool { return cell.question(testbed.IsLiveness(name)).Failing() == nil })
}

func (cell *Cell) question(live bool) *Question {
	if live {
		return &cell.Live
	}
	return &cell.Safe
}

// add takes down what a campaign says to both questions.
func (cell *Cell) add(r *Run) {
	for _, live := range []bool{false, true} {
		e := *r
		e.Claims = slices.DeleteFunc(slices.Clone(r.Claims), func(c *Claim) bool { return testbed.IsLiveness(c.Property) != live })
		if live {
			e.Cost = nil
		}
		if q := cell.question(live); len(e.Claims) > 0 {
			q.Evidence = append(q.Evidence, &e)
		}
	}
}

// Verdict is the worst of the claims.
func (r *Run) Verdict() model.Verdict {
	var all []model.Verdict
	for _, c := range r.Claims {
		all = append(all, c.Verdict)
	}
	return model.Worst(all...)
}

func (cell *Cell) judge() {
	for _, q := range []*Question{&cell.Safe, &cell.Live} {
		var all []model.Verdict
		for _, e := range q.Evidence {
			all = append(all, e.Verdict())
		}
		q.Verdict = model.Worst(all...)
		if (cell.Interrupted || slices.ContainsFunc(q.Evidence, (*Run).TooFew)) && q.Verdict == model.Holds {
			q.Verdict = model.VerdictUnknown
		}
	}
}

// Verdict joins those of all cells. A matrix without cells, or with fewer than it
// should have, is unknown unless something is violated.
func (m *Matrix) Verdict() model.Verdict {
	var all []model.Verdict
	for _, c := range m.Cells {
		all = append(all, c.Safe.Verdict, c.Live.Verdict)
	}
	if m.Interrupted {
		all = append(all, model.VerdictUnknown)
	}
	return model.Worst(all...)
}

// CutShort reports whether some answer is unknown because a campaign that it rests on had too
// few schedules, or none.
func (m *Matrix) CutShort() bool {
	return !m.Interrupted && slices.ContainsFunc(m.Cells, func(c *Cell) bool {
		return slices.ContainsFunc([]Question{c.Safe, c.Live}, func(q Question) bool {
			return q.Verdict == model.VerdictUnknown && slices.ContainsFunc(q.Evidence, func(e *Run) bool { return e.Schedules == 0 || e.TooFew() })
		})
	})
}

// Failing is the first evidence with a failure, nil if there is none.
func (q *Question) Failing() *Run {
	return find(q.Evidence, func(e *Run) bool { return e.Failing() != nil })
}

// Violated are the properties that are violated, each once.
func (q *Question) Violated() (all []string) {
	for _, e := range q.Evidence {
		for _, c := range e.Claims {
			if c.Violations > 0 {
				all = registry.With(all, c.Property)
			}
		}
	}
	return all
}

// Cell finds a cell, nil if it was not filled.
func (m *Matrix) Cell(design, version string) *Cell {
	return find(m.Cells, func(c *Cell) bool { return c.Design == design && slices.Contains(c.Versions(), version) })
}

// Versions are all that a cell speaks of.
func (cell *Cell) Versions() []string { return append([]string{cell.Etcd}, cell.Alike...) }

// CostOf finds what a workload cost in a cell, nil if it was not run.
func (cell *Cell) CostOf(scenario string) *Cost {
	if r := find(cell.Safe.Evidence, func(r *Run) bool { return r.Scenario == scenario }); r != nil {
		return r.Cost
	}
	return nil
}
