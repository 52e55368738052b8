package report

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios"
)

// Matrix is designs of the cache by versions of etcd: whether each pair is safe,
// whether it always answers, and what it costs.
type Matrix struct {
	Designs  []string `json:"designs"`
	Versions []string `json:"etcd"`
	// Cells are in the order of the designs, then of the versions. After an
	// interrupt the last ones are missing.
	Cells []*Cell `json:"cells"`
	// Claims are the figures of the documents.
	Claims []Claim `json:"claims"`
	// Schedules is the number of all runs.
	Schedules   uint64  `json:"schedules"`
	Seconds     float64 `json:"seconds"`
	Interrupted bool    `json:"interrupted,omitempty"`
}

// Cell is one design on one version.
type Cell struct {
	Design string `json:"design"`
	Etcd   string `json:"etcd"`
	// Live joins the claims that something comes in time, Safe all others.
	Safe Question `json:"safe"`
	Live Question `json:"live"`
	Cost []*Cost  `json:"cost"`
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
	Scenario   string              `json:"scenario"`
	Verdict    string              `json:"verdict"`
	Schedules  uint64              `json:"schedules"`
	Properties map[string]Property `json:"properties"`
	// Failure is the first way to fail that was found.
	Failure *Failure `json:"failure,omitempty"`
	// Command shows the same again: the failure if there is one, else all runs.
	Command string `json:"command"`
	// Missing and Unexpected are how this differs from what the catalogue says.
	Missing    []string `json:"missing,omitempty"`
	Unexpected []string `json:"unexpected,omitempty"`
}

// Cost is what the consistent LISTs of one workload cost.
type Cost struct {
	Scenario string `json:"scenario"`
	// Lists is how many there were, FromCache how many of them the cache served.
	Lists     uint64 `json:"lists"`
	FromCache uint64 `json:"fromCache"`
	// Wait is how long they waited for the cache to be fresh, those that did not
	// wait included, and ReadWait what Kubernetes' metric says: only those that
	// did. Both are nil where no LIST ever waits. Duration is how long they took.
	Wait     *Distribution `json:"waitSeconds,omitempty"`
	ReadWait *Distribution `json:"readWaitSeconds,omitempty"`
	Duration *Distribution `json:"durationSeconds,omitempty"`
	// The rest is per LIST. Requests are ranges; what the cache asks for when it
	// starts is left out.
	RequestsPerList         float64    `json:"etcdRequestsPerList"`
	BytesPerList            float64    `json:"etcdBytesPerList"`
	ProgressRequestsPerList float64    `json:"progressRequestsPerList"`
	NotificationsPerList    float64    `json:"progressNotificationsPerList"`
	Schedules               uint64     `json:"schedules"`
	Metrics                 []Measured `json:"metrics"`
	Command                 string     `json:"command"`
}

// The scenarios of a matrix. Those of the first two lists put both questions,
// those of cost measure, and are held to their claims as well.
var (
	matrixSafety   = []string{"issue-15220", "issue-15220-catching-up", "consistent-list", "paged-lists", "snapshot-reads", "watch-list"}
	matrixLiveness = []string{"issue-17507", "recovery", "watch-list-ends"}
	// livenessClaims say that something comes in time.
	livenessClaims = []string{scenarios.Answers, scenarios.WatchListEnds}
	// MatrixCosts are the workloads of cost.
	MatrixCosts = []string{"cost-quiet", "cost-elsewhere", "cost-prefix", "cost-busy"}
)

// MatrixConfig says what a matrix is of.
type MatrixConfig struct {
	Designs, Versions []string
	// Params change every campaign of every cell.
	Params []scenarios.Parameter
	// Seeds is how many seeds each campaign has, from FirstSeed on; 0 is no bound.
	// A campaign of cost has a tenth: each of its runs is long.
	FirstSeed, Seeds uint64
	// For is the wall-clock time for all of it; 0 is no bound.
	For     time.Duration
	Workers int
	// Progress, if not nil, is told before each campaign, of which there are of.
	Progress func(done, of int, what string)
}

const costShare = 10

// Check returns an error if some campaign could not be run.
func (cfg *MatrixConfig) Check() error {
	for _, name := range slices.Concat(matrixSafety, matrixLiveness, MatrixCosts) {
		sc, err := scenarios.Find(name)
		if err != nil {
			return err
		}
		for _, design := range cfg.Designs {
			for _, version := range cfg.Versions {
				p, err := cfg.params(sc, version, cfg.Params, design)
				if err != nil {
					return err
				}
				if _, err := sc.Subjects(p); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// params are those of a scenario in a cell.
func (cfg *MatrixConfig) params(sc *scenarios.Scenario, version string, changes []scenarios.Parameter, design string) (scenarios.Params, error) {
	p := sc.Params
	p.Etcd, p.Cache = version, design
	for _, change := range changes {
		if err := p.Set(change.Name, change.Value); err != nil {
			return p, err
		}
	}
	return p, nil
}

// ExploreMatrix fills a matrix cell by cell. An interrupt ends it early; what was found
// until then is kept, and is no error.
func ExploreMatrix(ctx context.Context, cfg MatrixConfig) (*Matrix, error) {
	m := &Matrix{Designs: cfg.Designs, Versions: cfg.Versions, Cells: []*Cell{}, Claims: []Claim{}}
	start := time.Now()
	defer func() { m.Seconds = time.Since(start).Seconds() }()
	x := &matrixExplorer{cfg: cfg, start: start, of: len(cfg.Designs)*len(cfg.Versions)*scenariosOfACell() + len(claims)}
	for _, design := range cfg.Designs {
		for _, version := range cfg.Versions {
			cell := &Cell{Design: design, Etcd: version}
			err := x.fill(ctx, cell)
			if len(cell.Safe.Evidence) > 0 {
				cell.judge()
				m.Cells = append(m.Cells, cell)
			}
			m.Schedules = x.schedules
			if errors.Is(err, errInterrupted) {
				m.Interrupted = true
				return m, nil
			}
			if err != nil {
				return m, err
			}
		}
	}
	for i := range claims {
		c, err := x.judge(ctx, &claims[i])
		m.Schedules = x.schedules
		if errors.Is(err, errInterrupted) {
			m.Interrupted = true
			return m, nil
		}
		if err != nil {
			return m, err
		}
		m.Claims = append(m.Claims, *c)
	}
	return m, nil
}

func scenariosOfACell() int { return len(matrixSafety) + len(matrixLiveness) + len(MatrixCosts) }

var errInterrupted = errors.New("interrupted")

type matrixExplorer struct {
	cfg       MatrixConfig
	start     time.Time
	done, of  int
	schedules uint64
}

func (x *matrixExplorer) fill(ctx context.Context, cell *Cell) error {
	for _, names := range [][]string{matrixSafety, matrixLiveness, MatrixCosts} {
		for _, name := range names {
			if err := x.campaign(ctx, cell, name); err != nil {
				cell.Interrupted = errors.Is(err, errInterrupted)
				return err
			}
		}
	}
	return nil
}

func (x *matrixExplorer) campaign(ctx context.Context, cell *Cell, name string) error {
	if ctx.Err() != nil {
		return errInterrupted
	}
	x.tell(cell.Design + " on " + cell.Etcd + ": " + name)
	sc, err := scenarios.Find(name)
	if err != nil {
		return err
	}
	changes := x.cfg.Params
	p, err := x.cfg.params(sc, cell.Etcd, changes, cell.Design)
	if err != nil {
		return err
	}
	subjects, err := sc.Subjects(p)
	if err != nil {
		return err
	}
	cost := strings.HasPrefix(name, "cost-")
	cfg := x.config(explore.Portfolio(), x.cfg.Seeds, p.Steps)
	if cost {
		// Every delay is drawn evenly: what is measured means something.
		cfg.Strategy, cfg.Seeds = explore.Random(), (x.cfg.Seeds+costShare-1)/costShare
	}
	c, err := explore.Explore(ctx, subjects, cfg)
	if err != nil {
		return err
	}
	x.done++
	x.schedules += c.Schedules
	command := x.command(cell, name, changes, cfg.Strategy)
	cell.add(sc, &p, c, command)
	if cost {
		cell.Cost = append(cell.Cost, costOf(name, c, command(c.FirstSeed, c.FirstSeed+max(c.Schedules, 1)-1)))
	}
	if c.Interrupted {
		return errInterrupted
	}
	return nil
}

// command words a run that shows the same seeds again.
func (x *matrixExplorer) command(cell *Cell, scenario string, changes []scenarios.Parameter, s explore.Strategy) func(first, last uint64) string {
	text := "simrun run " + scenario + " --etcd " + cell.Etcd + " --cache " + cell.Design
	for _, change := range changes {
		text += " --param " + change.Name + "=" + change.Value
	}
	if s.Name != explore.Portfolio().Name {
		text += " --strategy " + s.Name
	}
	return func(first, last uint64) string {
		return text + " --seeds " + strconv.FormatUint(first, 10) + ".." + strconv.FormatUint(last, 10)
	}
}

// add takes down what a campaign says to both questions.
func (cell *Cell) add(sc *scenarios.Scenario, p *scenarios.Params, c *explore.Campaign, command func(first, last uint64) string) {
	var violated []string
	for _, t := range c.Properties {
		if t.Verdict == model.Violated {
			violated = append(violated, t.Name)
		}
	}
	missing, unexpected := sc.Outcome(p, violated)
	for _, live := range []bool{false, true} {
		mine := func(property string) bool { return slices.Contains(livenessClaims, property) == live }
		e := Evidence{
			Scenario: sc.Name, Schedules: c.Schedules, Properties: map[string]Property{},
			Missing: filter(missing, mine), Unexpected: filter(unexpected, mine),
			Command: command(c.FirstSeed, c.FirstSeed+max(c.Schedules, 1)-1),
		}
		var verdicts []string
		for _, t := range c.Properties {
			if !mine(t.Name) {
				continue
			}
			verdict := t.Verdict
			if verdict == model.Holds && c.Truncated > 0 {
				verdict = model.Undecided
			}
			e.Properties[t.Name] = Property{verdict.String(), t.Exercised, t.Violations}
			verdicts = append(verdicts, verdict.String())
		}
		if len(verdicts) == 0 {
			continue
		}
		e.Verdict = worst(verdicts)
		for _, f := range c.Failures {
			if mine(f.Failure.Property) {
				e.Failure = &Failure{Property: f.Failure.Property, Label: f.Failure.Label, Seed: f.FirstSeed, Schedules: f.Schedules}
				e.Command = command(f.FirstSeed, f.FirstSeed)
				break
			}
		}
		q := &cell.Safe
		if live {
			q = &cell.Live
		}
		q.Evidence = append(q.Evidence, e)
	}
}

func filter(names []string, keep func(string) bool) []string {
	var list []string
	for _, n := range names {
		if keep(n) {
			list = append(list, n)
		}
	}
	return list
}

// worst joins verdicts as a campaign does: nothing is folded into "holds".
func worst(verdicts []string) string {
	rank := []model.Verdict{model.Violated, model.Undecided, model.Vacuous}
	for _, bad := range rank {
		for _, v := range verdicts {
			if v == bad.String() {
				return v
			}
		}
	}
	if len(verdicts) == 0 {
		return model.Vacuous.String()
	}
	return model.Holds.String()
}

func (cell *Cell) judge() {
	for _, q := range []*Question{&cell.Safe, &cell.Live} {
		var verdicts []string
		for i := range q.Evidence {
			verdicts = append(verdicts, q.Evidence[i].Verdict)
		}
		q.Verdict = worst(verdicts)
		if cell.Interrupted && q.Verdict == model.Holds.String() {
			q.Verdict = model.Undecided.String()
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
		verdicts = append(verdicts, model.Undecided.String())
	}
	for _, v := range []model.Verdict{model.Holds, model.Violated, model.Undecided, model.Vacuous} {
		if v.String() == worst(verdicts) {
			return v
		}
	}
	return model.Undecided
}

// failure is the first one in the evidence, nil if there is none.
func (q *Question) failure() *Evidence {
	for i := range q.Evidence {
		if q.Evidence[i].Failure != nil {
			return &q.Evidence[i]
		}
	}
	return nil
}

// cost finds what a workload cost in a cell, nil if it was not run.
func (cell *Cell) cost(scenario string) *Cost {
	for _, c := range cell.Cost {
		if c.Scenario == scenario {
			return c
		}
	}
	return nil
}
