package sim

import (
	"math/bits"
	"slices"
)

// longList is the length from which on the list of what is enabled is changed by each
// step: about where both ways take the same time.
const longList = 64

// Enabled lists what can happen next. When timed, that is what is due first.
// The list is valid until the next step.
func (w *World) Enabled() []Action {
	if w.mode == Timed {
		w.enabled = w.earliest(w.enabled[:0])
		return w.enabled
	}
	if w.follows {
		w.offerFaults()
		w.follows = len(w.enabled) >= longList
		return w.enabled
	}
	if cap(w.enabled) < len(w.slots) {
		w.enabled = make([]Action, 2*len(w.slots))
	}
	list, n := w.enabled[:cap(w.enabled)], 0
	for i, word := range w.ready {
		for word != 0 {
			s := &w.slots[i<<6|bits.TrailingZeros64(word)]
			word &= word - 1
			if s.action.Kind == Inject && !w.faults[s.action.Number].fault.Ready(w) {
				continue
			}
			list[n] = s.action
			n++
		}
	}
	w.enabled = list[:n]
	w.follows = n >= longList
	return w.enabled
}

func (w *World) earliest(list []Action) []Action {
	var first Time
	for i, word := range w.ready {
		for word != 0 {
			s := &w.slots[i<<6|bits.TrailingZeros64(word)]
			word &= word - 1
			due := max(s.due, w.now)
			if len(list) > 0 && due > first {
				continue
			}
			if s.action.Kind == Inject && !w.faults[s.action.Number].fault.Ready(w) {
				continue
			}
			if due < first {
				list = list[:0]
			}
			first = due
			list = append(list, s.action)
		}
	}
	return list
}

func (w *World) makeReady(id int32, due Time) {
	s := &w.slots[id]
	s.due = due
	s.action.Since = w.step
	w.ready[id>>6] |= 1 << (id & 63)
	if w.follows && s.action.Kind != Inject {
		w.offer(s.action)
	}
}

func (w *World) clearReady(id int32) {
	w.ready[id>>6] &^= 1 << (id & 63)
	if w.follows {
		w.withdraw(id)
	}
}

func (w *World) isReady(id int32) bool { return w.ready[id>>6]&(1<<(id&63)) != 0 }

// offerFaults asks all faults whether they can strike now, which no step tells.
func (w *World) offerFaults() {
	for i := range w.faults {
		f := &w.faults[i]
		if w.isReady(f.slot) && f.fault.Ready(w) {
			w.offer(w.slots[f.slot].action)
		} else {
			w.withdraw(f.slot)
		}
	}
}

// offer puts an action into the list of what is enabled, in place of an older one
// of its slot.
func (w *World) offer(a Action) {
	i := w.place(a.Slot)
	if i == len(w.enabled) || w.enabled[i].Slot != a.Slot {
		w.enabled = slices.Insert(w.enabled, i, a)
		return
	}
	w.enabled[i] = a
}

// withdraw takes the action of a slot off the list, if it is there.
func (w *World) withdraw(slot int32) {
	i := w.place(slot)
	if i < len(w.enabled) && w.enabled[i].Slot == slot {
		w.enabled = slices.Delete(w.enabled, i, i+1)
	}
}

// place is the index of the first enabled action whose slot is not below this one. It is
// written out because slices.BinarySearchFunc makes a step beside 1,000 actions a third slower.
func (w *World) place(slot int32) int {
	low, high := 0, len(w.enabled)
	for low < high {
		middle := int(uint(low+high) >> 1)
		if w.enabled[middle].Slot < slot {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

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

// All are the timers that are set.
func (a Armed) All(yield func(Timer) bool) {
	for t := range a.slots {
		if a.Has(Timer(t)) && !yield(Timer(t)) {
			return
		}
	}
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

// Kind is what sort of thing an action is.
type Kind uint8

// Deliver the head of a lane, Fire a timer, Run one step of a task, or Inject
// a fault.
const (
	Deliver Kind = iota + 1
	Fire
	Run
	Inject
)

func (k Kind) String() string { return [...]string{"none", "deliver", "fire", "run", "inject"}[k] }

// Action is one thing that can happen next. Slot identifies the lane, timer,
// task or fault for as long as it exists: what a strategy treats as a thread.
// Slot and Since together identify one pending event.
type Action struct {
	Slot int32
	// Since is the step at which the action became possible.
	Since uint32
	// Node is the one whose state changes.
	Node NodeID
	Kind Kind
	// Number is that of the timer or task among those of the node, or that of the lane or fault.
	Number int32
}

// slot is an entry of the world's table of everything that can ever happen.
type slot struct {
	due Time
	// action is what a strategy picks when the entry is ready. It is kept whole,
	// because the list of what is enabled is made of it.
	action Action
	// cause is the one that armed the timer.
	cause Cause
}

// Chooser decides what happens. It is the whole interface between the simulation
// and the package that explores it.
type Chooser interface {
	// Pick returns the index of the enabled action that happens next. enabled
	// is never empty and is valid during the call only.
	Pick(w *World, enabled []Action) int
	// Choose settles what the original leaves open inside a step (a random
	// select, a random subset, jitter, the phase of a ticker). It returns a
	// number in [0, n), n >= 2. what names the question.
	Choose(w *World, n int, what string) int
}
