package toys

import "github.com/watchbed/watchbed/explore"

// Bug is a toy bug, most of them of Tasks a, b, c, ... with some steps each.
type Bug struct {
	Name string
	New  func() explore.Subject
}

// Bugs are toy bugs that strategies differ in.
var Bugs = []Bug{
	{"short task last", shortTaskLast},
	{"atomicity, noise", atomicityWithNoise},
	{"lost event", lostEvent},
	{"starvation", starvation},
	{"two windows", twoWindows},
	{"taking turns", func() explore.Subject { return &Turns{} }},
}

// shortTaskLast: the one step of a comes after all fifty of b.
func shortTaskLast() explore.Subject {
	bDone := false
	return NewTasks(func(task, step int) bool {
		bDone = bDone || task == 1 && step == 49
		return task == 0 && bDone
	}, func() { bDone = false }, 1, 50)
}

// atomicityWithNoise: a and b read in their fifth step and write in their
// sixth; both read before either writes, while c and d make noise.
func atomicityWithNoise() explore.Subject {
	reading, lost := 0, false
	return NewTasks(func(task, step int) bool {
		switch {
		case task > 1:
		case step == 4:
			reading++
			lost = lost || reading == 2
		case step == 5:
			reading--
		}
		return lost
	}, func() { reading, lost = 0, false }, 10, 10, 20, 20)
}

// lostEvent: a lists and watches, b writes, c compacts, in the order list,
// write, compact, watch, while d makes noise.
func lostEvent() explore.Subject {
	at := 0
	return NewTasks(func(task, step int) bool {
		order := [4][2]int{{0, 0}, {1, 3}, {2, 3}, {0, 1}}
		if at < 4 && order[at] == [2]int{task, step} {
			at++
			return at == 4
		}
		return false
	}, func() { at = 0 }, 2, 4, 4, 20)
}

// starvation: b takes forty steps between the first and the second of a.
func starvation() explore.Subject {
	began, steps := false, 0
	return NewTasks(func(task, _ int) bool {
		switch {
		case task == 1 && began:
			steps++
		case task == 0 && !began:
			began = true
		case task == 0:
			return steps >= 40
		}
		return false
	}, func() { began, steps = false, 0 }, 2, 60)
}

// twoWindows: b hits a's window, and d hits c's.
func twoWindows() explore.Subject {
	var open, hits [2]bool
	return NewTasks(func(task, step int) bool {
		w := task / 2
		switch {
		case task%2 == 0:
			open[w] = step == 4
		case step == 4 && open[w]:
			hits[w] = true
		}
		return hits[0] && hits[1]
	}, func() { open, hits = [2]bool{}, [2]bool{} }, 10, 10, 10, 10)
}
