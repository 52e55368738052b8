package v3rpc

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/mvcc"
	"github.com/watchbed/watchbed/sim/wire"
)

// What the streams note while a run is observed. The algorithm says what
// happened; the sentences are here.

// sent: sendLoop hands a response to gRPC.
type sent struct {
	stream   mvcc.StreamName
	response *wire.WatchResponse
}

// overtook: sendLoop hands a response from ctrlStream to gRPC, while something else waits
// in the watch channel.
type overtook struct {
	sent
	overtaken held
}

// held is the first thing in a watch channel that another response can overtake.
type held struct {
	events mvcc.Revisions
	// progress is the revision of a notification for all watches, 0 if there is
	// none.
	progress int64
}

func firstHeld(queued []*mvcc.WatchResponse) held {
	for _, r := range queued {
		switch {
		case len(r.Events) > 0:
			return held{events: mvcc.RevisionsOf(r.Events)}
		case r.ID == wire.InvalidWatchID:
			return held{progress: r.Revision}
		}
	}
	return held{}
}

func (h held) String() string {
	if h.events != (mvcc.Revisions{}) {
		return h.events.String()
	}
	return "progress " + number(h.progress) + " for all watches"
}

// noteSent notes a response, and what it overtakes if it did not come through the
// watch channel.
func (sws *ServerWatchStream) noteSent(env *sim.Env, r *wire.WatchResponse) {
	if !env.Noting() {
		return
	}
	waits := firstHeld(sws.watch.Chan.All())
	// A refusal comes through ctrlStream always.
	inOrder := !r.Canceled && sws.server.opts.CreatedInOrder
	if r.Created && (waits == (held{}) || inOrder) {
		// It is no news that a watch that was asked for is created.
		return
	}
	if sws.send.fromWatchStream || len(r.Events) > 0 {
		waits = held{}
	}
	n := sent{sws.watch.Name, r}
	if waits == (held{}) {
		env.Note(n)
		return
	}
	env.Note(overtook{n, waits})
}

// Text implements sim.Note.
func (n sent) Text(*sim.World) string {
	return "sendLoop sends " + n.what() + " to " + n.stream.String()
}

// Text implements sim.Note.
func (n overtook) Text(*sim.World) string {
	return "sendLoop takes from ctrlStream, while " + n.overtaken.String() + " still waits in the watch channel: " +
		n.what() + " is sent to " + n.stream.String() + " first"
}

func (n sent) what() string {
	if n.response.Created {
		return "the Created response (revision " + number(n.response.Revision) + ")"
	}
	return n.response.Label()
}

// About implements sim.Subject.
func (n sent) About() sim.About {
	if len(n.response.Events) > 0 {
		return mvcc.RevisionsOf(n.response.Events).AboutFor(n.stream)
	}
	return sim.About{Revision: n.response.Revision, Client: n.stream.Client}
}

// progressAnswered: recvLoop put the answer to a progress request into ctrlStream.
type progressAnswered struct {
	stream   mvcc.StreamName
	revision int64
	// missing is the first revision that an unsynced watcher of the stream still
	// wants to be sent, 0 if there is none.
	missing int64
}

// Text implements sim.Note.
func (n progressAnswered) Text(*sim.World) string {
	text := progressRequestOf(n.stream) + " is answered by recvLoop itself: progress " + number(n.revision) + " goes into ctrlStream"
	if n.missing != 0 {
		text += ", although a watcher is not synced: it wants to be sent what happened from revision " + number(n.missing) + " on"
	}
	return text
}

// About implements sim.Subject.
func (n progressAnswered) About() sim.About {
	return sim.About{Revision: n.revision, Client: n.stream.Client}
}

// progressRefused: recvLoop did not send the progress that was requested.
type progressRefused struct {
	stream  mvcc.StreamName
	outcome refusedProgress
	// watched is what the watcher watches that is in the way, empty if none is now.
	watched string
}

// About implements sim.Subject.
func (n progressRefused) About() sim.About { return sim.About{Client: n.stream.Client} }

// SetsBack implements sim.Setback.
func (n progressRefused) SetsBack() bool { return true }

type refusedProgress uint8

const (
	progressIsDropped refusedProgress = iota
	progressIsDeferred
	progressIsIgnored
	progressIsUnknown
)

// Text implements sim.Note.
func (n progressRefused) Text(*sim.World) string {
	return progressRequestOf(n.stream) + [...]string{
		progressIsDropped:  " meets the watcher of " + n.watched + ", which is not ready for it, and is dropped",
		progressIsDeferred: " meets the watcher of " + n.watched + ", which is not synced, and is deferred until sendLoop has sent something from the watch channel",
		progressIsIgnored:  " is ignored: an earlier one is still deferred",
		progressIsUnknown:  " is of a kind that this release does not know: recvLoop goes on with the next request",
	}[n.outcome]
}

func progressRequestOf(stream mvcc.StreamName) string {
	return "the progress request of " + stream.String()
}

// optionsUnknown: sendLoop takes events of a watch before recvLoop has stored what the
// client asked for beside them.
type optionsUnknown struct {
	stream mvcc.StreamName
	events mvcc.Revisions
}

// Text implements sim.Note.
func (n optionsUnknown) Text(*sim.World) string {
	return "sendLoop takes " + n.events.String() + " for " + n.stream.String() +
		" before recvLoop has stored the options of the watch: it adds no previous values"
}

// About implements sim.Subject.
func (n optionsUnknown) About() sim.About { return n.events.AboutFor(n.stream) }

// SetsBack implements sim.Setback.
func (n optionsUnknown) SetsBack() bool { return true }

// streamEnded: the server ends a stream, with an error or in order.
type streamEnded struct{ err *wire.Error }

// Text implements sim.Note.
func (n streamEnded) Text(*sim.World) string {
	if n.err == nil {
		return "ends a watch stream in order"
	}
	return "ends a watch stream with the error \"" + n.err.Message + "\""
}

// refusedAs: a create request is refused with the id of a watch that there may be.
type refusedAs struct{ id int64 }

// Text implements sim.Note.
func (n refusedAs) Text(*sim.World) string {
	return "refuses a watch, and calls it watch " + number(n.id) + " in the answer"
}

// SetsBack implements sim.Setback.
func (n refusedAs) SetsBack() bool { return true }

// clogs: nothing gets through to watchers, or something does again.
type clogs struct {
	ended bool
}

// Text implements sim.Note.
func (n clogs) Text(*sim.World) string {
	if n.ended {
		return "gets through to its watchers again"
	}
	return "does not get through to its watchers any more"
}

func number(n int64) string { return strconv.FormatInt(n, 10) }
