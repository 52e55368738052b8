// Package matrix (unstable) asks of each design of the cache on each version of etcd whether it is safe, whether it
// always answers, and what it costs. And it runs the whole catalogue of scenarios with one side or two, which are such
// a design, such a version or other settings on top of each scenario's parameters, and says what differs between two,
// or between one and what is known.
//
//	column   what scenarios came to with one side: a cell of the matrix, or what is compared and saved
//	run      the campaigns that fill it
//	matrix   cells, questions, the evidence for each answer; the scenarios that tell a design from the others; what
//	         happens in the stories of a way to fail, and where two columns differ
//	differ   two columns, or one and what is known of it: verdicts, frequencies, ways to fail
//	cost     what the consistent LISTs of one workload cost, and what differs
//
// What was not run, cut off or never checked is unknown, and never counts as alike. The package must never print
// anything.
package matrix

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/watchbed/watchbed/diagnosis/story"
	"github.com/watchbed/watchbed/internal/registry"
	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/release"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
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

// Reference is the design that the others are compared with: KEP-2340 as it was
// merged, which waits, times out and never falls back. A scenario in which even it is
// violated says something of etcd or of watch caches, and little of one design.
const Reference = "kep-2340"

// plan is what one cell is to be asked: the basis, and these scenarios.
type plan struct {
	design, version string
	// also are the versions that behave alike.
	also  []string
	apart []apart
}

// plans are in the order of the cells. They take seconds if there are many, so that an
// interrupt is looked for at each.
func (cfg *Config) plans(ctx context.Context) ([]plan, error) {
	var all []plan
	for _, design := range cfg.Designs {
		for _, version := range cfg.Versions {
			if ctx.Err() != nil {
				return nil, errInterrupted
			}
			all = append(all, plan{design: design, version: version, apart: cfg.apart(version, design)})
		}
	}
	return cfg.fold(all), nil
}

// apart is a scenario that tells a design from the reference: these properties are
// known to be violated with the design, and not with the reference.
type apart struct {
	scenario   *testbed.Scenario
	properties []string
}

// apart lists the scenarios outside of the basis that tell this design from the
// reference on one version of etcd.
func (cfg *Config) apart(version, design string) []apart {
	var all []apart
	for _, sc := range testbed.Scenarios() {
		p, err := cfg.params(sc, version, design)
		if err != nil || slices.Contains(basis(), sc.Name) || !isOf(&p) {
			continue
		}
		reference, err := cfg.params(sc, version, Reference)
		if err != nil {
			continue
		}
		passed := known.Names(known.Violations(sc, &reference))
		differs := slices.DeleteFunc(known.Names(known.Expected(sc, &p)), func(name string) bool { return slices.Contains(passed, name) })
		if len(differs) > 0 {
			all = append(all, apart{sc, differs})
		}
	}
	return all
}

// isOf reports whether a scenario says something of a design on the version that it
// is given: no other version takes part, and nothing happens that no network does.
func isOf(p *testbed.Params) bool {
	other := slices.ContainsFunc(p.MemberVersions(), func(v string) bool { return v != p.Etcd })
	unbearable := slices.ContainsFunc(p.Faults.Set(), func(s option.Setting) bool { return slices.Contains(faults.Unbearable, s.Name) })
	return !other && !unbearable
}

// fold makes one plan of those of a design whose versions behave alike: the runs of each
// scenario are the same with all of them.
func (cfg *Config) fold(plans []plan) []plan {
	var folded []plan
	for _, next := range plans {
		i := slices.IndexFunc(folded, func(p plan) bool { return p.design == next.design && cfg.alike(&p, &next) })
		if i < 0 {
			folded = append(folded, next)
			continue
		}
		folded[i].also = append(folded[i].also, next.version)
	}
	return folded
}

// alike: everything that a version is made of has the same value, each version check says
// the same of it, and the same scenarios tell the design from the others.
func (cfg *Config) alike(a, b *plan) bool {
	same := func(x, y apart) bool { return x.scenario == y.scenario && slices.Equal(x.properties, y.properties) }
	if !slices.EqualFunc(a.apart, b.apart, same) {
		return false
	}
	first, left, err := cfg.bare(a)
	if err != nil {
		return false
	}
	second, right, err := cfg.bare(b)
	return err == nil && left == right && first.Program == second.Program && slices.Equal(checksPassed(first.Etcd), checksPassed(second.Etcd))
}

// bare are the parameters of a cell without a scenario and without masks, and what its nodes have of them.
func (cfg *Config) bare(of *plan) (testbed.Params, testbed.Nodes, error) {
	nothing := testbed.Params{}
	for _, race := range testbed.Races() {
		nothing.Unmask = append(nothing.Unmask, race.Option)
	}
	p, err := cfg.params(&testbed.Scenario{Params: nothing}, of.version, of.design)
	if err != nil {
		return p, testbed.Nodes{}, err
	}
	nodes, err := p.Nodes()
	return p, nodes, err
}

// checksPassed are the answers of all version checks to a version of etcd.
func checksPassed(version string) []bool {
	v, err := release.Parse(version)
	if err != nil {
		return nil
	}
	var all []bool
	for i := range guard.Group.Lookup("version-check").Values() {
		all = append(all, guard.Checks.Of(guard.VersionCheck(i)).Passes(v))
	}
	return all
}

// Beyond is a scenario that is known to be violated with designs to which the matrix
// says "yes". It says little of one design: the reference is violated as well, a second
// version of etcd takes part, or an event is lost.
type Beyond struct {
	Scenario   string   `json:"scenario"`
	Properties []string `json:"properties"`
	// Designs and Versions are those of the matrix with which it is violated.
	Designs  []string `json:"designs"`
	Versions []string `json:"etcd"`
	Because  []string `json:"because"`
	// Command shows it with the first of the designs and the last of the versions.
	Command string `json:"command"`
}

// beyond lists what is known beside the verdicts of these cells, scenario by scenario. An
// interrupt ends it early.
func (cfg *Config) beyond(ctx context.Context, cells []*Cell) ([]Beyond, error) {
	all := []Beyond{}
	for _, sc := range testbed.Scenarios() {
		if slices.Contains(basis(), sc.Name) {
			continue
		}
		b := Beyond{Scenario: sc.Name}
		for _, cell := range cells {
			if ctx.Err() != nil {
				return all, errInterrupted
			}
			b.add(cfg, sc, cell)
		}
		if len(b.Properties) > 0 {
			side, err := cfg.side(b.Versions[len(b.Versions)-1], b.Designs[0])
			if err != nil {
				return nil, err
			}
			b.Command = side.command(cfg.Program, sc.Name)
			all = append(all, b)
		}
	}
	return all, nil
}

func (b *Beyond) add(cfg *Config, sc *testbed.Scenario, cell *Cell) {
	for _, version := range cell.Versions() {
		p, err := cfg.params(sc, version, cell.Design)
		if err != nil {
			continue
		}
		for _, v := range known.Expected(sc, &p) {
			if cell.question(testbed.IsLiveness(v.Property.Name)).Verdict != model.Holds {
				continue
			}
			b.Properties, b.Because = registry.With(b.Properties, v.Property.Name), registry.With(b.Because, v.Because...)
			b.Designs, b.Versions = registry.With(b.Designs, cell.Design), registry.With(b.Versions, version)
		}
	}
}

// Happening is something that happens in stories of one way to fail.
type Happening struct {
	// Where is the tier of the node, or "fault"; What names the kind of thing.
	Where string `json:"where"`
	What  string `json:"what"`
	// Example is a line of a story.
	Example string `json:"example"`
	// Stories is in how many of those told it happens.
	Stories uint64 `json:"stories"`
}

// StoryDifference is what happens in the stories of one side, where the other side violates
// the same claim in the same way without it.
type StoryDifference struct {
	Label string `json:"label"`
	// Side is 0 or 1: that with more of these stories.
	Side int `json:"side"`
	Happening
	// Told is how many stories of each side were told, Of in how many of them it happens.
	Told [2]uint64 `json:"told"`
	Of   [2]uint64 `json:"of"`
}

// OtherSide is that with fewer of these stories.
func (s StoryDifference) OtherSide() int { return 1 - s.Side }

func (w *Way) add(told *story.Story) {
	w.Stories++
	for _, e := range told.Happenings() {
		i := slices.IndexFunc(w.Happenings, func(h Happening) bool { return h.Where == e.Where && h.What == e.What })
		if i < 0 {
			i = len(w.Happenings)
			w.Happenings = append(w.Happenings, Happening{Where: e.Where, What: e.What, Example: e.Node + " " + e.Text})
		}
		w.Happenings[i].Stories++
	}
}

// otherStories is what happens on one side much more often than on the other in the stories
// of the same way to fail, what tells them apart best first.
func otherStories(d *Difference) (all []StoryDifference) {
	for _, a := range d.Sides[0].Ways {
		for _, b := range d.Sides[1].Ways {
			if a.Label == b.Label {
				all = append(all, unlike(&a, &b)...)
			}
		}
	}
	slices.SortStableFunc(all, func(x, y StoryDifference) int { return cmp.Compare(x.chance(), y.chance()) })
	return all
}

func unlike(a, b *Way) (all []StoryDifference) {
	ways := [2]*Way{a, b}
	for side, this := range ways {
		for _, h := range this.Happenings {
			s := StoryDifference{Label: a.Label, Side: side, Happening: h, Told: [2]uint64{a.Stories, b.Stories}}
			for k, w := range ways {
				s.Of[k] = w.count(&h)
			}
			more := s.Of[side]*s.Told[1-side] > s.Of[1-side]*s.Told[side]
			if more && s.chance() < often {
				all = append(all, s)
			}
		}
	}
	return all
}

// count is in how many stories of the way the same happens.
func (w *Way) count(h *Happening) uint64 {
	for i := range w.Happenings {
		if x := &w.Happenings[i]; x.Where == h.Where && x.What == h.What {
			return x.Stories
		}
	}
	return 0
}

// chance is the probability of counts as different as these, or more, if it happens equally
// often on both sides.
func (s *StoryDifference) chance() float64 {
	return metric.FisherTwoSided(int(s.Of[0]), int(s.Told[0]), int(s.Of[1]), int(s.Told[1]))
}
