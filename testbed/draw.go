package testbed

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
)

// Draw are the parameters of a scenario with what is drawn from the number n (swarm testing: Groce et al., Swarm
// Testing, ISSTA 2012). They name everything that was drawn, so that a recording, a story or a known row needs no draw.
// A draw depends on its number and on the scenario, and on nothing that a program registers: about half of its ranges
// get one of their values, the others stay as they are. change is made on top of that, and a setting that makes no
// system with it is left out; change may be nil. The error says that the scenario has no draws, or is that of change or
// of the scenario without any draw.
func (sc *Scenario) Draw(n uint64, change func(*Params) error) (Params, error) {
	if len(sc.Draws) == 0 {
		return Params{}, fmt.Errorf("the scenario %s has nothing to draw; there are draws of %s", sc.Name, strings.Join(withDraws(), " and "))
	}
	settings := sc.drawn(n)
	p, err := sc.with(settings, change)
	if err == nil {
		return p, nil
	}
	// At least two settings do not fit together: the later ones are left out.
	var fitting []option.Setting
	for _, s := range settings {
		if _, err := sc.with(append(fitting, s), change); err == nil {
			fitting = append(fitting, s)
		}
	}
	return sc.with(fitting, change)
}

// with are the parameters of the scenario with these settings and the change, if they
// make a system.
func (sc *Scenario) with(settings []option.Setting, change func(*Params) error) (Params, error) {
	p := sc.Params
	for _, s := range settings {
		if err := p.Set(s.Name, s.Value); err != nil {
			return p, err
		}
	}
	if change != nil {
		if err := change(&p); err != nil {
			return p, err
		}
	}
	_, err := sc.New(p)
	return p, err
}

// drawn are what is drawn from n, whether it fits together or not. Each
// range is drawn by itself: one that is added to a scenario changes no other.
func (sc *Scenario) drawn(n uint64) []option.Setting {
	var all []option.Setting
	for _, r := range sc.Draws {
		random := sim.NewDigest.Text(r.Name).Word(n).Word(uint64(len(r.Values))).Sum()
		if i, _ := bits.Mul64(random, 2*uint64(len(r.Values))); i < uint64(len(r.Values)) {
			all = append(all, option.Setting{Name: r.Name, Value: r.Values[i]})
		}
	}
	return all
}

// withDraws are the names of the scenarios that have draws.
func withDraws() []string {
	var names []string
	for _, sc := range Scenarios() {
		if len(sc.Draws) > 0 {
			names = append(names, sc.Name)
		}
	}
	return names
}
