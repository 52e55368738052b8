package debugger

import (
	"fmt"

	"github.com/watchbed/watchbed/model"
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
	for _, d := range cache.Designs() {
		c.Designs = append(c.Designs, d.Name)
	}
	for _, b := range testbed.KnownBugs() {
		c.Bugs = append(c.Bugs, b.Name)
	}
	return c
}

// Searched is what a search over seeds found.
type Searched struct {
	Schedules uint64  `json:"schedules"`
	Claims    []Claim `json:"claims"`
}

// Claim is in how many schedules a claim was violated and, if it was, the first of these.
type Claim struct {
	Property string `json:"property"`
	Violated uint64 `json:"violated"`
	Link     string `json:"link"`
}

// maxSearched is how many schedules one question may run: a page asks for more by asking again.
const maxSearched = 10_000

func search(q *Question) (*Searched, error) {
	if q.Count == 0 || q.Count > maxSearched {
		return nil, fmt.Errorf("search: count is %d; it may be 1 to %d, so ask several times", q.Count, maxSearched)
	}
	sc, p, chosen, err := q.scenario()
	if err != nil {
		return nil, err
	}
	runner, err := newRunner(sc, p)
	if err != nil {
		return nil, err
	}
	found, chooser := &Searched{Schedules: q.Count}, chosen.For(runner)
	for n := range q.Count {
		chooser.Begin(q.Seed + n)
		result := runner.Run(chooser)
		for i := range result.Findings {
			f := &result.Findings[i]
			if n == 0 {
				found.Claims = append(found.Claims, Claim{Property: f.Property})
			}
			if c := &found.Claims[i]; f.Verdict == model.Violated {
				if c.Violated++; c.Link == "" {
					h := header{"", sc.Name, p.Changed(&sc.Params), chosen.Name, q.Seed + n, result.TraceHash, f.Property, f.Label}
					if c.Link, err = h.encode(nil); err != nil {
						return nil, err
					}
				}
			}
		}
	}
	return found, nil
}
