package matrix

import (
	"cmp"
	"context"
	"slices"

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
