package explain

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/internal/registry"
	"github.com/watchbed/watchbed/knownbugs"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/client"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// setBy says which releases, designs, bugs, masks and scenarios give an option which
// value.
type setBy struct {
	// values are in the order in which they were found.
	values []string
	lines  map[string][]string
	// byRelease: releases differ in it.
	byRelease bool
}

func (s *setBy) add(value, line string) {
	if !slices.Contains(s.values, value) {
		s.values = append(s.values, value)
	}
	s.lines[value] = append(s.lines[value], line)
}

// presetsOf looks through everything that sets options. What all releases or all
// designs have alike is the default, and left out.
func presetsOf(o *testbed.Described) *setBy {
	s := &setBy{lines: map[string][]string{}}
	if _, err := etcd.Group.Find(o.Name); err == nil {
		s.releases("etcd", func(version string) (string, bool) { return valueIn(etcd.Group, etcd.OptionsOf, version, o.Name) })
	}
	if _, err := client.Group.Find(o.Name); err == nil {
		s.releases("clientv3", func(version string) (string, bool) { return valueIn(client.Group, client.OptionsOf, version, o.Name) })
	}
	if _, err := cache.Group.Find(o.Name); err == nil {
		valuesOf(s, "design", cache.Designs(), func(d cache.Design) (name, value string) {
			value, _ = option.ValueIn(d.Settings, o.Name)
			return d.Name, value
		})
	}
	for _, b := range testbed.KnownBugs() {
		if planted := b.Planting(); planted.Name == o.Name {
			s.add(planted.Value, "the known bug "+b.Name+", which "+shows(b))
		}
	}
	for _, r := range testbed.Races() {
		if r.Option == o.Name {
			s.add(r.Value, "every scenario but those that unmask it: "+r.What+" otherwise (unmask="+r.Option+")")
		}
	}
	// Those whose own parameters set the option.
	valuesOf(s, "scenario", testbed.Scenarios(), func(sc *testbed.Scenario) (string, string) { return sc.Name, sc.Params.GivenValue(o.Name) })
	return s
}

// valueIn is the value of an option in a release, false if there is no such release: the first of
// etcd's have no client library.
func valueIn[C any](g option.Group[C], of func(string) (C, error), version, name string) (value string, ok bool) {
	c, err := of(version)
	if err != nil {
		return "", false
	}
	o, err := g.Find(name)
	if err != nil {
		return "", false
	}
	return o.Get(&c), true
}

func (s *setBy) releases(subject string, value func(version string) (string, bool)) {
	var values []string
	for _, branch := range etcd.Branches() {
		for _, v := range branch {
			if has, ok := value(v.String()); ok && !slices.Contains(values, has) {
				values = append(values, has)
			}
		}
	}
	if len(values) < 2 {
		return
	}
	s.byRelease = true
	for _, has := range values {
		s.add(has, subject+" "+releasesWith(func(version string) bool { of, ok := value(version); return ok && of == has }))
	}
}

// valuesOf adds the values of things, each with the names of the things that have it.
func valuesOf[T any](s *setBy, noun string, things []T, of func(T) (name, value string)) {
	byValue := map[string][]string{}
	var values []string
	for _, x := range things {
		name, value := of(x)
		if value != "" && byValue[value] == nil {
			values = append(values, value)
		}
		byValue[value] = append(byValue[value], name)
	}
	for _, value := range values {
		names := byValue[value]
		if len(names) > 1 {
			s.add(value, noun+"s "+joined(names))
		} else {
			s.add(value, noun+" "+joined(names))
		}
	}
}

// violatedUnlike lists the scenarios in which every campaign violates a property if an
// option has a value, and none is known to do so if it has the other value. All other
// parameters are the scenario's own. Scenarios with the same reasons are one item.
func violatedUnlike(option, value, other string) (items []Item) {
	type unlike struct{ scenarios, properties, reasons []string }
	var all []*unlike
	for _, sc := range testbed.Scenarios() {
		this, err := sc.Params.With(option, value)
		that, unfit := sc.Params.With(option, other)
		if err != nil || unfit != nil {
			continue
		}
		if _, err := sc.New(this); err != nil {
			continue
		}
		var u unlike
		passed := known.Names(known.Violations(sc, &that))
		for _, v := range known.Expected(sc, &this) {
			if !slices.Contains(passed, v.Property.Name) {
				u.properties, u.reasons = registry.With(u.properties, v.Property.Name), registry.With(u.reasons, v.Because...)
			}
		}
		if len(u.properties) == 0 {
			continue
		}
		at := slices.IndexFunc(all, func(x *unlike) bool { return slices.Equal(x.reasons, u.reasons) })
		if at < 0 {
			at = len(all)
			all = append(all, &unlike{reasons: u.reasons})
		}
		all[at].scenarios, all[at].properties = append(all[at].scenarios, sc.Name), registry.With(all[at].properties, u.properties...)
	}
	for _, u := range all {
		items = append(items, Item{joined(u.scenarios), []string{joined(u.properties), "because " + strings.Join(u.reasons, "; ")}})
	}
	return items
}

// Scenario is all that the catalogue has on one scenario.
type Scenario struct {
	Name     string            `json:"name"`
	Summary  string            `json:"summary"`
	Doc      string            `json:"doc"`
	Claims   []string          `json:"claims"`
	About    testbed.Reaches   `json:"about"`
	Expected []string          `json:"expectedViolations"`
	Known    []Row             `json:"known"`
	Params   map[string]string `json:"params"`
}

// Row is a row of what is known. Holds says whether it holds with the scenario's own
// parameters.
type Row struct {
	When     []string `json:"when,omitempty"`
	Violates []string `json:"violates"`
	Rarely   bool     `json:"rarely,omitempty"`
	Because  string   `json:"because"`
	Holds    bool     `json:"holds"`
}

func explainScenario(program string, e *Explanation, sc *testbed.Scenario) {
	s := &Scenario{
		Name: sc.Name, Summary: sc.Summary, Doc: sc.Doc, Claims: testbed.Names(sc.Claims), About: sc.About,
		Expected: append([]string{}, known.Names(known.Expected(sc, &sc.Params))...),
		Known:    []Row{}, Params: map[string]string{},
	}
	e.Doc, e.Scenario = sc.Doc, s
	e.say("claims", strings.Join(s.Claims, ", "))
	e.say("comes about in at least so many schedules", joined(each(slices.Sorted(maps.Keys(sc.About)), func(name string) string {
		return fmt.Sprintf("%s (%d %%)", name, sc.About[name])
	})))
	var set []string
	for _, p := range sc.Params.Given() {
		s.Params[p.Name] = p.Value
		set = append(set, p.String())
	}
	e.say("parameters", strings.Join(set, " "))
	e.say("to run it", program+" run "+sc.Name)
	setup, err := sc.Params.Setup()
	if err != nil {
		e.say("cannot run", err.Error())
		return
	}
	finds := bugsFor(func(b *testbed.KnownBug) bool { return b.Scenario == sc })
	e.list("known bugs that are looked for in it (--bug), the soonest first", each(finds, func(b *testbed.KnownBug) Item {
		return Item{b.Name, []string{b.Property.Name + ": " + howSoon(b)}}
	}))
	e.say("known bugs that show in it as well", bugsThat(func(b *testbed.KnownBug) bool { return slices.Contains(b.Also, sc) }))
	var here, elsewhere []Item
	for _, r := range known.Rows(sc) {
		row := Row{r.Conditions(), testbed.Names(r.Violates), r.Rarely, r.Because, r.Holds(setup)}
		s.Known = append(s.Known, row)
		if row.Holds {
			here = append(here, row.item())
		} else {
			elsewhere = append(elsewhere, row.item())
		}
	}
	if len(here) == 0 {
		e.say("known to be violated with these parameters", "nothing")
	}
	e.listBelow("known to be violated with these parameters", here)
	e.listBelow("known to be violated with other parameters", elsewhere)
}

func (r *Row) item() Item {
	name := strings.Join(r.Violates, ", ")
	if r.Rarely {
		name += ", rarely"
	}
	return Item{Name: name, Lines: append(append([]string{}, r.When...), "because "+r.Because)}
}

// explainBug takes the name of a bug, or that of an issue: "etcd-io/etcd#15220", or
// "etcd#15220", "#15220" or "15220" for short.
func explainBug(program, name string) []Explanation {
	var all []Explanation
	for _, b := range testbed.KnownBugs() {
		if b.Name == name || isIssue(b.Issue, name) {
			all = append(all, bug(program, b))
		}
	}
	return all
}

// isIssue reports whether a name is that of the issue, in full or without the owner,
// the repository or the "#".
func isIssue(issue, name string) bool {
	repository, number, _ := strings.Cut(issue, "#")
	_, short, _ := strings.Cut(repository, "/")
	return number != "" && slices.Contains([]string{issue, short + "#" + number, "#" + number, number}, name)
}

func bug(program string, b *testbed.KnownBug) Explanation {
	e := Explanation{Kind: "known bug", Name: b.Name, Summary: b.Summary}
	if b.Issue == "" {
		e.say("issue", "none is known")
	}
	e.say("issue", b.Issue)
	e.say("fixed in", fixedIn(b))
	changes := setting(b.Planting().Name, b.Planting().Value)
	changes.Name += " (" + b.Node() + ")"
	if o := describedOption(b.Planting().Name); o != nil && o.Doc != "" {
		changes.Lines = append([]string{"decides: " + o.Doc}, changes.Lines...)
	}
	e.list("what it changes", []Item{changes})
	e.list("where it shows", append([]Item{{b.Scenario.Name, []string{b.Property.Name + ": " + b.Why, "how soon: " + howSoon(b)}}},
		each(b.Also, func(sc *testbed.Scenario) Item { return Item{sc.Name, []string{b.Property.Name}} })...))
	if len(b.Further) > 0 {
		e.list("other properties that may be violated in the same scenario", []Item{{joined(testbed.Names(b.Further)), []string{b.WhyFurther}}})
	}
	e.say("to see it", program+" "+strings.Join(Command(b), " "))
	return e
}

// fixedIn names the releases without the bug.
func fixedIn(b *testbed.KnownBug) string {
	if b.FixedIn.Of == "" && b.Node() == "etcd" {
		return "no release yet"
	}
	return b.FixedIn.String()
}

// howSoon is the measured figure of a bug, in words.
func howSoon(b *testbed.KnownBug) string {
	f, ok := knownbugs.FigureOf(b.Name)
	if !ok {
		return "not measured"
	}
	return f.String()
}

// shows says where a bug shows, by which property, and how soon.
func shows(b *testbed.KnownBug) string {
	return "shows in " + b.Scenario.Name + ", by " + b.Property.Name + ": " + howSoon(b)
}

// soonestFirst sorts bugs by how soon they show; unmeasured bugs come last.
func soonestFirst(bugs []*testbed.KnownBug) []*testbed.KnownBug {
	median := func(b *testbed.KnownBug) uint64 {
		if f, ok := knownbugs.FigureOf(b.Name); ok {
			return f.Median
		}
		return math.MaxUint64
	}
	slices.SortStableFunc(bugs, func(a, b *testbed.KnownBug) int { return cmp.Compare(median(a), median(b)) })
	return bugs
}

// bugsFor are the known bugs for which something holds, the one first that shows soonest.
func bugsFor(holds func(b *testbed.KnownBug) bool) []*testbed.KnownBug {
	return soonestFirst(slices.DeleteFunc(testbed.KnownBugs(), func(b *testbed.KnownBug) bool { return !holds(b) }))
}

// Command is the command line that shows a bug, without the name of the program. A
// scenario whose parameters have the bug already needs no --bug.
func Command(b *testbed.KnownBug) []string {
	args := []string{"run", b.Scenario.Name}
	if !b.Scenario.Params.Has(b.Name) {
		args = append(args, "--bug", b.Name)
	}
	if b.Strategy != "" {
		args = append(args, "--strategy", b.Strategy)
	}
	return args
}
