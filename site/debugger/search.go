package debugger

import (
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/testbed"
)

// Catalogue has the names that a question may have.
type Catalogue struct {
	Scenarios []Scenario `json:"scenarios"`
	Releases  []string   `json:"releases"`
	Designs   []string   `json:"designs"`
	Bugs      []string   `json:"bugs"`
	// Situations are the coverage points.
	Situations []string `json:"situations"`
}

// Scenario is one of the catalogue. Settings are its options, as NAME=VALUE.
type Scenario struct {
	Name     string   `json:"name"`
	Summary  string   `json:"summary"`
	Settings []string `json:"settings"`
}

func listed() *Catalogue {
	c := &Catalogue{Releases: etcd.Versions()}
	for _, sc := range testbed.Scenarios() {
		c.Scenarios = append(c.Scenarios, Scenario{sc.Name, sc.Summary, texts(sc.Params.Given())})
	}
	for _, p := range sim.CoveragePoints() {
		c.Situations = append(c.Situations, p.String())
	}
	slices.Sort(c.Situations)
	for _, d := range cache.Designs() {
		c.Designs = append(c.Designs, d.Name)
	}
	for _, b := range testbed.KnownBugs() {
		c.Bugs = append(c.Bugs, b.Name)
	}
	return c
}

// Searched is what a search over seeds found. Reached is in how many schedules the situations came about, Runs the first of
// these.
type Searched struct {
	Schedules uint64  `json:"schedules"`
	Claims    []Claim `json:"claims"`
	Reached   uint64  `json:"reached"`
	Runs      []Reach `json:"runs,omitempty"`
}

// Claim is in how many schedules a claim was violated and, if it was, the first of these.
type Claim struct {
	Property string `json:"property"`
	Violated uint64 `json:"violated"`
	Link     string `json:"link"`
}

// Reach is a run in which the situations came about, each at one of Steps for the first time.
type Reach struct {
	Link  string `json:"link"`
	Seed  uint64 `json:"seed"`
	Steps []int  `json:"steps"`
}

const (
	// maxSearched is how many schedules one question may run: a page asks for more by asking again.
	maxSearched = 10_000
	// maxReached is how many runs of situations are linked, maxSituations how many situations a search is for.
	maxReached    = 5
	maxSituations = 2
)

func search(q *Question) (*Searched, error) {
	if q.Count == 0 || q.Count > maxSearched {
		return nil, fmt.Errorf("search: count is %d; it may be 1 to %d, so ask several times", q.Count, maxSearched)
	}
	sc, p, chosen, err := q.scenario()
	if err != nil {
		return nil, err
	}
	runner, err := diagnosis.LinkRunner(sc, p)
	if err != nil {
		return nil, err
	}
	chooser := &reaching{Chooser: chosen.For(runner)}
	if chooser.points, err = situations(q.Reaches); err != nil {
		return nil, err
	}
	found := &Searched{Schedules: q.Count}
	for n := range q.Count {
		chooser.Begin(q.Seed + n)
		result := runner.Run(chooser)
		chooser.look(runner.World())
		violated := &explore.Finding{}
		link := func(f *explore.Finding) (string, error) {
			h := diagnosis.Link{
				Scenario: sc.Name, Set: p.Changed(&sc.Params), Strategy: chosen.Name, Seed: q.Seed + n, Hash: result.TraceHash,
				Property: f.Property, Label: f.Label,
			}
			return h.Encode(nil)
		}
		for i := range result.Findings {
			f := &result.Findings[i]
			if n == 0 {
				found.Claims = append(found.Claims, Claim{Property: f.Property})
			}
			if c := &found.Claims[i]; f.Verdict == model.Violated {
				violated = f
				if c.Violated++; c.Link == "" {
					if c.Link, err = link(f); err != nil {
						return nil, err
					}
				}
			}
		}
		if !chooser.reached() {
			continue
		}
		if found.Reached++; len(found.Runs) < maxReached {
			r := Reach{Seed: q.Seed + n, Steps: slices.Clone(chooser.first)}
			if r.Link, err = link(violated); err != nil {
				return nil, err
			}
			found.Runs = append(found.Runs, r)
		}
	}
	return found, nil
}

// situations finds coverage points by name.
func situations(names []string) ([]sim.CoveragePoint, error) {
	if len(names) > maxSituations {
		return nil, fmt.Errorf("search: %d situations; there may be one, or two in an order", len(names))
	}
	var points []sim.CoveragePoint
	for _, name := range names {
		i := slices.IndexFunc(sim.CoveragePoints(), func(p sim.CoveragePoint) bool { return p.String() == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no situation %q: catalogue names them", name)
		}
		points = append(points, sim.CoveragePoints()[i])
	}
	return points, nil
}

// reaching is a chooser that sees when situations come about for the first time: first has the steps, -1 is never.
type reaching struct {
	strategy.Chooser
	points []sim.CoveragePoint
	first  []int
}

func (r *reaching) Begin(seed uint64) {
	r.Chooser.Begin(seed)
	r.first = r.first[:0]
	for range r.points {
		r.first = append(r.first, -1)
	}
}

func (r *reaching) Pick(w *sim.World, enabled []sim.Action) int {
	r.look(w)
	return r.Chooser.Pick(w, enabled)
}

// look looks behind a step. What the start of a run does counts as its first step.
func (r *reaching) look(w *sim.World) {
	for i, p := range r.points {
		if r.first[i] < 0 && w.Count(p) > 0 {
			r.first[i] = max(0, w.Steps()-1)
		}
	}
}

// reached reports whether all came about, in their order.
func (r *reaching) reached() bool {
	return len(r.first) > 0 && r.first[0] >= 0 && slices.IsSorted(r.first)
}
