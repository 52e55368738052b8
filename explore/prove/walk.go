package prove

import (
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
)

// Walk takes single schedules of a subject within the bounds of a search, and counts the
// states that it comes to as the search counts them. A sample of schedules is so compared
// with all of them.
type Walk struct {
	worker *worker
	// offered are those of the enabled actions that the bounds leave, places where each stands
	// among all.
	offered []sim.Action
	places  []int
}

// NewWalk returns a walk that has seen no state yet.
func NewWalk(s Subject, b Bounds) *Walk {
	form := formOf(&Config{})
	return &Walk{worker: newWorker(s, b, newTree(form), newVisited(form), 0)}
}

// States is how many states all schedules so far have come to, each counted once.
func (w *Walk) States() int { return w.worker.visited.count }

// Take takes one schedule more, which c picks. A timer that has fired as often as the bounds
// say is not offered. Each question before the first pick has its first answer, as in a
// search. ended is false if only the bounds, or nothing more to do, ended the schedule, or if
// it came to explore.DefaultSteps. The error names what cannot be searched.
func (w *Walk) Take(c sim.Chooser) (ended bool, err error) {
	s := w.worker.subject
	at := place{world: w.worker.path[0].world}
	explore.Begin(s, at.world, &Path{})
	for range explore.DefaultSteps {
		k, err := w.worker.key(&at)
		if err != nil {
			return false, err
		}
		w.worker.visited.add(k)
		if s.Over(at.world) {
			return true, nil
		}
		enabled := at.world.Enabled()
		if w.offer(&at, enabled); len(w.offered) == 0 {
			return false, nil
		}
		a := enabled[w.places[c.Pick(at.world, w.offered)]]
		if t, counted := w.worker.counted(at.world, a); counted {
			at.firings = at.firings.and(t)
		}
		at.world.Do(c, a)
		at.pastKnown = false
	}
	return false, nil
}

func (w *Walk) offer(at *place, enabled []sim.Action) {
	w.offered, w.places = w.offered[:0], w.places[:0]
	for i, a := range enabled {
		if t, counted := w.worker.counted(at.world, a); counted && at.firings.of(t) >= w.worker.bounds.Firings {
			continue
		}
		w.offered, w.places = append(w.offered, a), append(w.places, i)
	}
}
