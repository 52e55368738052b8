package explain

import (
	"strings"

	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/testbed"
)

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
	var values []Item
	for _, v := range o.Values {
		values = append(values, Item{v.Name, append([]string{v.Doc}, presets.lines[v.Name]...)})
	}
	e.list("values, and what sets them", values)
	if len(values) == 0 {
		for _, v := range presets.values {
			values = append(values, Item{v, presets.lines[v]})
		}
		e.list("set by", values)
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
	value := settingOf(nothing.Expand(), o.Name)
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
		for _, v := range o.Values {
			if v.Name == value {
				return v.Doc
			}
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
