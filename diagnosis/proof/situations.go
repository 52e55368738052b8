package proof

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// noting is a subject that notes which situations come about in its worlds.
type noting struct {
	*testbed.System
	seen *sim.Seen
}

// Options implements prove.Subject.
func (n noting) Options() sim.Options {
	o := n.System.Options()
	o.Seen = n.seen
	return o
}

// cameAbout are the names of the situations that any of several subjects has noted, in the order in which this
// binary knows them.
func cameAbout(by ...*sim.Seen) []string {
	names := []string{}
	for _, s := range sim.Situations() {
		for _, seen := range by {
			if seen.Has(s) {
				names = append(names, s.String())
				break
			}
		}
	}
	return names
}
