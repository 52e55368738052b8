package etcd

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// The sentences that a story is made of. They are built only for an observer.

func noteApplied(env *sim.Env, e *entry, rev int64) {
	if env.Noting() {
		env.Note("applies " + e.payload.Label() + ": revision " + number(rev))
	}
}

// notePosted: a response went into a watch channel.
func notePosted(env *sim.Env, sws *serverWatchStream, r *watchResponse) {
	if !env.Noting() {
		return
	}
	switch {
	case len(r.evs) > 0:
		env.Note(eventsText(r.evs) + " goes into the watch channel of " + sws.title())
	case r.compactRevision == 0 && !r.created:
		env.Note("progress " + number(r.revision) + " goes into the watch channel of " + sws.title())
	}
}

func noteWatch(env *sim.Env, sws *serverWatchStream, w *watcher) {
	if !env.Noting() {
		return
	}
	text := "registers a watch of " + sws.title() + " from revision " + number(w.startRev)
	if w.group == unsynced {
		text += ": unsynced, it has history to catch up on"
	}
	env.Note(text)
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
	text := "sendLoop sends " + r.Label() + " to " + sws.client
	if fromCtrlStream && held != "" {
		text += " from ctrlStream, while " + held + " waits in the watch channel"
	}
	env.Note(text)
}

func heldText(ch *fifo[watchResponse]) string {
	for _, r := range ch.all() {
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
		env.Note("the progress request of " + sws.title() + " " + became)
	}
}

func number(n int64) string { return strconv.FormatInt(n, 10) }
