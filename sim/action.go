package sim

import (
	"fmt"
	"slices"
)

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

func (k Kind) String() string {
	switch k {
	case Deliver:
		return "deliver"
	case Fire:
		return "fire"
	case Run:
		return "run"
	case Inject:
		return "inject"
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

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
}

// slot is an entry of the world's table of everything that can ever happen.
type slot struct {
	due Time
	// action is what a strategy picks when the entry is ready. It is kept whole,
	// because the list of what is enabled is made of it.
	action Action
	index  int32 // lane, timer, task or fault number
	// cause is the one that armed the timer.
	cause Cause
}

// longList is the length from which on the list of what is enabled is changed by each
// step: about where both ways take the same time.
const longList = 64

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

// place is the index of the first enabled action whose slot is not below this one.
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
