package etcd

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/fifo"
	"github.com/watchbed/watchbed/sim/wire"
)

// The sentences that a story is made of. They are built only for an observer.

// noteApplied: an entry was carried out, and nobody has been told yet.
func (s *Server) noteApplied(env *sim.Env, e *entry) {
	if !env.Noting() {
		return
	}
	text := "applies " + e.payload.Label()
	switch {
	case len(s.store.changes) > 0:
		env.Say(text + ": revision " + number(s.store.currentRev+1))
	case s.store.compactMainRev > 0 && isCompaction(e.payload):
		env.Say(text + ": what came before revision " + number(s.store.compactMainRev) + " may go")
	default:
		env.Say(text + ": nothing changes, the revision stays " + number(s.store.currentRev))
	}
}

func isCompaction(p sim.Payload) bool {
	_, ok := p.(*wire.CompactionRequest)
	return ok
}

// noteTombstones: a compaction has removed deletions at the very revision that
// it compacts to, which a watch from there on should still be sent.
func (s *Server) noteTombstones(env *sim.Env, rev int64, before int) {
	if env.Noting() && before > s.tombstonesAt(rev) {
		env.Say("the compaction at revision " + number(rev) + " removes the deletion that is revision " + number(rev))
	}
}

func (s *Server) tombstonesAt(rev int64) int {
	n := 0
	for _, v := range s.store.backend {
		if v.tombstone && v.kv.ModRevision == rev {
			n++
		}
	}
	return n
}

// noteRestored: the store was made anew from its backend.
func (s *Server) noteRestored(env *sim.Env, before int64) {
	if !env.Noting() {
		return
	}
	text := "restores its store at revision " + number(s.store.currentRev)
	if s.store.currentRev < before {
		text += ", although it had reached " + number(before)
	}
	env.Say(text)
}

func noteVictim(env *sim.Env, sws *serverWatchStream, evs []wire.Event) {
	if env.Noting() {
		env.Say("the watch channel of " + sws.name() + " is full: its watcher becomes a victim, with " + eventsText(evs))
	}
}

// noteSynced: syncWatchers is done with a watcher; evs are what it was sent.
func noteSynced(env *sim.Env, sws *serverWatchStream, evs []wire.Event) {
	if !env.Noting() {
		return
	}
	switch {
	case len(evs) > 0:
		env.Say("syncWatchers: the watcher of " + sws.name() + " is synced now")
	case sws.deferredProgress:
		env.Say("syncWatchers finds no event for the watcher of " + sws.name() + ": it is synced now, but nothing goes into the watch channel, so nothing wakes the deferred progress request")
	default:
		env.Say("syncWatchers finds no event for the watcher of " + sws.name() + ": it is synced now")
	}
}

// noteFallsThrough: a watcher below the compacted revision goes on as if nothing
// was wrong.
func noteFallsThrough(env *sim.Env, sws *serverWatchStream, w *watcher, curRev int64) {
	if env.Noting() {
		env.Say("syncWatchers cannot cancel a watcher of " + sws.name() + " whose history is compacted, since the channel is full, and moves it from revision " +
			number(w.minRev) + " on to " + number(curRev+1))
	}
}

// notePosted: a response went into a watch channel.
func notePosted(env *sim.Env, sws *serverWatchStream, r *watchResponse) {
	if !env.Noting() {
		return
	}
	switch {
	case len(r.evs) > 0:
		env.Say(eventsText(r.evs) + " goes into the watch channel of " + sws.name())
	case r.compactRevision == 0 && !r.created:
		env.Say("progress " + number(r.revision) + " goes into the watch channel of " + sws.name())
	}
}

func noteWatch(env *sim.Env, sws *serverWatchStream, w *watcher) {
	if !env.Noting() {
		return
	}
	text := "registers a watch of " + sws.name() + " from revision " + number(w.startRev)
	if w.group == unsynced {
		text += ": unsynced, it has history to catch up on"
	}
	env.Say(text)
}

// noteSent: sendLoop sends a response; held is what it leaves in the watch
// channel.
func noteSent(env *sim.Env, sws *serverWatchStream, r *wire.WatchResponse, fromCtrlStream bool) {
	if !env.Noting() {
		return
	}
	held := heldText(&sws.ch)
	if r.Created && held == "" {
		// It is no news that a watch that was asked for is created.
		return
	}
	if fromCtrlStream && held != "" && len(r.Events) == 0 {
		env.Say("sendLoop takes from ctrlStream, while " + held + " still waits in the watch channel: " + r.Label() + " is sent to " + sws.name() + " first")
		return
	}
	env.Say("sendLoop sends " + r.Label() + " to " + sws.name())
}

func heldText(ch *fifo.Queue[watchResponse]) string {
	for _, r := range ch.All() {
		switch {
		case len(r.evs) > 0:
			return eventsText(r.evs)
		case r.id == wire.InvalidWatchID:
			return "progress " + number(r.revision) + " for all watches"
		}
	}
	return ""
}

func eventsText(evs []wire.Event) string {
	first, last := evs[0].Kv.ModRevision, evs[len(evs)-1].Kv.ModRevision
	if first == last {
		return "the event of revision " + number(first)
	}
	return "the history from revision " + number(first) + " to " + number(last)
}

func noteProgress(env *sim.Env, sws *serverWatchStream, became string) {
	if env.Noting() {
		env.Say("the progress request of " + sws.name() + " " + became)
	}
}

// notePastChannel: recvLoop answers a progress request by itself.
func (s *Server) notePastChannel(env *sim.Env, sws *serverWatchStream, rev int64) {
	if !env.Noting() {
		return
	}
	text := "is answered by recvLoop itself: progress " + number(rev) + " goes into ctrlStream"
	for _, wi := range sws.watchers {
		if w := &s.watchers[wi]; w.group == unsynced && w.minRev <= rev {
			text += ", although a watcher is not synced: it wants to be sent what happened from revision " + number(w.minRev) + " on"
			break
		}
	}
	noteProgress(env, sws, text)
}

// name is what stories call the stream: its client, and which of its streams if
// it is not the first.
func (sws *serverWatchStream) name() string {
	if sws.ordinal == 0 {
		return sws.client
	}
	return sws.client + " (stream " + strconv.Itoa(sws.ordinal+1) + ")"
}

func number(n int64) string { return strconv.FormatInt(n, 10) }
