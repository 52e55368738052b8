package schedules

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
)

// order finds what comes before the last event of a path in every schedule of the class. What it
// conflicts with and what no event between them keeps in this order is a race. race is called with
// its place, as long as the events before it are not noted; nil is not.
func order(path []*place, race func(first int)) {
	last := len(path) - 1
	e := &path[last].event
	e.before = e.before[:0]
	for i := last - 1; i >= 0; i-- {
		if e.before.has(i) {
			continue
		}
		first := &path[i].event
		same := first.action.Slot == e.action.Slot
		if !same && !first.touched.conflicts(e.touched) {
			continue
		}
		if !same && race != nil {
			race(i)
		}
		e.before.add(i)
		e.before.addAll(first.before)
	}
	var sum sim.Digest
	e.before.each(func(i int) { sum = sum.And(path[i].event.class) })
	e.class = e.class.Fold(sum)
}

// race has the reverse order of the last event and of an event in race with it tried.
func (s *search) race(first int) {
	last := len(s.path) - 1
	if e := &s.path[last].event; s.reversible(s.path[first], e) {
		s.reverse(first, last, e)
	}
}

// reversible reports whether a later event can have been possible in a place: not if it was the
// step from there that made it possible. Whether a fault can strike no step tells.
func (s *search) reversible(p *place, later *event) bool {
	return later.action.Kind == sim.Inject || later.action.Since != p.event.number || p.can(later.action.Slot)
}

// reverse has a step tried in the place of event i that leads to the later event e before it.
// It is the first of those between them that do not come behind i, or e itself.
func (s *search) reverse(i, last int, e *event) {
	s.between = s.between[:0]
	from, first := s.path[i], int32(-1)
	for j := i + 1; j <= last; j++ {
		x := &s.path[j].event
		if j < last && x.before.has(i) {
			continue
		}
		if !x.before.meets(s.between) {
			if slices.Contains(from.wanted, x.action.Slot) {
				return
			}
			if first < 0 {
				first = x.action.Slot
			}
		}
		s.between.add(j)
	}
	if from.can(first) {
		from.want(first)
		return
	}
	// Only a fault is possible behind steps with which it does not conflict.
	from.wantAll()
}

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
