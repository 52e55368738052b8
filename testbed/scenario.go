package testbed

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/internal/registry"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed/plans"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// Scenario is one entry of the catalogue.
type Scenario struct {
	Name string
	// Summary is one line, Doc what a maintainer wants to know: which issue,
	// which mechanism, what to look at.
	Summary, Doc string
	// Params are the defaults.
	Params Params
	// About is what a schedule shows of the subject of the scenario.
	About Reaches
	// Active are values of options that make a difference here, and none in the scenarios in which most do.
	Active Active
	// Claims are the properties that the scenario puts to the test.
	Claims []*Property
	// Stream is what the i-th client does that speaks etcd's watch protocol
	// itself; workload.Options.Streams says how many there are. nil is a plan in which the
	// options of a watch take turns.
	Stream func(p *Params, i int) workload.EtcdWatchPlan
	// Clients are clients of the scenario's own, beside those of workload.Options: what each asks for, of etcd or of a
	// cache, and is judged by as they are. nil is none.
	Clients func(p *Params, t *topology.Topology) []plans.Program
	// Draws are the options that Draw may set, with the values that fit the
	// scenario. Without any it has no draws.
	Draws []option.Range
	// Known is what is known to be violated, on which versions and with which designs.
	// It depends on nothing but what the parameters come to.
	Known []Row
	// Heading is that of its subject in the catalogue, empty if it has none (ArrangeScenarios).
	Heading string

	// inTime: it claims EventsInTime since it has a clock.
	inTime bool
}

// Reaches are coverage points by their names, with the share of schedules in percent in which each comes about at
// least.
type Reaches map[string]int

// Active are values of options, NAME=VALUE, each with the settings without which it makes no difference, comma separated.
type Active map[string]string

var scenarios = registry.New[*Scenario]("scenario")

// RegisterScenario adds a scenario to the catalogue. It panics if the name is
// taken; call it in package variable declarations. A scenario with to-rest=true claims that its runs come to rest, and
// one with a clock that events are in time (Params.WhyNotInTime).
func RegisterScenario(sc *Scenario) *Scenario {
	if sc.Params.Clock.ToRest {
		sc.Claims = append(slices.Clip(sc.Claims), ComingToRest)
	}
	if sc.Params.Clock.Mode == sim.Timed && sc.Params.WhyNotInTime() == "" {
		sc.Claims, sc.inTime = append(slices.Clip(sc.Claims), EventsInTime), true
	}
	return scenarios.Add(sc.Name, sc)
}

// claimsWith are the claims with these parameters: events are in time only if they can come when nothing breaks.
func (sc *Scenario) claimsWith(p *Params) []*Property {
	if !sc.inTime || p.WhyNotInTime() == "" {
		return sc.Claims
	}
	return slices.DeleteFunc(slices.Clone(sc.Claims), func(c *Property) bool { return c == EventsInTime })
}

// Subject is a part of the catalogue: what its scenarios are about, and these in their order.
type Subject struct {
	Heading   string
	Scenarios []*Scenario
}

// ArrangeScenarios puts these scenarios first in the catalogue, in this order.
func ArrangeScenarios(first ...Subject) {
	var names []string
	for _, subject := range first {
		for _, sc := range subject.Scenarios {
			sc.Heading = subject.Heading
			names = append(names, sc.Name)
		}
	}
	scenarios.Arrange(names...)
}

// Scenarios lists the catalogue.
func Scenarios() []*Scenario { return scenarios.All() }

// FindScenario returns a scenario by its name. The error names the nearest.
func FindScenario(name string) (*Scenario, error) { return scenarios.Find(name) }

// Subjects is what campaign.Run and the tests of explore/property want: a
// subject with these parameters for each worker. It returns an error if they do
// not fit together.
func (sc *Scenario) Subjects(p Params) (func() explore.Subject, error) {
	if _, err := sc.New(p); err != nil {
		return nil, err
	}
	return func() explore.Subject {
		s, err := sc.New(p)
		if err != nil {
			// It was possible a moment ago, and depends on nothing else.
			panic(err)
		}
		return s
	}, nil
}

// Runner carries out runs of the scenario with these parameters.
func (sc *Scenario) Runner(p Params) (*explore.Runner, error) {
	s, err := sc.New(p)
	if err != nil {
		return nil, err
	}
	return s.Runner(), nil
}

// Runner carries out runs of the system.
func (s *System) Runner() *explore.Runner { return explore.NewRunner(s, s.params.Clock.Steps) }

// New puts a scenario together with these parameters.
func (sc *Scenario) New(p Params) (*System, error) {
	return newSystem(p, sc)
}

// AnsweredBy are the scenarios with clients of a cache in which a design has an answer for each request, those of the
// design itself first.
func AnsweredBy(design string) (names []string) {
	own := 0
	for _, sc := range Scenarios() {
		p := sc.Params
		p.Cache = design
		if p.Workload.OfCache()+p.Informers.Count == 0 {
			continue
		}
		if _, err := sc.New(p); err != nil {
			continue
		}
		if sc.Params.Cache == design {
			names = slices.Insert(names, own, sc.Name)
			own++
		} else {
			names = append(names, sc.Name)
		}
	}
	return names
}

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
