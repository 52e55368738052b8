package node

// Pause is how far a guest goes in a step before its goroutines are late (guests.Schedule.Late): what can run then does
// so in a later step, and meanwhile messages come, timers fire and streams break. Between two waits a goroutine is not
// stopped, so that no critical section is left half-way, unless it gives way where it takes a lock (Schedule.Locks).
type Pause struct {
	// Loop: this is a step of the loop of goroutines.
	Loop bool
	// decided: the questions of the step were asked. bounded: goroutines are late after left more of them have run.
	decided, bounded bool
	left             int
}

// reaches are how many goroutines run in a step before the others are late. In a step of the loop of goroutines it is
// one at least.
var reaches = [...]int{0, 1, 4}

// Over reports whether no more goroutines run in this step, and counts the one that runs if not.
func (p *Pause) Over(s *Step) bool {
	if !p.decided {
		p.decided = true
		if p.bounded = s.Late(); p.bounded {
			from := reaches[:]
			if p.Loop {
				from = from[1:]
			}
			p.left = from[s.Reach(len(from))]
		}
	}
	if !p.bounded {
		return false
	}
	p.left--
	return p.left < 0
}
