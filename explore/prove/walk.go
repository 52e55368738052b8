package prove

import (
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
)

// Walk takes single schedules of a subject within the bounds of a search, and counts the
// states that it comes to as the search counts them. A sample of schedules is so compared
// with all of them.
type Walk struct {
	subject Subject
	counter counter
	world   *sim.World
	visited *visited
	// offered are those of the enabled actions that the bounds leave, places where each stands
	// among all.
	offered []sim.Action
	places  []int
}

// NewWalk returns a walk that has seen no state yet.
func NewWalk(s Subject, b Bounds) *Walk {
	w := &Walk{subject: s, counter: newCounter(s, b), world: sim.NewWorld(s.Options()), visited: newVisited()}
	w.world.OmitNames()
	return w
}

// States is how many states all schedules so far have come to, each counted once.
func (w *Walk) States() int { return w.visited.count }

// Take takes one schedule more, which c picks. A timer that has fired as often as the bounds
// say is not offered. Each question before the first pick has its first answer, as in a
// search. ended is false if only the bounds, or nothing more to do, ended the schedule, or if
// it came to explore.DefaultSteps. The error names what cannot be searched.
func (w *Walk) Take(c sim.Chooser) (ended bool, err error) {
	var fired firings
	explore.Begin(w.subject, w.world, &Path{})
	remembers, memory := w.subject.Remembers(), any(nil)
	if remembers {
		memory = w.subject.Remembered(w.world)
	}
	for range explore.DefaultSteps {
		w.subject.Adopt(w.world)
		if remembers {
			w.subject.Recall(memory)
		}
		behaviour, err := w.world.Behaviour()
		if err != nil {
			return false, err
		}
		w.visited.add(keyOf(fired.digest(behaviour.Fold(w.subject.Past(sim.NewDigest)))))
		if w.subject.Over(w.world) {
			return true, nil
		}
		enabled := w.world.Enabled()
		if w.offer(fired, enabled); len(w.offered) == 0 {
			return false, nil
		}
		a := enabled[w.places[c.Pick(w.world, w.offered)]]
		if t, counted := w.counted(a); counted {
			fired = fired.and(t)
		}
		w.world.Do(c, a)
		if remembers {
			w.subject.Adopt(w.world)
			memory = w.subject.Remember(memory, w.world, a)
		}
	}
	return false, nil
}

func (w *Walk) counted(a sim.Action) (timer, bool) {
	if !w.counter.isFree(a) {
		return timer{}, false
	}
	return w.counter.counted(func() *sim.World { return w.world }, a, w.world.TimerOf(a))
}

func (w *Walk) offer(fired firings, enabled []sim.Action) {
	w.offered, w.places = w.offered[:0], w.places[:0]
	for i, a := range enabled {
		if t, counted := w.counted(a); counted && fired.of(t) >= w.counter.bounds.Firings {
			continue
		}
		w.offered, w.places = append(w.offered, a), append(w.places, i)
	}
}
