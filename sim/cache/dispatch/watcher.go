package dispatch

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/fifo"
	"github.com/watchbed/watchbed/sim/wire"
)

type watcherState uint8

const (
	watcherFree watcherState = iota
	// watcherStarting: the cache was ready when the request came; the watcher
	// is not registered yet.
	watcherStarting
	// watcherLeft: the client went while its watch waited for the cache to be
	// fresh. The wait goes on to its end.
	watcherLeft
	// watcherInitial: processInterval sends what happened before.
	watcherInitial
	// watcherStreaming: process sends what the dispatcher gives.
	watcherStreaming
	// watcherDelegated: etcd serves it, and the cache passes on what comes.
	watcherDelegated
	// watcherEnding: stopped while an event was being dispatched; it sends
	// nothing more, and its channel stays until that is over.
	watcherEnding
)

// Watcher is one client's watch: the goroutine processInterval with its two
// channels, input from the dispatcher and result to the client (upstream's
// cacheWatcher).
type Watcher struct {
	// What the dispatcher looks at for each event comes first, 64 bytes: with a
	// thousand watchers it is the memory that costs.

	// registered: the dispatcher gives it events.
	registered bool
	state      watcherState
	// endBookmark says how far the watcher is with the end of its initial events.
	endBookmark endBookmark
	// takesInput: a turn takes events from input, which some buffers do between
	// initial events as well.
	takesInput bool
	// capacity is how many events input holds.
	capacity int32
	input    fifo.Queue[store.Event]
	// inHand is an event that result has no room for.
	inHand *wire.WatchEvent
	task   sim.Task

	dispatcher *Dispatcher
	// number is the watcher's own in the dispatcher, to which its task and its
	// timer belong.
	number int
	timer  sim.Timer
	// draining: no more events come to input, and the watcher ends when it has
	// sent what is there.
	draining bool
	// expired: a 410 follows what is there, since the history has lost what comes then.
	expired bool
	// reopened: it was stopped, and drains all the same.
	reopened bool

	request *wire.WatchRequest
	conn    sim.Conn
	// upstream leads to the client library if etcd serves the watch.
	upstream sim.Conn
	from     sim.NodeID
	cause    sim.Cause
	prefix   string
	// triggered: it selects by the field of the resource's trigger, of which it requires
	// triggerValue.
	triggered    bool
	triggerValue string
	// generation of readiness in which the request came.
	generation int
	// began is when the request came, deadline when the API server ends the watch,
	// 0 for never.
	began, deadline sim.Time

	// required is the resourceVersion that the client has to be brought to:
	// the one that it gave, or etcd's when it came.
	required int64
	interval store.Interval
	// floor: only later events from input are sent.
	floor int64
	// The initial events end with a bookmark at bookmarkAfter or later. intervalEnd
	// is the resourceVersion of the one that follows the interval, 0 if none does.
	bookmarkAfter, intervalEnd int64
	// maxBuffered is the maximum of events that were in input before the end of the
	// initial events was sent.
	maxBuffered int
	// maxObjects is how many of them at most held an object that is in the store no
	// more, timed.
	maxObjects int

	// countsForBookmarks: it is one of the registry's bookmarkWatchers.
	countsForBookmarks bool
	// bookmarkAt is when the last bookmark was offered, bookmarkVersion the
	// resourceVersion of the last one that was not dropped.
	bookmarkAt      sim.Time
	bookmarkVersion int64
	// lacksBookmark: the last one was dropped.
	lacksBookmark bool
}

// isSending: its goroutine runs.
func (w *Watcher) isSending() bool {
	return w.state == watcherInitial || w.state == watcherStreaming
}

// Number is the watcher's own among those of its dispatcher.
func (w *Watcher) Number() int { return w.number }

// Request is what the client asked for.
func (w *Watcher) Request() *wire.WatchRequest { return w.request }

// Conn leads to the client, whose node From is.
func (w *Watcher) Conn() sim.Conn { return w.conn }

// From is the client.
func (w *Watcher) From() sim.NodeID { return w.from }

// String names the watcher's task and timer. A timer that was left behind has a name as well.
func (w *Watcher) String() string {
	if w.request == nil {
		return "watcher " + strconv.Itoa(w.number) + ": over"
	}
	return "watcher " + strconv.Itoa(w.number) + ": " + w.request.Label()
}
