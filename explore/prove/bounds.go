package prove

import (
	"cmp"
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/internal/intern"
	"github.com/watchbed/watchbed/sim"
)

// Bounds say what is searched. What they leave out is in Result.Cut.
type Bounds struct {
	// TimerBound is how often each timer of a node may fire that fires again and again
	// (Subject.Endless). If the subject has a Liveness, only firings before all messages have
	// arrived and all loops wait are counted, and those of deadlines: time that passes
	// otherwise must not be what keeps the liveness property open.
	TimerBound int
	// Depth is the number of steps of the longest schedule that is looked at, 0 for no
	// bound.
	Depth int
	// Answers is up to how many answers to one question are looked at, 0 for all: the first, the
	// last, and others evenly between. Result.Spread has the questions that have more.
	Answers int
}

// maxFree is how many firings that no bound counts a shortest schedule to a state may have. They
// are at rest, and each leads to a state that was not there before: after so many it is taken
// that something counts them, and that only a bound on the depth ends the search.
const maxFree = 200

// maxInstant is the same for the steps of a timed run between which no time passes.
const maxInstant = 1_000

// isFree reports whether an action fires a timer that can fire without end, if no bound counts
// it. In a timed run time passes with the firings, so that none needs a bound.
func (w *worker) isFree(a sim.Action) bool {
	return a.Kind == sim.Fire && !w.starts && w.subject.Endless(a.Node)
}

// counted is the timer that such an action fires at the place that was entered, if a bound counts it.
func (w *worker) counted(a sim.Action) (timer, bool) {
	if !w.isFree(a) || w.liveness != nil && !w.world().IsDeadline(a) && explore.IsAtRest(w.world()) {
		return timer{}, false
	}
	return timer{a.Node, sim.Timer(a.Number)}, true
}

// timer is one timer of one node.
type timer struct {
	node   sim.NodeID
	number sim.Timer
}

func compareTimers(a, b timer) int {
	return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.number, b.number))
}

// firings is how often timers have fired on the way to a state, in the order of the timers.
// It is never changed: states share it.
type firings []fired

type fired struct {
	timer timer
	times int
}

func (f firings) find(t timer) (int, bool) {
	return slices.BinarySearchFunc(f, t, func(x fired, t timer) int { return compareTimers(x.timer, t) })
}

func (f firings) of(t timer) int {
	if i, found := f.find(t); found {
		return f[i].times
	}
	return 0
}

// and is what has fired after one firing more.
func (f firings) and(t timer) firings {
	i, found := f.find(t)
	next := slices.Clone(f)
	if !found {
		return slices.Insert(next, i, fired{t, 1})
	}
	next[i].times++
	return next
}

// firedSets are what has fired on the way to states, each once; number 0 is nothing.
type firedSets struct {
	sets intern.List[firings]
	// timers are numbered. next has, by a set with a timer, the set with one firing more.
	timers intern.Pairs
	next   intern.Table[uint32]
}

// after is the number of a set with one firing more, 0 if it is not known.
func (f *firedSets) after(set uint32, t timer) uint32 {
	if i := f.next.Find(set+1, f.timers.Find(uint32(t.node), uint32(t.number))); i != 0 {
		return *f.next.At(i)
	}
	return 0
}

// and is the number of a set with one firing more, a new one if it is not known.
func (f *firedSets) and(set uint32, t timer) uint32 {
	if next := f.after(set, t); next != 0 {
		return next
	}
	more, number := f.sets.At(set).and(t), uint32(0)
	for number < uint32(f.sets.Len()) && !slices.Equal(more, *f.sets.At(number)) {
		number++
	}
	if number == uint32(f.sets.Len()) {
		f.sets.Add(more)
	}
	// A reader that sees the pair sees the set.
	timer := f.timers.Number(uint32(t.node), uint32(t.number))
	f.next.Add(set+1, timer, number)
	return number
}

func (f firings) digest(d sim.Digest) sim.Digest {
	for _, x := range f {
		d = d.Int(int64(x.timer.node)).Int(int64(x.timer.number)).Int(int64(x.times))
	}
	return d
}
