package mvcc

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// What the store notes while a run is observed. The algorithm says what happened;
// the sentences are here.

// tombstoneRemoved: a compaction removed the deletion at the revision that it
// compacts to, which a watch from there on should still be sent.
type tombstoneRemoved struct {
	revision int64
	key      string
}

// Text implements sim.Note.
func (n tombstoneRemoved) Text(*sim.World) string {
	return "the compaction at revision " + number(n.revision) + " removes the deletion of " + n.key + " that is revision " + number(n.revision)
}

// About implements sim.Subject.
func (n tombstoneRemoved) About() sim.About { return sim.About{Revision: n.revision, Key: n.key} }

// valueRemoved: a compaction removed the value that a key was given at the revision that it compacts to.
type valueRemoved struct {
	revision int64
	key      string
}

// Text implements sim.Note.
func (n valueRemoved) Text(*sim.World) string {
	return "the compaction at revision " + number(n.revision) + " takes the deletion of " + n.key + " for the last change of that revision" +
		", and removes the value that the same revision gives it"
}

// About implements sim.Subject.
func (n valueRemoved) About() sim.About { return sim.About{Revision: n.revision, Key: n.key} }

// SetsBack implements sim.Setback.
func (n valueRemoved) SetsBack() bool { return true }

// pairMissing: the backend lacks a value that the index has.
type pairMissing struct {
	revision int64
	key      string
}

// Text implements sim.Note.
func (n pairMissing) Text(*sim.World) string {
	return "does not find the value of revision " + number(n.revision) + " of " + n.key + ", which its index has, and exits: range failed to find revision pair"
}

// About implements sim.Subject.
func (n pairMissing) About() sim.About { return sim.About{Revision: n.revision, Key: n.key} }

// SetsBack implements sim.Setback.
func (n pairMissing) SetsBack() bool { return true }

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

// tombstoneForgotten: the key index that was made anew lacks a deletion before which
// nothing of the key is left.
type tombstoneForgotten struct {
	revision int64
	key      string
}

// Text implements sim.Note.
func (n tombstoneForgotten) Text(*sim.World) string {
	return "leaves " + n.key + ", deleted at revision " + number(n.revision) + ", out of its key index, since nothing older of it is left"
}

// About implements sim.Subject.
func (n tombstoneForgotten) About() sim.About { return sim.About{Revision: n.revision, Key: n.key} }

// lostSync: a restore has made a synced watcher an unsynced one.
type lostSync struct {
	stream StreamName
	minRev int64
}

// Text implements sim.Note.
func (n lostSync) Text(*sim.World) string {
	return "the watcher of " + n.stream.String() + " is unsynced again, and is to be sent what happened from revision " + number(n.minRev) + " on"
}

// About implements sim.Subject.
func (n lostSync) About() sim.About {
	return sim.About{Revision: n.minRev, Client: n.stream.Client}
}

// registered: watchStream.Watch made a watcher, which is synced.
type registered struct {
	stream   StreamName
	startRev int64
	key      string
}

// Text implements sim.Note.
func (n registered) Text(*sim.World) string {
	return "registers a watch of " + n.stream.String() + " from revision " + number(n.startRev)
}

// About implements sim.Subject.
func (n registered) About() sim.About {
	return sim.About{Revision: n.startRev, Key: n.key, Client: n.stream.Client}
}

// registeredUnsynced: the watcher has history to be sent.
type registeredUnsynced struct{ registered }

// Text implements sim.Note.
func (n registeredUnsynced) Text(w *sim.World) string {
	return n.registered.Text(w) + ": unsynced, it has history to catch up on"
}

// registeredAhead: the watcher starts from a revision that lies behind the next one.
type registeredAhead struct {
	registered
	// at is the revision of the store.
	at int64
}

// Text implements sim.Note.
func (n registeredAhead) Text(w *sim.World) string {
	return n.registered.Text(w) + ", and is at " + number(n.at) + " itself: the watcher counts as synced"
}

// startLowered: syncWatchers moved a watcher back before the revision that it was asked
// to start from.
type startLowered struct {
	stream   StreamName
	from, to int64
}

// Text implements sim.Note.
func (n startLowered) Text(*sim.World) string {
	return "syncWatchers moves the watcher of " + n.stream.String() + " back from revision " + number(n.from) + " to " + number(n.to)
}

// About implements sim.Subject.
func (n startLowered) About() sim.About {
	return sim.About{Revision: n.to, Client: n.stream.Client}
}

// negativeRange: syncWatchers looked for history from a negative revision on, on
// behalf of all watchers. kept is the first revision that it still had, 0 for none.
type negativeRange struct{ from, kept int64 }

// Text implements sim.Note.
func (n negativeRange) Text(*sim.World) string {
	s := "syncWatchers looks for the history of all watchers from the oldest revision that one of them wants, " + number(n.from) +
		", which as an unsigned number lies behind all others"
	if n.kept > 0 {
		s += ": it finds what its last turn has kept, from revision " + number(n.kept) + " on, and nothing before that"
	}
	return s
}

// becameVictim: the watch channel was full.
type becameVictim struct {
	stream StreamName
	events Revisions
}

// Text implements sim.Note.
func (n becameVictim) Text(*sim.World) string {
	return "the watch channel of " + n.stream.String() + " is full: its watcher becomes a victim, with " + n.events.String()
}

// About implements sim.Subject.
func (n becameVictim) About() sim.About { return n.events.AboutFor(n.stream) }

// becameSynced: syncWatchers is done with a watcher.
type becameSynced struct {
	stream StreamName
	watch  int64
	// silent: there was no event to send; deferred: a progress request waits for
	// one.
	silent, deferred bool
}

// Text implements sim.Note.
func (n becameSynced) Text(*sim.World) string {
	switch {
	case !n.silent:
		return "syncWatchers: the watcher of " + n.name() + " is synced now"
	case n.deferred:
		return "syncWatchers finds no event for the watcher of " + n.name() +
			": it is synced now, but nothing goes into the watch channel, so nothing wakes the deferred progress request"
	default:
		return "syncWatchers finds no event for the watcher of " + n.name() + ": it is synced now"
	}
}

// name leaves the number of a stream's first watch out.
func (n becameSynced) name() string {
	if n.watch == 0 {
		return n.stream.String()
	}
	return "watch " + number(n.watch) + " of " + n.stream.String()
}

// About implements sim.Subject.
func (n becameSynced) About() sim.About { return sim.About{Client: n.stream.Client} }

// SetsBack implements sim.Setback.
func (n becameSynced) SetsBack() bool { return n.silent && n.deferred }

// cancelledCompacted: syncWatchers cancelled a watcher below the compacted
// revision.
type cancelledCompacted struct {
	stream StreamName
}

// Text implements sim.Note.
func (n cancelledCompacted) Text(*sim.World) string {
	return "syncWatchers cancels a watcher of " + n.stream.String() + " below the compacted revision"
}

// About implements sim.Subject.
func (n cancelledCompacted) About() sim.About { return sim.About{Client: n.stream.Client} }

// fellThrough: syncWatchers treats a watcher below the compacted revision as if
// its history was there.
type fellThrough struct {
	stream   StreamName
	from, to int64
}

// Text implements sim.Note.
func (n fellThrough) Text(*sim.World) string {
	return "syncWatchers cannot cancel a watcher of " + n.stream.String() +
		" whose history is compacted, since the channel is full, and moves it from revision " + number(n.from) + " on to " + number(n.to)
}

// About implements sim.Subject.
func (n fellThrough) About() sim.About {
	return sim.About{Revision: n.from, Client: n.stream.Client}
}

// posted: a response with events, or progress, went into a watch channel.
type posted struct {
	stream StreamName
	// watch is the id of the watch of the events: one revision may be for several.
	watch  int64
	events Revisions
	// progress is the revision of a response without events.
	progress int64
}

func newPosted(stream StreamName, r *WatchResponse) posted {
	if len(r.Events) == 0 {
		return posted{stream: stream, progress: r.Revision}
	}
	return posted{stream: stream, watch: r.ID, events: RevisionsOf(r.Events)}
}

// Text implements sim.Note.
func (n posted) Text(*sim.World) string {
	what := "progress " + number(n.progress)
	if n.events != (Revisions{}) {
		what = n.events.String()
	}
	what += " goes into the watch channel of " + n.stream.String()
	if n.watch > 0 {
		what += ", for watch " + number(n.watch)
	}
	return what
}

// About implements sim.Subject.
func (n posted) About() sim.About {
	if n.events != (Revisions{}) {
		return n.events.AboutFor(n.stream)
	}
	return sim.About{Revision: n.progress, Client: n.stream.Client}
}

// Revisions are those of the first and the last of some events.
type Revisions struct {
	First, Last int64
}

// RevisionsOf are those of events in their order, zero if there are none.
func RevisionsOf(evs []wire.Event) Revisions {
	if len(evs) == 0 {
		return Revisions{}
	}
	return Revisions{evs[0].Kv.ModRevision, evs[len(evs)-1].Kv.ModRevision}
}

// String is what notes call the events.
func (r Revisions) String() string {
	if r.First == r.Last {
		return "the event of revision " + number(r.First)
	}
	return "the history from revision " + number(r.First) + " to " + number(r.Last)
}

// AboutFor is the last one of them, for the watches of a stream.
func (r Revisions) AboutFor(stream StreamName) sim.About {
	return sim.About{Revision: r.Last, Client: stream.Client}
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// victimsLeft: watchers whose channel was full wait for events, of this revision the first
// one, and no timer runs for them.
type victimsLeft struct{ first int64 }

// Text implements sim.Note.
func (n victimsLeft) Text(*sim.World) string {
	return "leaves the event of revision " + number(n.first) + " of a watcher whose channel is full until another one finds its channel full"
}

// About implements sim.Subject.
func (n victimsLeft) About() sim.About { return sim.About{Revision: n.first} }

// SetsBack implements sim.Setback.
func (n victimsLeft) SetsBack() bool { return true }
