package explain

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/findings"
	"github.com/watchbed/watchbed/internal/registry"
	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

func explainProperty(_ string, e *Explanation, p *testbed.Property) {
	switch p.Kind {
	case testbed.Safety:
		e.say("kind", "safety: nothing wrong happens")
	case testbed.Liveness:
		e.say("kind", "liveness: something happens in time")
	}
	e.say("a violation is called", joined(words(p)))
	e.say("labels of its violations, in the names of replay files", joined(slices.Sorted(maps.Keys(p.Labels))))
	claim := scenariosThat(func(sc *testbed.Scenario) bool { return slices.Contains(sc.Claims, p) })
	e.say("scenarios that claim it", cmp.Or(claim, "none"))
	finds := bugsFor(func(b *testbed.KnownBug) bool { return b.Property == p })
	e.list("known bugs that it finds, the soonest first", each(finds, func(b *testbed.KnownBug) Item {
		return Item{b.Name, []string{"in " + b.Scenario.Name + ": " + b.Why, "how soon: " + howSoon(b)}}
	}))
}

// words are those in which the matrix names the violations of a property.
func words(p *testbed.Property) []string {
	all := []string{p.Violated}
	for _, label := range slices.Sorted(maps.Keys(p.Labels)) {
		if !slices.Contains(all, p.Labels[label]) {
			all = append(all, p.Labels[label])
		}
	}
	return all
}

func explainViolation(_, name string) []Explanation {
	var labels, meant []string
	var violates []Item
	for _, p := range testbed.Properties() {
		if name == "" || p.Labels[name] == "" && !slices.Contains(words(p), name) {
			continue
		}
		violates = append(violates, Item{p.Name, []string{p.Promise}})
		if text := p.Labels[name]; text != "" && !slices.Contains(meant, text) {
			meant = append(meant, text)
		}
		for _, label := range slices.Sorted(maps.Keys(p.Labels)) {
			if p.Labels[label] == name && !slices.Contains(labels, label) {
				labels = append(labels, label)
			}
		}
	}
	if len(violates) == 0 {
		return nil
	}
	e := Explanation{Kind: "violation", Name: name, Summary: "what the matrix calls a violation of these properties"}
	if len(meant) > 0 {
		e.Summary = "a label of violations, in the names of replay files and in lists of ways to fail"
	}
	e.say("the matrix calls it", joined(meant))
	e.say("label in the names of replay files", joined(labels))
	e.list("violates one of these properties", violates)
	return []Explanation{e}
}

func explainStrategy(program string, e *Explanation, s strategy.Strategy) {
	if s.Name == strategy.Default().Name {
		e.say("default", "yes: the one that is used if none is named")
	}
	e.say("known bugs that are looked for with it", bugsThat(func(b *testbed.KnownBug) bool { return b.Strategy == s.Name }))
	e.say("to use it", program+" run SCENARIO --strategy "+s.Name)
}

// scenariosThat and bugsThat name those for which something holds.
func scenariosThat(holds func(*testbed.Scenario) bool) string {
	return named(testbed.Scenarios(), holds, func(sc *testbed.Scenario) string { return sc.Name })
}

func bugsThat(holds func(*testbed.KnownBug) bool) string {
	return named(testbed.KnownBugs(), holds, func(b *testbed.KnownBug) string { return b.Name })
}

func named[T any](all []T, holds func(T) bool, name func(T) string) string {
	return joined(each(slices.DeleteFunc(slices.Clone(all), func(x T) bool { return !holds(x) }), name))
}

// explainMetric takes a metric with its labels, or a name with all labels that it has.
func explainMetric(_, name string) []Explanation {
	var all []Explanation
	for _, m := range metric.All() {
		base, _, _ := strings.Cut(m.String(), "{")
		if m.String() == name || base == name {
			all = append(all, Explanation{Kind: "metric", Name: m.String(), Summary: m.Help()})
		}
	}
	return all
}

func explainFinding(program string, e *Explanation, page findings.Page) {
	p := &page
	e.list("story", []Item{{Lines: steps(p.Part("Story"))}})
	for _, part := range []string{"Affected", "First good"} {
		e.say(strings.ToLower(part), prose(p.Part(part)))
	}
	e.say("to see it", program+" "+p.Command())
	e.listBelow("how often", measured(program, p))
	for _, part := range []string{"Removed by", "Exposed", "Proposed", "Reported"} {
		e.say(strings.ToLower(part), prose(p.Part(part)))
	}
	e.say("the page", p.Path())
}

// link is one of Markdown.
var link = regexp.MustCompile(`\[([^\]]+)\]\([^)]+\)`)

// prose is one paragraph of what is written in Markdown.
func prose(text string) string {
	return link.ReplaceAllString(strings.Join(strings.Fields(text), " "), "$1")
}

// begins is where an item of a numbered list begins.
var begins = regexp.MustCompile(`(?m)^\d+\. `)

// steps are the items of a numbered list.
func steps(text string) []string {
	var all []string
	at := begins.FindAllStringIndex(text, -1)
	for i, begin := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		all = append(all, prose(text[begin[0]:end]))
	}
	return all
}

// measured is what each command of a page finds.
func measured(program string, p *findings.Page) (items []Item) {
	for _, row := range p.Measured() {
		command := program + strings.TrimPrefix(row[0], "simrun")
		found := row[1] + ": " + row[2] + ", " + row[3]
		if i := slices.IndexFunc(items, func(x Item) bool { return x.Name == command }); i >= 0 {
			items[i].Lines = append(items[i].Lines, found)
		} else {
			items = append(items, Item{command, []string{found}})
		}
	}
	return items
}

func explainDesign(program string, e *Explanation, d cache.Design) {
	if d.OwnNode() {
		e.say("node", "one of its own, not the cache of package sim/cache")
	}
	plain := cache.Options{}
	var items []Item
	for _, s := range d.Settings {
		item := setting(s.Name, s.Value)
		if o, err := cache.Group.Find(s.Name); err == nil && o.Get(&plain) != s.Value {
			item.Lines = append(item.Lines, "instead of "+described(s.Name, o.Get(&plain)))
		}
		items = append(items, item)
	}
	if len(items) == 0 && !d.OwnNode() {
		e.say("sets", "no option: every option of the cache has its default")
	}
	e.list("sets, other than the default", items)
	if len(d.Reads) > 0 {
		e.say("reads, of the options of a cache", joined(d.Reads))
	}
	e.listBelow("scenarios known to be violated with it, and not with "+referenceDesign(), violatedUnlike("cache", d.Name, referenceDesign()))
	e.say("design of", scenariosWith("cache", d.Name))
	e.say("to run it", program+" run SCENARIO --cache "+d.Name)
	if d.Refuses != nil {
		e.say("has an answer for every request of", joined(testbed.AnsweredBy(d.Name)))
		e.say("to compare it", program+" compare "+referenceDesign()+" "+d.Name)
		return
	}
	e.say("to compare it", program+" matrix --designs "+defaultDesign(d.Name)+d.Name)
}

// referenceDesign is the one without settings, with which others are compared.
func referenceDesign() string { return cache.Designs()[0].Name }

// defaultDesign is the reference as the beginning of a list, empty before itself.
func defaultDesign(name string) string {
	if first := referenceDesign(); first != name {
		return first + ","
	}
	return ""
}

// described is a value with its sentence.
func described(name, value string) string {
	if sentence := sentenceOf(name, value); sentence != "" {
		return value + ": " + sentence
	}
	return value
}

// scenariosWith are those whose own parameters give an option the value.
func scenariosWith(name, value string) string {
	return scenariosThat(func(sc *testbed.Scenario) bool { return sc.Params.GivenValue(name) == value })
}

func explainNode(program, name string) []Explanation {
	var options []Item
	for _, o := range testbed.Describe() {
		if o.Node == name {
			options = append(options, Item{o.Name, []string{o.Doc}})
		}
	}
	if len(options) == 0 {
		return nil
	}
	e := Explanation{Kind: "options of", Name: name, Summary: "`" + program + " list OPTION` explains each of them"}
	e.list("options", options)
	return []Explanation{e}
}

// describedOption is nil if there is no option of the name.
func describedOption(name string) *testbed.Described {
	for _, o := range testbed.Describe() {
		if o.Name == name {
			return &o
		}
	}
	return nil
}

func explainOption(program, name string) []Explanation {
	o := describedOption(name)
	if o == nil {
		return nil
	}
	e := Explanation{Kind: "option", Name: name, Summary: o.Doc}
	e.say("of", o.Node)
	if o.Form != "" {
		e.say("takes", o.Form)
	}
	presets := presetsOf(o)
	e.say("default", defaultOf(o, presets))
	e.say("to set it", program+" run SCENARIO --set "+name+"=VALUE")
	e.list("values, and what sets them", each(o.Values, func(v option.Value) Item {
		return Item{v.Name, append([]string{v.Doc}, presets.lines[v.Name]...)}
	}))
	if len(o.Values) == 0 {
		e.list("set by", each(presets.values, func(v string) Item { return Item{v, presets.lines[v]} }))
	}
	return []Explanation{e}
}

// defaultOf is the value where the scenario, the release and the design say nothing.
func defaultOf(o *testbed.Described, presets *setBy) string {
	switch {
	case presets.byRelease:
		return "that of the release"
	case o.Default != "":
		return inWords(o)
	}
	versions := etcd.Versions()
	nothing := testbed.Params{Etcd: versions[len(versions)-1], Cache: cache.Designs()[0].Name}
	value, _ := option.ValueIn(nothing.Expand(), o.Name)
	switch {
	case o.Node == "presets" && (o.Name == "etcd" || o.Name == "cache"):
		return "that of the scenario"
	case value == "":
		return "none, which --set " + o.Name + "= gives"
	case len(o.Values) > 0 && o.Node == "cache":
		return value + ", unless the design sets another value"
	}
	return value
}

// inWords is what stands for nothing set: beside the number 0 if it is no number that could be given.
func inWords(o *testbed.Described) string {
	if o.Form == "" || strings.ContainsAny(o.Default[:1], "0123456789") {
		return o.Default
	}
	return "0: " + o.Default
}

// sentenceOf is what a value of an option means; empty if the option has no named
// values.
func sentenceOf(name, value string) string {
	if o := describedOption(name); o != nil {
		if i := slices.IndexFunc(o.Values, func(v option.Value) bool { return v.Name == value }); i >= 0 {
			return o.Values[i].Doc
		}
	}
	return ""
}

// setting is an item NAME=VALUE with what it means.
func setting(name, value string) Item {
	item := Item{Name: name + "=" + value, Lines: []string{}}
	if sentence := sentenceOf(name, value); sentence != "" {
		item.Lines = append(item.Lines, sentence)
	}
	return item
}

func joined(names []string) string { return strings.Join(names, ", ") }

// checkSetting refuses NAME=VALUE of an option that does not take the value.
func checkSetting(text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok || describedOption(name) == nil {
		return nil
	}
	return new(testbed.Params).Set(name, value)
}

// explainValue explains NAME=VALUE, and VALUE alone for each option that has it.
func explainValue(program, text string) []Explanation {
	name, value, ok := strings.Cut(text, "=")
	if ok {
		if o := describedOption(name); o != nil {
			return []Explanation{valueOf(program, o, value)}
		}
		return nil
	}
	var all []Explanation
	for _, o := range testbed.Describe() {
		for _, v := range o.Values {
			if v.Name == text {
				all = append(all, valueOf(program, &o, text))
			}
		}
	}
	return all
}

func valueOf(program string, o *testbed.Described, value string) Explanation {
	e := Explanation{Kind: "value", Name: o.Name + "=" + value, Summary: sentenceOf(o.Name, value)}
	if e.Summary == "" {
		e.Summary = o.Doc
	}
	e.say("of the option", o.Name+" ("+o.Node+"): "+o.Doc)
	e.say("to set it", program+" run SCENARIO --set "+e.Name)
	e.list("set by", each(presetsOf(o).lines[value], func(line string) Item { return Item{Lines: []string{line}} }))
	e.list("known to be violated with it, under the conditions of `"+program+" list SCENARIO`", violatedWith(e.Name))
	return e
}

// violatedWith lists the scenarios in which a row names the value as its condition.
func violatedWith(setting string) []Item {
	var items []Item
	for _, sc := range testbed.Scenarios() {
		var properties []string
		for _, r := range known.Rows(sc) {
			if !slices.ContainsFunc(r.Conditions(), func(c string) bool {
				return strings.HasSuffix(c, "("+setting+")") && !strings.HasPrefix(c, "unless ")
			}) {
				continue
			}
			properties = registry.With(properties, testbed.Names(r.Violates)...)
		}
		if len(properties) > 0 {
			items = append(items, Item{sc.Name, []string{joined(properties)}})
		}
	}
	return items
}
