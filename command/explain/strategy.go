package explain

import (
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/testbed"
)

func explainStrategy(program, name string) []Explanation {
	s, err := strategy.Find(name)
	if err != nil {
		return nil
	}
	e := Explanation{Kind: "strategy", Name: name, Summary: s.Summary}
	if name == strategy.Default().Name {
		e.say("default", "yes: the one that is used if none is named")
	}
	var bugs []string
	for _, b := range testbed.KnownBugs() {
		if b.Strategy == name {
			bugs = append(bugs, b.Name)
		}
	}
	e.say("known bugs that are looked for with it", joined(bugs))
	e.say("to use it", program+" run SCENARIO --strategy "+name)
	return []Explanation{e}
}
