package variant

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
)

// EndByTimer sends at once what the cache holds, and the bookmark when the bookmark
// timer finds that the dispatcher is far enough (KEP-3157, steps 2a to 2c). No watch
// waits for the cache meanwhile, so etcd is not asked for progress
// (kubernetes/kubernetes#122805).
var EndByTimer = dispatch.InitialEventsEnds.Register("timer",
	"the cache sends at once what it has; the bookmark timer finds the cache fresh enough later (KEP-3157, steps 2a to 2c). No progress is requested meanwhile", endByTimer{})

type endByTimer struct{}

// Begin implements dispatch.End.
func (endByTimer) Begin(w *dispatch.Watcher) dispatch.Beginning { return w.Buffering().Begin(w) }

// Expect implements dispatch.End.
func (endByTimer) Expect(env *sim.Env, w *dispatch.Watcher, _, bookmarkAfter int64) {
	if env.Noting() {
		env.Note(endByTimerExpected{w.From(), bookmarkAfter})
	}
}

// endByTimerExpected: the bookmark timer will find the end of a client's initial
// events.
type endByTimerExpected struct {
	to            sim.NodeID
	bookmarkAfter int64
}

// Text implements sim.Note.
func (n endByTimerExpected) Text(w *sim.World) string {
	return "will end the initial events of " + w.NodeName(n.to) + " when the bookmark timer finds that resourceVersion " +
		number(n.bookmarkAfter) + " was dispatched, and has etcd asked for no progress"
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// SetsBack implements sim.Setback.
func (n endByTimerExpected) SetsBack() bool { return true }
