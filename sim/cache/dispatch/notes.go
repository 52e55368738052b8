package dispatch

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
)

// registered: a watch begins, with the state at a resourceVersion or with the
// events after it.
type registered struct {
	of        sim.NodeID
	at        int64
	withState bool
	// oldest is from where on the history has all events, if the watch begins before
	// that; 0 if it does not.
	oldest int64
	// restarted: the cache has started over since the watch was asked for.
	restarted bool
}

// Text implements sim.Note.
func (n registered) Text(w *sim.World) string {
	begin := " with the events after resourceVersion "
	if n.withState {
		begin = " with the objects at resourceVersion "
	}
	text := "begins the watch of " + w.NodeName(n.of) + begin + number(n.at)
	if n.oldest != 0 {
		text += ", of which its history has only those after " + number(n.oldest)
	}
	if n.restarted {
		text += ", although it has started over since the watch was asked for"
	}
	return text
}

// SetsBack implements sim.Setback.
func (n registered) SetsBack() bool { return n.oldest != 0 || n.restarted }

// establishedEarly: a client is told that its watch is established, and the beginning of the
// watch is not fixed yet.
type establishedEarly struct{ of sim.NodeID }

// Text implements sim.Note.
func (n establishedEarly) Text(w *sim.World) string {
	return "tells " + w.NodeName(n.of) + " that its watch is established, before the beginning of the watch is fixed"
}

// SetsBack implements sim.Setback.
func (n establishedEarly) SetsBack() bool { return true }

// delegated: etcd serves a watch, and the cache passes on what comes.
type delegated struct{ of sim.NodeID }

// Text implements sim.Note.
func (n delegated) Text(w *sim.World) string {
	return "passes the watch of " + w.NodeName(n.of) + " on to etcd"
}

// untriggered: a watch is not given an event that concerns what it selects.
type untriggered struct {
	of       sim.NodeID
	revision int64
}

// Text implements sim.Note.
func (n untriggered) Text(w *sim.World) string {
	return "does not give the watch of " + w.NodeName(n.of) + " the event of revision " + number(n.revision) + ": the object has another value of the field now"
}

// About implements sim.Subject.
func (n untriggered) About() sim.About { return sim.About{Revision: n.revision} }

// SetsBack implements sim.Setback.
func (n untriggered) SetsBack() bool { return true }

// endFound: the bookmark timer has found the end of a watcher's initial events.
type endFound struct {
	to            sim.NodeID
	bookmarkAfter int64
}

// Text implements sim.Note.
func (n endFound) Text(w *sim.World) string {
	return "the bookmark timer finds that resourceVersion " + number(n.bookmarkAfter) + " was dispatched, for which " + w.NodeName(n.to) + " waits"
}

// initialEventsSent: a client has been sent the end of its initial events.
type initialEventsSent struct {
	to                sim.NodeID
	at, bookmarkAfter int64
}

// Text implements sim.Note.
func (n initialEventsSent) Text(w *sim.World) string {
	return "has sent " + w.NodeName(n.to) + " all initial events up to resourceVersion " + number(n.at) + "; it wanted " + number(n.bookmarkAfter) + " or later"
}

// terminated: a watch ends because its client does not keep up.
type terminated struct{ to sim.NodeID }

// Text implements sim.Note.
func (n terminated) Text(w *sim.World) string {
	return "ends the watch of " + w.NodeName(n.to) + ", which does not keep up"
}

// tornDown: the cache is too far behind for a client, which is to connect to another
// API server.
type tornDown struct {
	to           sim.NodeID
	at, required int64
}

// Text implements sim.Note.
func (n tornDown) Text(w *sim.World) string {
	return "is at resourceVersion " + number(n.at) + ", too far from " + number(n.required) + ", and tears down the connection of " +
		w.NodeName(n.to) + " for it to connect to another API server"
}

// SetsBack implements sim.Setback.
func (n tornDown) SetsBack() bool { return true }

func number(n int64) string { return strconv.FormatInt(n, 10) }

// waits: the dispatcher waits for a watcher without room, and so do all others.
type waits struct {
	of       sim.NodeID
	revision int64
	timeout  sim.Duration
}

// Text implements sim.Note.
func (n waits) Text(w *sim.World) string {
	text := "has no room for the event of revision " + number(n.revision) + " in the channel of " + w.NodeName(n.of) + ", and dispatches nothing more to any watch until there is"
	if w.Mode() == sim.Timed {
		text += ", for at most " + n.timeout.String()
	}
	return text
}

// SetsBack implements sim.Setback.
func (n waits) SetsBack() bool { return true }

// missed: a watcher has no room for an event, and is to be sent it later.
type missed struct {
	of       sim.NodeID
	revision int64
}

// Text implements sim.Note.
func (n missed) Text(w *sim.World) string {
	return "has no room for the event of revision " + number(n.revision) + " in the channel of " + w.NodeName(n.of) + ", and goes on"
}

// About implements sim.Subject.
func (n missed) About() sim.About { return sim.About{Revision: n.revision} }

// replays: a watcher is sent what it missed.
type replays struct {
	to    sim.NodeID
	after int64
}

// Text implements sim.Note.
func (n replays) Text(w *sim.World) string {
	return "begins to send " + w.NodeName(n.to) + " the events of its history after revision " + number(n.after)
}

// overtook: the history has lost what a watch was to be sent, and the watch ends without a word.
type overtook struct{ of sim.NodeID }

// Text implements sim.Note.
func (n overtook) Text(w *sim.World) string {
	return "ends the watch of " + w.NodeName(n.of) + " without an error: its history has lost what it was sending"
}

// expired: the history has lost what a watcher missed.
type expired struct{ of sim.NodeID }

// Text implements sim.Note.
func (n expired) Text(w *sim.World) string {
	return "ends the watch of " + w.NodeName(n.of) + " with a 410: its history does not reach back far enough"
}

// left: a watcher stays whose client has gone.
type left struct{ of sim.NodeID }

// Text implements sim.Note.
func (n left) Text(w *sim.World) string {
	return "does not end the watcher of " + w.NodeName(n.of) + ", which has left: it is to be drained, and no client reads its channel"
}

// SetsBack implements sim.Setback.
func (n left) SetsBack() bool { return true }

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

// SetsBack implements sim.Setback.
func (n endByTimerExpected) SetsBack() bool { return true }

// stranded: a watch stays open whose cache is replaced.
type stranded struct{ client sim.NodeID }

// SetsBack implements sim.Setback.
func (n stranded) SetsBack() bool { return true }

// Text implements sim.Note.
func (n stranded) Text(w *sim.World) string {
	return "is replaced by a new cache, and leaves the watch of " + w.NodeName(n.client) + " open"
}
