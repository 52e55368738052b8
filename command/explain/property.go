package explain

import (
	"maps"
	"slices"

	"github.com/watchbed/watchbed/testbed"
)

func explainProperty(_, name string) []Explanation {
	all := testbed.Properties()
	i := slices.IndexFunc(all, func(p *testbed.Property) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	p := all[i]
	e := Explanation{Kind: "property", Name: name, Summary: p.Promise}
	switch p.Kind {
	case testbed.Safety:
		e.say("kind", "safety: nothing wrong happens")
	case testbed.Liveness:
		e.say("kind", "liveness: something happens in time")
	}
	e.say("a violation is called", joined(words(p)))
	e.say("labels of its violations, in the names of replay files", joined(slices.Sorted(maps.Keys(p.Labels))))
	var claim []string
	for _, sc := range testbed.Scenarios() {
		if slices.Contains(sc.Claims, p) {
			claim = append(claim, sc.Name)
		}
	}
	if len(claim) == 0 {
		claim = []string{"none"}
	}
	e.say("scenarios that claim it", joined(claim))
	var finds []Item
	for _, b := range bugsFor(func(b *testbed.KnownBug) bool { return b.Property == p }) {
		finds = append(finds, Item{b.Name, []string{"in " + b.Scenario.Name + ": " + b.Why, "how soon: " + howSoon(b)}})
	}
	e.list("known bugs that it finds, the soonest first", finds)
	return []Explanation{e}
}
