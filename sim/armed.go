package sim

// Armed is which timers of a node are set. It is for judges, and holds until the next
// step. A judge that asks after each step of a node asks for many timers of which few are
// set, so an answer costs no more than a look at a bit.
type Armed struct {
	slots []int32
	ready []uint64
}

// Armed is which timers of a node are set.
func (w *World) Armed(n NodeID) Armed { return Armed{w.nodes[n].timers, w.ready} }

// Has reports whether a timer is set.
func (a Armed) Has(t Timer) bool {
	if int(t) >= len(a.slots) {
		return false
	}
	// A timer that was never set has slot 0, which is never ready.
	s := a.slots[t]
	return a.ready[s>>6]&(1<<(s&63)) != 0
}

// Count is how many timers are set.
func (a Armed) Count() int {
	n := 0
	for t := range a.slots {
		if a.Has(Timer(t)) {
			n++
		}
	}
	return n
}
