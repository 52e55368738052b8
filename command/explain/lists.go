package explain

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/findings"
	"github.com/watchbed/watchbed/knownbugs"
	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/testbed"
)

// List is everything of one kind.
type List struct {
	Name    string
	Entries []Entry
}

// Entry is a name with a line about it.
type Entry struct {
	Name  string `json:"name"`
	About string `json:"about"`
	// Heading is that of the part of the list in which it is, empty if there is none.
	Heading string `json:"heading,omitempty"`
	// texts are those in which a word is looked for. The first says what the thing is about.
	texts []string
	// values are those of an option, NAME=VALUE.
	values []Entry
}

// kind is a kind of thing that has names.
type kind struct {
	// list is the name of its list, empty if there is none.
	list string
	// entries are those of all things of the kind; more may be explained, such as
	// releases that are not listed.
	entries func() []Entry
	// explain finds what a name means; nothing if it is no name of this kind.
	explain func(program, name string) []Explanation
}

// kindOf is a kind of things that are explained by their names.
func kindOf[T any](list string, things func() []T, entry func(T) Entry, explain func(program string, e *Explanation, thing T)) kind {
	return kind{list, func() []Entry { return each(things(), entry) }, func(program, name string) []Explanation {
		for _, x := range things() {
			if e := entry(x); e.Name == name {
				explained := Explanation{Kind: singular[list], Name: name, Summary: cmp.Or(e.texts...)}
				explain(program, &explained, x)
				return []Explanation{explained}
			}
		}
		return nil
	}}
}

// singular is what one thing of a list is called.
var singular = map[string]string{
	"scenarios": "scenario", "etcd": "etcd release", "cache": "cache design", "bugs": "known bug", "options": "option",
	"properties": "property", "strategies": "strategy", "findings": "finding", "metrics": "metric",
}

// kinds are in the order in which the explanations of one name are printed.
var kinds = []kind{
	kindOf("scenarios", testbed.Scenarios, scenarioEntry, explainScenario),
	{"bugs", func() []Entry { return each(testbed.KnownBugs(), bugEntry) }, explainBug},
	kindOf("cache", cache.AllDesigns, func(d cache.Design) Entry { return said(d.Name, d.Doc) }, explainDesign),
	{"etcd", func() []Entry {
		return each(etcd.Versions(), func(v string) Entry { return Entry{Name: v, About: behaviours(v)} })
	}, explainRelease},
	// There is a program for each release, none of which is listed.
	{"", func() []Entry { return nil }, explainProgram},
	{"", kubernetesNames, explainKubernetes},
	kindOf("properties", testbed.Properties, func(p *testbed.Property) Entry { return said(p.Name, p.Promise, p.Violated) }, explainProperty),
	{"", violations, explainViolation},
	kindOf("strategies", strategy.All, func(s strategy.Strategy) Entry { return said(s.Name, s.Summary) }, explainStrategy),
	{"options", options, explainOption},
	{"", values, explainValue},
	{"", nodes, explainNode},
	{"metrics", func() []Entry {
		return each(metric.All(), func(m metric.Metric) Entry { return said(m.String(), m.Help()) })
	}, explainMetric},
	kindOf("findings", findings.All, func(p findings.Page) Entry {
		return Entry{Name: p.Name, About: p.Title + " (" + p.Path() + ")", texts: []string{p.Title, p.Text}}
	}, explainFinding),
}

// ListNames are the names of all lists, in their order.
var ListNames = []string{"scenarios", "etcd", "cache", "bugs", "options", "properties", "strategies", "findings", "metrics"}

// Lists are those with these names.
func Lists(names ...string) (all []List) {
	for _, name := range names {
		if i := slices.IndexFunc(kinds, func(k kind) bool { return k.list == name }); name != "" && i >= 0 {
			all = append(all, List{name, kinds[i].entries()})
		}
	}
	return all
}

// said is an entry whose line is its first text.
func said(name string, texts ...string) Entry {
	return Entry{Name: name, About: texts[0], texts: texts}
}

// each is what something makes of each of these things.
func each[T, X any](things []T, of func(T) X) (all []X) {
	for _, x := range things {
		all = append(all, of(x))
	}
	return all
}

// reasons counts the scenarios that have each reason of what is known.
var reasons = sync.OnceValue(func() map[string]int {
	all := map[string]int{}
	for _, sc := range testbed.Scenarios() {
		for _, row := range sc.Known {
			all[row.Because]++
		}
	}
	return all
})

// scenarioEntry has the texts of a scenario and the reasons of what is known of it. A reason that several share says
// little of each.
func scenarioEntry(sc *testbed.Scenario) Entry {
	e := said(sc.Name, sc.Summary, sc.Doc)
	e.Heading = sc.Heading
	for _, row := range sc.Known {
		if reasons()[row.Because] == 1 {
			e.texts = append(e.texts, row.Because)
		}
	}
	return e
}

func bugEntry(b *testbed.KnownBug) Entry {
	about := b.Summary + " (" + b.Node() + ": " + b.Setting
	if b.Issue != "" {
		about += ", " + b.Issue
	}
	about += ")"
	if d, ok := knownbugs.FigureOf(b.Name); ok {
		about += "; " + d.Scenario + ": " + d.String()
	}
	return Entry{Name: b.Name, About: about, texts: []string{b.Summary, b.Issue, b.Why, b.WhyFurther}}
}

// options say what they belong to, what they do, and which values they take.
func options() []Entry {
	return each(testbed.Describe(), func(o testbed.Described) Entry {
		e := Entry{Name: o.Name, texts: []string{o.Doc}}
		takes := o.Form
		if o.Default != "" {
			takes += "; 0: " + o.Default
		}
		var names []string
		for _, v := range o.Values {
			names = append(names, v.Name)
			e.values = append(e.values, said(o.Name+"="+v.Name, v.Doc))
		}
		if len(names) > 0 {
			takes = joined(names)
		}
		e.About = o.Node + ": " + o.Doc + " (" + takes + ")"
		return e
	})
}

func values() (all []Entry) {
	for _, o := range options() {
		all = append(all, o.values...)
	}
	return all
}

// nodes are what options belong to: "etcd", "cache", "faults".
func nodes() (all []Entry) {
	for _, o := range testbed.Describe() {
		if !slices.ContainsFunc(all, func(e Entry) bool { return e.Name == o.Node }) {
			all = append(all, Entry{Name: o.Node})
		}
	}
	return all
}

// violations are the labels in the names of replay files, and the words of the
// matrix: "missing-write", "stale read".
func violations() (all []Entry) {
	for _, p := range testbed.Properties() {
		for _, name := range append(slices.Sorted(maps.Keys(p.Labels)), words(p)...) {
			all = append(all, Entry{Name: name})
		}
	}
	return all
}

func kubernetesNames() (all []Entry) {
	for minor := range newestKubernetes() + 1 {
		all = append(all, Entry{Name: "1." + strconv.Itoa(minor)})
	}
	return all
}

// behaviours says what a listed release does where releases differ: all of it for the
// first, and for the others the differences from a release that is listed before.
func behaviours(version string) string {
	listed := etcd.Versions()
	at := slices.Index(listed, version)
	for _, earlier := range listed[:at] {
		if len(differences(version, earlier)) == 0 {
			return "behaves the same as " + earlier
		}
	}
	if at == 0 {
		return strings.Join(differences(version, listed...), " ")
	}
	return "as " + listed[at-1] + ", but " + strings.Join(differences(version, listed[at-1]), " ")
}

// differences are the settings of a release that one of others has otherwise.
func differences(version string, others ...string) (all []string) {
	for _, c := range etcd.Choices {
		has := func(v string) string { o, _ := etcd.OptionsOf(v); return c.Get(&o) }
		if slices.ContainsFunc(others, func(v string) bool { return has(v) != has(version) }) {
			all = append(all, c.Name+"="+has(version))
		}
	}
	return all
}
