package explain

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

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
	var lines []Item
	for _, line := range presetsOf(o).lines[value] {
		lines = append(lines, Item{Lines: []string{line}})
	}
	e.list("set by", lines)
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
			for _, name := range testbed.Names(r.Violates) {
				if !slices.Contains(properties, name) {
					properties = append(properties, name)
				}
			}
		}
		if len(properties) > 0 {
			items = append(items, Item{sc.Name, []string{joined(properties)}})
		}
	}
	return items
}
