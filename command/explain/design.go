package explain

import (
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/testbed"
)

func explainDesign(program, name string) []Explanation {
	d, err := cache.FindDesign(name)
	if err != nil {
		return nil
	}
	e := Explanation{Kind: "cache design", Name: name, Summary: d.Doc}
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
	e.listBelow("scenarios known to be violated with it, and not with "+referenceDesign(), violatedUnlike("cache", name, referenceDesign()))
	e.say("design of", joined(scenariosWith("cache", name)))
	e.say("to run it", program+" run SCENARIO --cache "+name)
	e.say("to compare it", program+" matrix --designs "+defaultDesign(name)+name)
	return []Explanation{e}
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
func scenariosWith(name, value string) []string {
	var found []string
	for _, sc := range testbed.Scenarios() {
		if sc.Params.GivenValue(name) == value {
			found = append(found, sc.Name)
		}
	}
	return found
}
