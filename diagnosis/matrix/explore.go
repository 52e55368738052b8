package matrix

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// The scenarios of a matrix. Those of Safety and Liveness put both questions;
// those of Costs measure, and are held to their claims as well.
var (
	Safety   = []string{"issue-15220", "issue-15220-catching-up", "consistent-list", "paged-lists", "snapshot-reads", "watch-list"}
	Liveness = []string{"issue-17507", "recovery", "watch-list-ends"}
	Costs    = []string{"cost-quiet", Waiting, "cost-prefix", Busy, Pages}
)

// Waiting is the workload in which every LIST has to wait for the cache, Busy
// the one in which the resource is written, too, Pages that in which clients list in
// pages.
const (
	Waiting = "cost-elsewhere"
	Busy    = "cost-busy"
	Pages   = "cost-pages"
)

// Config says what a matrix is of.
type Config struct {
	// Program is the name with which the commands in the evidence begin.
	Program           string
	Designs, Versions []string
	// Params change every campaign of every cell.
	Params []option.Setting
	// Seeds is how many seeds each campaign has, from FirstSeed on; 0 is no bound.
	// A campaign of cost has a tenth: each of its runs is long.
	FirstSeed, Seeds uint64
	// For is the wall-clock time for all of it; 0 is no bound.
	For     time.Duration
	Workers int
	// Progress, if not nil, is called before each campaign: done of total are
	// over.
	Progress func(done, total int, what string)
}

// Seeds is how many seeds a campaign has unless something else is asked for: they keep a
// matrix of everything well below a minute.
const Seeds = 400

// enough is how many schedules may say that a scenario holds of which it is known that it is
// violated rarely: those of a matrix that nothing cuts short.
func enough(scenario string) uint64 {
	if slices.Contains(Costs, scenario) {
		return CostSeeds(Seeds)
	}
	return Seeds
}

const (
	costShare = 10
	// apartSeeds is how many times more seeds a scenario may take that tells a design from
	// the others: it ends when it has.
	apartSeeds = 10
)

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

// params are those of a scenario in a cell.
func (cfg *Config) params(sc *testbed.Scenario, version, design string) (testbed.Params, error) {
	p := sc.Params
	of, err := cfg.pairOf(version, design)
	if err != nil {
		return p, err
	}
	if err := p.Set("etcd", of.version); err != nil {
		return p, err
	}
	p.Cache = of.design
	for _, change := range of.settings {
		if err := p.Set(change.Name, change.Value); err != nil {
			return p, err
		}
	}
	return p, nil
}

// Explore fills a matrix cell by cell. An interrupt ends it early; what was found
// until then is kept, and is no error.
func Explore(ctx context.Context, cfg Config) (*Matrix, error) {
	m := &Matrix{Program: cfg.Program, Designs: cfg.Designs, Versions: cfg.Versions, Cells: []*Cell{}, Beyond: []Beyond{}}
	start := time.Now()
	plans, err := cfg.plans(ctx)
	if err != nil {
		m.Interrupted = true
		return m, nil
	}
	x := &explorer{cfg: cfg, start: start, total: len(plans) * len(basis())}
	for i := range plans {
		x.total += len(plans[i].apart)
	}
	err = x.matrix(ctx, m, plans)
	m.Schedules, m.Seconds = x.schedules, time.Since(x.start).Seconds()
	if errors.Is(err, errInterrupted) {
		m.Interrupted, err = true, nil
	}
	return m, err
}

var errInterrupted = errors.New("interrupted")

// explorer runs the campaigns of one matrix, one after another.
type explorer struct {
	cfg         Config
	start       time.Time
	done, total int
	schedules   uint64
}

func (x *explorer) matrix(ctx context.Context, m *Matrix, plans []plan) error {
	for i := range plans {
		cell := &Cell{Design: plans[i].design, Etcd: plans[i].version, Alike: plans[i].also}
		err := x.fill(ctx, cell, plans[i].apart)
		if len(cell.Safe.Evidence) > 0 {
			cell.judge()
			m.Cells = append(m.Cells, cell)
		}
		if err != nil {
			return err
		}
	}
	var err error
	m.Beyond, err = x.cfg.beyond(ctx, m.Cells)
	return err
}

func (x *explorer) fill(ctx context.Context, cell *Cell, further []apart) error {
	err := x.askAll(ctx, cell, further)
	cell.Interrupted = errors.Is(err, errInterrupted)
	return err
}

func (x *explorer) askAll(ctx context.Context, cell *Cell, further []apart) error {
	for _, name := range basis() {
		sc, err := testbed.FindScenario(name)
		if err != nil {
			return err
		}
		cfg := x.campaign(strategy.Default(), x.cfg.Seeds)
		if slices.Contains(Costs, name) {
			// Every delay is drawn evenly: what is measured means something.
			cfg = x.campaign(strategy.Random(), CostSeeds(x.cfg.Seeds))
		}
		if err := x.ask(ctx, cell, apart{sc, testbed.Names(sc.Claims)}, cfg); err != nil {
			return err
		}
	}
	for _, a := range further {
		if cell.answered(a.properties) {
			x.over(0)
			continue
		}
		// Known to be violated, it is tried until it is.
		cfg := x.campaign(strategy.Default(), x.cfg.Seeds*apartSeeds)
		cfg.StopAfter = len(a.properties)
		if err := x.ask(ctx, cell, a, cfg); err != nil {
			return err
		}
	}
	return nil
}

// ask runs one scenario for a cell, for the sake of some properties.
func (x *explorer) ask(ctx context.Context, cell *Cell, a apart, cfg campaign.Config) error {
	if ctx.Err() != nil {
		return errInterrupted
	}
	sc := a.scenario
	x.progress(cell.Design + " on " + cell.Etcd + ": " + sc.Name)
	p, err := x.cfg.params(sc, cell.Etcd, cell.Design)
	if err != nil {
		return err
	}
	subjects, err := sc.Subjects(p)
	if err != nil {
		return err
	}
	for _, race := range p.Masked() {
		cell.Masked = with(cell.Masked, race.Option)
	}
	cfg.Steps = p.Clock.Steps
	c := &campaign.Result{FirstSeed: cfg.FirstSeed}
	if !x.timeIsOver() {
		if c, err = campaign.Run(ctx, subjects, cfg); err != nil {
			return err
		}
	}
	if err := summary.LeaveOutLacking(&p, c); err != nil {
		return err
	}
	x.over(c.Schedules)
	command := x.command(cell, sc.Name, cfg.Strategy)
	cell.add(sc, &p, c, a.properties, command)
	if slices.Contains(Costs, sc.Name) {
		cell.Cost = append(cell.Cost, CostOf(sc.Name, c, command(c.FirstSeed, c.FirstSeed+max(c.Schedules, 1)-1)))
	}
	if c.Interrupted {
		return errInterrupted
	}
	return nil
}

// CostSeeds is how many of so many seeds a campaign of cost has: each of its runs is long.
func CostSeeds(seeds uint64) uint64 { return (seeds + costShare - 1) / costShare }

func (x *explorer) campaign(s strategy.Strategy, seeds uint64) campaign.Config {
	return campaign.Config{Strategy: s, FirstSeed: x.cfg.FirstSeed, Seeds: seeds, For: x.budget(), Workers: x.cfg.Workers}
}

// budget is the wall-clock time of the next campaign.
func (x *explorer) budget() time.Duration {
	if x.cfg.For == 0 {
		return 0
	}
	return max(time.Millisecond, (x.cfg.For-time.Since(x.start))/time.Duration(max(1, x.total-x.done)))
}

// timeIsOver: what is still to be asked stays unknown. Even a campaign of one run would
// measure the length of runs first.
func (x *explorer) timeIsOver() bool { return x.cfg.For > 0 && time.Since(x.start) >= x.cfg.For }

func (x *explorer) progress(what string) {
	if x.cfg.Progress != nil {
		x.cfg.Progress(x.done, x.total, what)
	}
}

func (x *explorer) over(schedules uint64) {
	x.done++
	x.schedules += schedules
}

// command words a run that shows the same seeds again.
func (x *explorer) command(cell *Cell, scenario string, s strategy.Strategy) func(first, last uint64) string {
	text := x.cfg.command(cell.Etcd, cell.Design, scenario)
	if s.Name != strategy.Default().Name {
		text += " --strategy " + s.Name
	}
	return func(first, last uint64) string {
		return text + " --seeds " + strconv.FormatUint(first, 10) + ".." + strconv.FormatUint(last, 10)
	}
}

// command words a run of a scenario with the parameters of a cell.
func (cfg *Config) command(version, design, scenario string) string {
	of, err := cfg.pairOf(version, design)
	if err != nil {
		// Check has refused it.
		panic("matrix: " + err.Error())
	}
	text := cfg.Program + " run " + scenario + " --etcd " + of.version + " --cache " + of.design
	for _, change := range of.settings {
		text += " --set " + change.String()
	}
	return text
}
