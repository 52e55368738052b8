package variant

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/wire"
)

// BufferInject is KEP-3157's third option, to the letter and in a way that keeps
// what a client is promised.
var (
	BufferInject = dispatch.Buffers.Register("inject",
		"events are sent between the initial ones, to the letter of the third option: an initial event may follow a newer one of the same object", inject{})
	BufferInjectMerged = dispatch.Buffers.Register("inject-merged",
		"an event replaces the initial event of its object if that was not sent yet, and is sent otherwise", inject{merge: true})
)

// inject sends events between the initial ones. With merge an event takes the
// place of the initial event of its object, if that was not sent yet.
type inject struct {
	dispatch.AsShipped
	merge bool
}

// Injects implements dispatch.Buffering.
func (inject) Injects() bool { return true }

// Between implements dispatch.Buffering.
func (b inject) Between(env *sim.Env, w *dispatch.Watcher) *wire.WatchEvent {
	for w.InputLen(env) > 0 && !w.Input()[0].Bookmark {
		e := w.TakeInput(env)
		if !w.AdvanceInitial(env, e.ResourceVersion) {
			continue
		}
		if b.merge && w.Concerns(e.ForWatchers) && w.MergeInitial(e.ForWatchers) {
			env.Cover(eventMerged)
		} else if sent := w.Convert(e.ForWatchers); sent != nil {
			env.Cover(eventInjected)
			if env.Noting() {
				env.Note(injected{w.From(), sent})
			}
			return sent
		}
	}
	return nil
}

// injected: an event is sent before initial events.
type injected struct {
	to    sim.NodeID
	event *wire.WatchEvent
}

// Text implements sim.Note.
func (n injected) Text(w *sim.World) string {
	return "sends " + n.event.Label() + " before the initial events that " + w.NodeName(n.to) + " has not been sent yet"
}

// About implements sim.Subject.
func (n injected) About() sim.About {
	return sim.About{Revision: n.event.ResourceVersion, Key: n.event.Item.Key}
}

var (
	eventInjected = sim.NewSituation("cache: event sent between initial events")
	eventMerged   = sim.NewSituation("cache: event takes the place of an initial event")
)
