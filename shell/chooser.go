package shell

import "github.com/watchbed/watchbed/sim"

// oldestFirst decides what the world leaves open. Nothing that can happen is
// overtaken by what could happen only later, so nothing starves.
type oldestFirst struct{}

func (oldestFirst) Pick(_ *sim.World, enabled []sim.Action) int {
	first := 0
	for i := range enabled {
		// The world's count of steps begins anew after some hours.
		if int32(enabled[i].Since-enabled[first].Since) < 0 {
			first = i
		}
	}
	return first
}

// Choose implements sim.Chooser: jitters and phases are the smallest there are.
func (oldestFirst) Choose(*sim.World, int, string) int { return 0 }
