package matrix

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/watchbed/watchbed/internal/registry"
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
	Campaigns
}

// enough is how many schedules may say that a scenario holds of which it is known that it is
// violated rarely: those of a matrix that nothing cuts short.
func enough(scenario string) uint64 {
	if isCost(scenario) {
		return CostSeeds(Seeds)
	}
	return Seeds
}

// apartSeeds is how many times more seeds a scenario may take that tells a design from
// the others: it ends when it has.
const apartSeeds = 10

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
	side, err := cfg.side(version, design)
	if err != nil {
		return p, err
	}
	return p, side.Apply(&p)
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
	x := &explorer{&cfg, runner{Campaigns: cfg.Campaigns, start: start, total: len(plans) * len(basis())}}
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

// explorer fills the cells of one matrix.
type explorer struct {
	cfg *Config
	runner
}

func (x *explorer) matrix(ctx context.Context, m *Matrix, plans []plan) error {
	for i := range plans {
		cell := &Cell{Design: plans[i].design, Etcd: plans[i].version, Alike: plans[i].also}
		err := x.askAll(ctx, cell, plans[i].apart)
		cell.Interrupted = errors.Is(err, errInterrupted)
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

func (x *explorer) askAll(ctx context.Context, cell *Cell, further []apart) error {
	for _, name := range basis() {
		sc, err := testbed.FindScenario(name)
		if err != nil {
			return err
		}
		if err := x.ask(ctx, cell, apart{sc, testbed.Names(sc.Claims)}, 0); err != nil {
			return err
		}
	}
	for _, a := range further {
		if cell.answered(a.properties) {
			x.done++
			continue
		}
		if err := x.ask(ctx, cell, a, len(a.properties)); err != nil {
			return err
		}
	}
	return nil
}

// ask runs one scenario for a cell, for the sake of some properties. If so many are known to be violated, it is tried until they are.
func (x *explorer) ask(ctx context.Context, cell *Cell, a apart, known int) error {
	sc := a.scenario
	if err := x.begins(ctx, cell.Design+" on "+cell.Etcd+": "+sc.Name); err != nil {
		return err
	}
	p, err := x.cfg.params(sc, cell.Etcd, cell.Design)
	if err != nil {
		return err
	}
	subjects, err := sc.Subjects(p)
	if err != nil {
		return err
	}
	for _, race := range p.Masked() {
		cell.Masked = registry.With(cell.Masked, race.Option)
	}
	cfg := x.campaign(sc.Name)
	cfg.Steps = p.Clock.Steps
	if known > 0 {
		cfg.Seeds, cfg.StopAfter = cfg.Seeds*apartSeeds, known
	}
	c, err := x.run(ctx, subjects, &p, cfg)
	if err != nil {
		return err
	}
	text := x.cfg.command(cell.Etcd, cell.Design, sc.Name)
	command := func(first, last uint64) string { return withSeeds(text, cfg.Strategy.Name, first, last) }
	cell.add(sc, &p, c, a.properties, command)
	if isCost(sc.Name) {
		cell.Cost = append(cell.Cost, CostOf(sc.Name, c, command(c.FirstSeed, c.FirstSeed+max(c.Schedules, 1)-1)))
	}
	if c.Interrupted {
		return errInterrupted
	}
	return nil
}

// command words a run of a scenario with the parameters of a cell.
func (cfg *Config) command(version, design, scenario string) string {
	side, err := cfg.side(version, design)
	if err != nil {
		// Check has refused it.
		panic("matrix: " + err.Error())
	}
	return side.command(cfg.Program, scenario)
}
