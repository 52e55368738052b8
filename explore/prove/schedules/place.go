package schedules

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
)

// place is one on the schedule that the search is at: the world before a step, and the step.
type place struct {
	world *sim.World
	// enabled is what can happen within the bounds. A thread is what has a slot of its own: a
	// lane, a loop, a timer, a fault.
	enabled []sim.Action
	// wanted are the threads whose step is to be taken here, tried those of which it has been.
	wanted, tried []int32
	// asleep are steps that need not be taken here: what follows on them was looked at with
	// the steps on the way to here taken behind them.
	asleep []sleeper
	// slept is how many of them slept already on the way to here.
	slept int
	event event
}

// sleeper is a step of a thread with its answers.
type sleeper struct {
	thread  int32
	answers []int
	// shared is what the step shares with others (event.shared).
	shared *touched
}

// event is a step that was taken.
type event struct {
	action  sim.Action
	name    string
	answers []int
	// touched is all that it read and wrote, shared the same without connections that it has
	// opened: their numbers are those of this schedule only.
	touched, shared *touched
	// number is the world's, of steps.
	number uint32
	// before are the steps of the schedule that come before this one in every schedule of the
	// class: a conflict with one of them, or with one behind it, keeps them in this order.
	before set
	// class is a digest of the event and of those before it.
	class sim.Digest
}

func (p *place) can(thread int32) bool {
	return slices.ContainsFunc(p.enabled, func(a sim.Action) bool { return a.Slot == thread })
}

func (p *place) want(thread int32) {
	if !slices.Contains(p.wanted, thread) {
		p.wanted = append(p.wanted, thread)
	}
}

func (p *place) wantAll() {
	for _, a := range p.enabled {
		p.want(a.Slot)
	}
}

// fellAsleepBefore reports whether a step of a thread slept already on the way to here.
func (p *place) fellAsleepBefore(thread int32) bool {
	return slices.ContainsFunc(p.asleep[:p.slept], func(s sleeper) bool { return s.thread == thread })
}

// next is an action to try: a wanted action, or the first remaining one as long as none was
// taken.
func (p *place) next(taken bool) (sim.Action, bool) {
	for _, a := range p.enabled {
		if !slices.Contains(p.tried, a.Slot) && (!taken || slices.Contains(p.wanted, a.Slot)) {
			return a, true
		}
	}
	return sim.Action{}, false
}

// sleeps reports whether a step need not be taken. Without questions a thread has one step.
func (p *place) sleeps(thread int32, answers []int) bool {
	return slices.ContainsFunc(p.asleep, func(s sleeper) bool {
		return s.thread == thread && slices.Equal(s.answers, answers)
	})
}

// stillAsleep are the sleepers that an event does not wake.
func (p *place) stillAsleep(behind *touched) []sleeper {
	var list []sleeper
	for _, s := range p.asleep {
		if !s.shared.conflicts(behind) {
			list = append(list, s)
		}
	}
	return list
}
