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
