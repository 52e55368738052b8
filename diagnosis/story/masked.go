package story

import (
	"github.com/watchbed/watchbed/testbed"
)

// Masked names what masks a race of etcd in a run with these parameters.
func Masked(p *testbed.Params) []string {
	var names []string
	for _, r := range p.Masked() {
		names = append(names, r.String())
	}
	return names
}

// Settings are the options of the nodes that are set on top of version and design,
// without those that a bug takes the place of, and what one API server has of its own.
func Settings(p *testbed.Params) []string {
	n, err := p.Nodes()
	if err != nil {
		return nil
	}
	var list []string
	for _, s := range p.Settings {
		if n.Value(s.Name) == s.Value {
			list = append(list, s.String())
		}
	}
	return append(list, p.Topology.ServerSettings...)
}
