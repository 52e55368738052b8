package ample

import (
	"encoding/binary"

	"github.com/watchbed/watchbed/sim"
)

// Chooser chooses, for one worker, steps out of a state that stand for all.
type Chooser struct {
	threads *Threads
	// conflicts, wakings and choices are what was found out with this version of the threads. choices are by what was said
	// of a state.
	version   int
	conflicts map[step]set
	wakings   map[lack]set
	choices   map[string]choice
	said      []byte

	// offered are the steps out of the state, unknown whether a thread among them was never seen before.
	offered []offered
	unknown bool
	// here are the threads that have a step, ends those of which one ends the run, several those that may get more
	// before it is taken.
	here, ends, several set
	// life is which threads may have a step sooner or later.
	life life
}

// offered is a step that can be taken, with one combination of answers.
type offered struct {
	thread int
	did    step
}

type choice struct {
	threads set
	// some: they are not all that have a step.
	some bool
}

// NewChooser returns one for a worker.
func NewChooser(t *Threads) *Chooser {
	return &Chooser{threads: t, version: -1, conflicts: map[step]set{}, wakings: map[lack]set{}, choices: map[string]choice{}}
}

// Begin goes on to another state.
func (c *Chooser) Begin() {
	c.offered, c.unknown, c.here, c.ends, c.several, c.life = c.offered[:0], false, set{}, set{}, set{}, life{}
	if c.version != c.threads.version {
		c.version = c.threads.version
		clear(c.conflicts)
		clear(c.wakings)
		clear(c.choices)
	}
}

// Offer says of a step out of the state what it touches, whether judges see it, and whether it ends the run.
// several is whether the thread may get another step before this one is taken (sim.Parts.Thread).
func (c *Chooser) Offer(to *Seen, thread sim.Cell, several bool, touched uint32, seen, ends bool) {
	did := step{touched, seen}
	n, known := c.threads.numbers[thread]
	if !known || !c.threads.hasDone(n, did) {
		to.note(met{thread, did})
	}
	if !known {
		c.unknown = true
		return
	}
	c.offered = append(c.offered, offered{n, did})
	c.here.add(n)
	if ends {
		c.ends.add(n)
	}
	if several {
		c.several.add(n)
	}
}

// Lane says that a thread hands over messages on a connection that there is, and whether it is kept from that.
func (c *Chooser) Lane(to *Seen, thread sim.Cell, held bool) {
	n, known := c.threads.numbers[thread]
	switch {
	case !known:
		// Nothing is known yet of what it lacks.
		c.unknown = true
		to.note(met{thread, noStep})
	case held:
		c.life.held.add(n)
	default:
		c.life.waits.add(n)
	}
}

// Spent says that the bounds leave a thread no step.
func (c *Chooser) Spent(thread sim.Cell) {
	if n, known := c.threads.numbers[thread]; known {
		c.life.spent.add(n)
	}
}

// Choose chooses threads whose steps stand for all. ok is false if all are to be taken. It is a set with the fewest steps,
// and of those the one with the first step in it.
func (c *Chooser) Choose(to *Seen) (threads Chosen, ok bool) {
	if c.unknown || c.threads.tooMany || len(c.offered) < 2 {
		return Chosen{}, false
	}
	c.say()
	x, known := c.choices[string(c.said)]
	if !known {
		x = c.fewest()
		if x.some {
			c.rely(to, &x.threads)
		}
		c.choices[string(c.said)] = x
	}
	return Chosen{x.threads}, x.some
}

// say puts down all that was said of the state.
func (c *Chooser) say() {
	b := c.said[:0]
	for _, s := range [...]*set{&c.ends, &c.several, &c.life.waits, &c.life.held, &c.life.spent} {
		for _, word := range s {
			b = binary.LittleEndian.AppendUint64(b, word)
		}
	}
	for _, x := range c.offered {
		b = binary.LittleEndian.AppendUint32(b, x.did.touched)
		b = append(b, byte(x.thread), truth(x.did.seen))
	}
	c.said = b
}

func (c *Chooser) fewest() (x choice) {
	c.life.alive = c.here
	for c.threads.grow(&c.life) {
	}
	fewest := len(c.offered)
	var tried set
	for i := range c.offered {
		first := c.offered[i].thread
		if tried.has(first) {
			continue
		}
		tried.add(first)
		if closed, fits := c.closure(first); fits && c.count(&closed) < fewest {
			fewest, x = c.count(&closed), choice{closed, true}
		}
	}
	return x
}

// Chosen are the threads whose steps stand for all.
type Chosen struct{ threads set }

// Has reports whether the steps of a thread are to be taken. It must have been offered.
func (c *Chooser) Has(x Chosen, thread sim.Cell) bool {
	return x.threads.has(c.threads.numbers[thread])
}

// closure is the least set that a thread is in and that stands for all: it has those that conflict with what its
// own can do here, and of one that can do nothing those that may give it something to do. It does not fit if one of its
// steps ends the run.
func (c *Chooser) closure(thread int) (closed set, fits bool) {
	var open set
	open.add(thread)
	for n := thread; n >= 0; n = open.next(0) {
		closed.add(n)
		if c.ends.has(n) {
			return closed, false
		}
		for i := range c.offered {
			if c.offered[i].thread == n {
				more := c.conflicting(c.offered[i].did)
				open.addAll(&more)
			}
		}
		if !c.here.has(n) || c.several.has(n) {
			more := c.waking(c.life.lack(n))
			open.addAll(&more)
		}
		open.keep(&c.life.alive)
		open = open.without(&closed)
	}
	return closed, true
}

func (c *Chooser) conflicting(s step) set {
	known, ok := c.conflicts[s]
	if !ok {
		known = c.threads.conflicting(s)
		c.conflicts[s] = known
	}
	return known
}

func (c *Chooser) waking(x lack) set {
	known, ok := c.wakings[x]
	if !ok {
		known = c.threads.waking(x)
		c.wakings[x] = known
	}
	return known
}

func (c *Chooser) count(threads *set) int {
	n := 0
	for i := range c.offered {
		if threads.has(c.offered[i].thread) {
			n++
		}
	}
	return n
}

// rely notes what was taken for granted of all other threads that are alive, and that no more come to life.
func (c *Chooser) rely(to *Seen, threads *set) {
	to.lives[c.life] = true
	others := c.life.alive.without(threads)
	for i := range c.offered {
		if x := &c.offered[i]; threads.has(x.thread) {
			addTo(to.relied, x.did, &others)
		}
	}
	for n := threads.next(0); n >= 0; n = threads.next(n + 1) {
		if !c.here.has(n) || c.several.has(n) {
			addTo(to.reliedAwake, c.life.lack(n), &others)
		}
	}
}
