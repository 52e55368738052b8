package dispatch

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// inject sends events between the initial ones. To the letter of the KEP an
// initial event may then come after a newer one of the same object; with merge an
// event takes the place of the initial event of its object, if that was not sent
// yet.
type inject struct {
	AsShipped
	merge bool
}

// Injects implements Buffering.
func (inject) Injects() bool { return true }

// Between implements Buffering.
func (b inject) Between(env *sim.Env, w *Watcher) *wire.WatchEvent {
	for w.InputLen(env) > 0 && !w.input.All()[0].Bookmark {
		e := w.TakeInput(env)
		if e.ResourceVersion <= w.floor {
			env.Cover(inputBelowFloor)
			continue
		}
		w.injected(env, e.ResourceVersion)
		switch {
		case !w.Wants(e.ForWatchers):
		case b.merge && w.interval.Merge(e.ForWatchers):
			env.Cover(eventMerged)
		default:
			env.Cover(eventInjected)
			if env.Noting() {
				env.Note(injected{w.from, e.ForWatchers})
			}
			return e.ForWatchers
		}
	}
	return nil
}

// injected: the watcher has got to a resourceVersion amid its initial events. The
// bookmark that ends them has to tell of what was sent before it.
func (w *Watcher) injected(env *sim.Env, resourceVersion int64) {
	env.WritesItem(cellInitial, w.number, resourceVersion)
	w.floor = resourceVersion
	env.LooksAt(cellEnd, w.number)
	if w.intervalEnd != 0 {
		env.Writes(cellEnd, w.number)
		w.intervalEnd = max(w.intervalEnd, resourceVersion)
	}
}
