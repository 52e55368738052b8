package explain

import (
	"github.com/watchbed/watchbed/testbed"
)

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
