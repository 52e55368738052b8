package explain

import (
	"slices"

	"github.com/watchbed/watchbed/testbed"
)

// nodeNames are what options belong to: "etcd", "cache", "faults".
func nodeNames() []string {
	var names []string
	for _, o := range testbed.Describe() {
		if !slices.Contains(names, o.Node) {
			names = append(names, o.Node)
		}
	}
	return names
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
