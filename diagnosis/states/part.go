package states

import "github.com/watchbed/watchbed/sim"

// Part is a named part of the state of one node.
type Part struct {
	Node sim.NodeID
	Name string
}
