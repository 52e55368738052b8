package main

import (
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/sim"
)

// walk takes single schedules of a subject without a goal within the bounds of a search, and counts the states that it
// comes to as the search counts them. A sample of schedules is so compared with all of them.
type walk struct {
	subject prove.Subject
	firings int
	world   *sim.World
	states  map[sim.Digest]struct{}
}

func newWalk(s prove.Subject, firings int) *walk {
	w := &walk{s, firings, sim.NewWorld(s.Options()), map[sim.Digest]struct{}{}}
	w.world.OmitNames()
	return w
}

// timer is one timer of one node.
type timer struct {
	node   sim.NodeID
	number sim.Timer
}

// take takes one schedule more, which c picks. A timer that has fired as often as the bounds say is not offered. Each
// question before the first pick has its first answer, as in a search. ended is false if only the bounds, or nothing
// more to do, ended the schedule, or if it came to explore.DefaultSteps. The error names what cannot be searched.
func (w *walk) take(c sim.Chooser) (ended bool, err error) {
	fired := map[timer]int{}
	explore.Begin(w.subject, w.world, &prove.Path{})
	memory := w.subject.Remembered(w.world)
	for range explore.DefaultSteps {
		w.subject.Adopt(w.world)
		w.subject.Recall(memory)
		state, err := w.world.Behaviour()
		if err != nil {
			return false, err
		}
		state = state.Fold(w.subject.Monitors(sim.NewDigest))
		var times sim.Digest
		for t, n := range fired {
			times = times.And(sim.NewDigest.Int(int64(t.node)).Int(int64(t.number)).Int(int64(n)))
		}
		w.states[state.Fold(times)] = struct{}{}
		if w.subject.Over(w.world) {
			return true, nil
		}
		offered := slices.DeleteFunc(slices.Clone(w.world.Enabled()), func(a sim.Action) bool {
			return w.counts(a) && fired[timer{a.Node, w.world.TimerOf(a)}] == w.firings
		})
		if len(offered) == 0 {
			return false, nil
		}
		a := offered[c.Pick(w.world, offered)]
		if w.counts(a) {
			fired[timer{a.Node, w.world.TimerOf(a)}]++
		}
		w.world.Do(c, a)
		w.subject.Adopt(w.world)
		memory = w.subject.Remember(memory, w.world, a)
	}
	return false, nil
}

// counts reports whether an action fires a timer that only the bounds keep from firing without end.
func (w *walk) counts(a sim.Action) bool { return a.Kind == sim.Fire && w.subject.Endless(a.Node) }
