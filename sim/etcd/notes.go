package etcd

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Each note is what the server tells of itself while a run is observed. The
// algorithm says what happened; the sentences are here.

// applied: the apply loop carried out an entry, and no watcher has been told.
type applied struct {
	request sim.Payload
	// made is the revision that the entry made, 0 if it made none; then current is
	// the revision that stays.
	made, current int64
	// compacted is the revision of a compaction, 0 for any other entry.
	compacted int64
}

// Text implements sim.Note.
func (n applied) Text(*sim.World) string {
	text := "applies " + n.request.Label()
	switch {
	case n.made != 0:
		return text + ": revision " + number(n.made)
	case n.compacted != 0:
		return text + ": what came before revision " + number(n.compacted) + " may go"
	default:
		return text + ": nothing changes, the revision stays " + number(n.current)
	}
}

// About implements sim.Subject.
func (n applied) About() sim.About {
	if n.made == 0 {
		return sim.About{}
	}
	return sim.About{Revision: n.made, Key: keyOf(n.request)}
}

// keyOf is the key that a request writes, that of its first operation if it is a
// transaction.
func keyOf(request sim.Payload) string {
	switch r := request.(type) {
	case *wire.PutRequest:
		return r.Key
	case *wire.DeleteRangeRequest:
		return r.Key
	case *wire.TxnRequest:
		for _, ops := range [2][]wire.RequestOp{r.Success, r.Failure} {
			for i := range ops {
				switch op := &ops[i]; {
				case op.Put != nil:
					return op.Put.Key
				case op.DeleteRange != nil:
					return op.DeleteRange.Key
				}
			}
		}
	}
	return ""
}

// tombstoneRemoved: a compaction removed the deletion at the revision that it
// compacts to, which a watch from there on should still be sent.
type tombstoneRemoved struct {
	revision int64
}

// Text implements sim.Note.
func (n tombstoneRemoved) Text(*sim.World) string {
	return "the compaction at revision " + number(n.revision) + " removes the deletion that is revision " + number(n.revision)
}

// About implements sim.Subject.
func (n tombstoneRemoved) About() sim.About { return sim.About{Revision: n.revision} }

// restored: the store was made anew from its backend.
type restored struct {
	// before is the revision that the store had reached.
	revision, before int64
}

// Text implements sim.Note.
func (n restored) Text(*sim.World) string {
	text := "restores its store at revision " + number(n.revision)
	if n.revision < n.before {
		text += ", although it had reached " + number(n.before)
	}
	return text
}

// About implements sim.Subject.
func (n restored) About() sim.About { return sim.About{Revision: n.revision} }

// registered: watchStream.Watch made a watcher.
type registered struct {
	stream   streamName
	startRev int64
	key      string
	unsynced bool
}

// Text implements sim.Note.
func (n registered) Text(*sim.World) string {
	text := "registers a watch of " + n.stream.String() + " from revision " + number(n.startRev)
	if n.unsynced {
		text += ": unsynced, it has history to catch up on"
	}
	return text
}

// About implements sim.Subject.
func (n registered) About() sim.About { return sim.About{Revision: n.startRev, Key: n.key} }

// becameVictim: the watch channel was full.
type becameVictim struct {
	stream streamName
	events revisions
}

// Text implements sim.Note.
func (n becameVictim) Text(*sim.World) string {
	return "the watch channel of " + n.stream.String() + " is full: its watcher becomes a victim, with " + n.events.String()
}

// About implements sim.Subject.
func (n becameVictim) About() sim.About { return n.events.about() }

// becameSynced: syncWatchers is done with a watcher.
type becameSynced struct {
	stream streamName
	// silent: there was no event to send; deferred: a progress request waits for
	// one.
	silent, deferred bool
}

// Text implements sim.Note.
func (n becameSynced) Text(*sim.World) string {
	switch {
	case !n.silent:
		return "syncWatchers: the watcher of " + n.stream.String() + " is synced now"
	case n.deferred:
		return "syncWatchers finds no event for the watcher of " + n.stream.String() +
			": it is synced now, but nothing goes into the watch channel, so nothing wakes the deferred progress request"
	default:
		return "syncWatchers finds no event for the watcher of " + n.stream.String() + ": it is synced now"
	}
}

// cancelledCompacted: syncWatchers cancelled a watcher below the compacted
// revision.
type cancelledCompacted struct {
	stream streamName
}

// Text implements sim.Note.
func (n cancelledCompacted) Text(*sim.World) string {
	return "syncWatchers cancels a watcher of " + n.stream.String() + " below the compacted revision"
}

// fellThrough: syncWatchers treats a watcher below the compacted revision as if
// its history was there.
type fellThrough struct {
	stream   streamName
	from, to int64
}

// Text implements sim.Note.
func (n fellThrough) Text(*sim.World) string {
	return "syncWatchers cannot cancel a watcher of " + n.stream.String() +
		" whose history is compacted, since the channel is full, and moves it from revision " + number(n.from) + " on to " + number(n.to)
}

// About implements sim.Subject.
func (n fellThrough) About() sim.About { return sim.About{Revision: n.from} }

// posted: a response with events, or progress, went into a watch channel.
type posted struct {
	stream streamName
	events revisions
	// progress is the revision of a response without events.
	progress int64
}

// Text implements sim.Note.
func (n posted) Text(*sim.World) string {
	return n.what() + " goes into the watch channel of " + n.stream.String()
}

func (n posted) what() string {
	if n.events != (revisions{}) {
		return n.events.String()
	}
	return "progress " + number(n.progress)
}

// About implements sim.Subject.
func (n posted) About() sim.About {
	if n.events != (revisions{}) {
		return n.events.about()
	}
	return sim.About{Revision: n.progress}
}

// sent: sendLoop hands a response to gRPC.
type sent struct {
	stream   streamName
	response *wire.WatchResponse
	// overtaken is what waits in the watch channel while this response comes from
	// ctrlStream.
	overtaken held
}

// held is the first thing in a watch channel that another response can overtake.
type held struct {
	events revisions
	// progress is the revision of a notification for all watches, 0 if there is
	// none.
	progress int64
}

// Text implements sim.Note.
func (n sent) Text(*sim.World) string {
	switch {
	case n.overtaken == (held{}):
		return "sendLoop sends " + n.response.Label() + " to " + n.stream.String()
	case n.overtaken.events != (revisions{}):
		return n.first(n.overtaken.events.String())
	default:
		return n.first("progress " + number(n.overtaken.progress) + " for all watches")
	}
}

func (n sent) first(waits string) string {
	return "sendLoop takes from ctrlStream, while " + waits + " still waits in the watch channel: " +
		n.response.Label() + " is sent to " + n.stream.String() + " first"
}

// About implements sim.Subject.
func (n sent) About() sim.About {
	if len(n.response.Events) > 0 {
		return revisionsOf(n.response.Events).about()
	}
	return sim.About{Revision: n.response.Revision}
}

// progressAnswered: recvLoop put the answer to a progress request into ctrlStream.
type progressAnswered struct {
	stream   streamName
	revision int64
	// unsynced: a watcher of the stream still wants to be sent what happened from
	// missing on.
	unsynced bool
	missing  int64
}

// Text implements sim.Note.
func (n progressAnswered) Text(*sim.World) string {
	text := progressRequestOf(n.stream) + " is answered by recvLoop itself: progress " + number(n.revision) + " goes into ctrlStream"
	if n.unsynced {
		text += ", although a watcher is not synced: it wants to be sent what happened from revision " + number(n.missing) + " on"
	}
	return text
}

// About implements sim.Subject.
func (n progressAnswered) About() sim.About { return sim.About{Revision: n.revision} }

// progressRefused: recvLoop did not send the progress that was requested.
type progressRefused struct {
	stream  streamName
	outcome refusedProgress
}

type refusedProgress uint8

const (
	progressIsDropped refusedProgress = iota
	progressIsDeferred
	progressIsIgnored
)

// Text implements sim.Note.
func (n progressRefused) Text(*sim.World) string {
	return progressRequestOf(n.stream) + [...]string{
		progressIsDropped:  " meets a watcher that is not ready for it, and is dropped",
		progressIsDeferred: " meets a watcher that is not synced, and is deferred until sendLoop has sent something from the watch channel",
		progressIsIgnored:  " is ignored: an earlier one is still deferred",
	}[n.outcome]
}

func progressRequestOf(stream streamName) string { return "the progress request of " + stream.String() }

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

// streamName is what stories call a stream: its client, and its number if it is
// not the client's first.
type streamName struct {
	client  string
	ordinal int
}

func (n streamName) String() string {
	if n.ordinal == 0 {
		return n.client
	}
	return n.client + " (stream " + strconv.Itoa(n.ordinal+1) + ")"
}

// revisions are those of the first and the last of some events.
type revisions struct {
	first, last int64
}

func revisionsOf(evs []wire.Event) revisions {
	if len(evs) == 0 {
		return revisions{}
	}
	return revisions{evs[0].Kv.ModRevision, evs[len(evs)-1].Kv.ModRevision}
}

func (r revisions) String() string {
	if r.first == r.last {
		return "the event of revision " + number(r.first)
	}
	return "the history from revision " + number(r.first) + " to " + number(r.last)
}

func (r revisions) about() sim.About { return sim.About{Revision: r.last} }

func number(n int64) string { return strconv.FormatInt(n, 10) }
