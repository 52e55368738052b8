package ample

import "github.com/watchbed/watchbed/sim"

// Threads are what a search has seen so far of the threads of its subject: what each has ever touched, and on which
// of them not to touch what it has relied. Workers read it while a batch of states is expanded; what they have seen
// meanwhile is added behind it.
type Threads struct {
	Touched *Touched
	numbers map[sim.Cell]int
	// names are the threads by their numbers.
	names []sim.Cell
	users map[sim.Cell]users
	// did are, by step, the threads that have taken it.
	did map[step]set
	reliance
	// version changes when users does.
	version int
	// tooMany: there are more threads than a set has room for.
	tooMany bool
}

// users are the threads that have read a cell, and those that have written it.
type users struct{ read, wrote set }

// step is what a step touches, by its number, and whether judges see it.
type step struct {
	touched uint32
	seen    bool
}

// noStep is what a thread has done that was only seen to be there.
var noStep = step{touched: 1<<32 - 1}

// life is which threads have a step or may be given one, what those that hand over messages may lack, and which
// threads have taken as many steps as the bounds let them.
type life struct{ alive, waits, held, spent set }

// lack is what a thread lacks that has no step: if it hands over messages, a connection, and besides a message on one
// that there is, or that one is held no longer.
type lack struct {
	thread     int
	sent, held bool
}

func (x *life) lack(thread int) lack { return lack{thread, x.waits.has(thread), x.held.has(thread)} }

// NewThreads returns what is known before any step was seen.
func NewThreads() *Threads {
	return &Threads{Touched: &Touched{}, numbers: map[sim.Cell]int{}, users: map[sim.Cell]users{}, did: map[step]set{}, reliance: newReliance()}
}

// Add adds what was seen while a batch of states was expanded. It reports whether what the search has relied on
// still holds. If not, the search must start over: what it relied on is forgotten, and what it has seen is not.
func (t *Threads) Add(seen *Seen) (holds bool) {
	t.addReliance(&seen.reliance)
	if len(seen.new) == 0 || t.tooMany {
		// With too many threads nothing is relied on: all steps are taken.
		return true
	}
	for _, x := range seen.new {
		t.add(x.thread, x.did)
	}
	t.version++
	if holds = t.holds(); !holds {
		t.reliance = newReliance()
	}
	return holds
}

func (t *Threads) hasDone(thread int, did step) bool {
	done := t.did[did]
	return done.has(thread)
}

// add notes that a thread has taken a step, or is there.
func (t *Threads) add(thread sim.Cell, did step) {
	n, known := t.numbers[thread]
	if !known {
		if n = len(t.names); n == maxThreads {
			t.tooMany = true
			return
		}
		t.numbers[thread] = n
		t.names = append(t.names, thread)
		t.use(n, use{Cell: thread, Write: true})
	}
	if did == noStep {
		return
	}
	var one set
	one.add(n)
	addTo(t.did, did, &one)
	t.eachUse(did, func(u use) { t.use(n, u) })
}

func (t *Threads) use(thread int, u use) {
	of := t.users[u.Cell]
	if u.Write {
		of.wrote.add(thread)
	} else {
		of.read.add(thread)
	}
	t.users[u.Cell] = of
}

func (t *Threads) eachUse(s step, f func(use)) {
	for _, u := range *t.Touched.uses.At(s.touched) {
		f(u)
	}
	if s.seen {
		f(use{Cell: sim.Cell{Kind: ofJudges}, Write: true})
	}
}

// conflicting are the threads that have ever touched what a step touches, and one of both wrote it.
func (t *Threads) conflicting(s step) (threads set) {
	t.eachUse(s, func(u use) {
		of := t.users[u.Cell]
		if threads.addAll(&of.wrote); u.Write {
			threads.addAll(&of.read)
		}
	})
	return threads
}

// waking are the threads that may give a thread something to do.
func (t *Threads) waking(x lack) (threads set) {
	opened, sent, released := sim.Wakes(t.names[x.thread])
	t.addUsers(&threads, opened)
	if x.sent {
		t.addUsers(&threads, sent)
	}
	if x.held {
		t.addUsers(&threads, released)
	}
	everything := t.users[sim.Cell{Kind: ofEverything}]
	threads.addAll(&everything.wrote)
	return threads
}

func (t *Threads) addUsers(threads *set, c sim.Cell) {
	of := t.users[c]
	threads.addAll(&of.read)
	threads.addAll(&of.wrote)
}

// grow adds the threads that those that are alive may give a step. It reports whether there are any.
func (t *Threads) grow(x *life) (grew bool) {
	for n := range t.names {
		if x.alive.has(n) || x.spent.has(n) {
			continue
		}
		if waking := t.waking(x.lack(n)); waking.meets(&x.alive) {
			x.alive.add(n)
			grew = true
		}
	}
	return grew
}

// holds reports whether no thread has done what it was taken never to do.
func (t *Threads) holds() bool {
	if t.tooMany {
		return false
	}
	for x := range t.lives {
		if t.grow(&x) {
			return false
		}
	}
	for s, others := range t.relied {
		if c := t.conflicting(s); c.meets(&others) {
			return false
		}
	}
	for x, others := range t.reliedAwake {
		if c := t.waking(x); c.meets(&others) {
			return false
		}
	}
	return true
}
