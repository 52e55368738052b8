package explain

import (
	"maps"
	"slices"

	"github.com/watchbed/watchbed/testbed"
)

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
