package shared

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
)

// processed: a batch has been put into the store.
type processed struct {
	deltas        int
	first         deltaKind
	version       int64
	notifications int
}

func (n processed) Text(*sim.World) string {
	what := deltaNames[n.first]
	if n.deltas > 1 {
		what = "a batch of " + strconv.Itoa(n.deltas)
	}
	return "processes " + what + ": its store has RV " + strconv.FormatInt(n.version, 10) + ", and handlers are to be told of " + counted(n.notifications, "change")
}

func (n processed) About() sim.About { return sim.About{Revision: n.version} }

// told: a handler is notified.
type told struct {
	handler int
	n       Notification
}

func (t told) Text(*sim.World) string {
	kv := t.n.Object()
	what := kv.Key + "=" + kv.Value + " of revision " + strconv.FormatInt(kv.ModRevision, 10)
	switch {
	case t.n.Kind == Added && t.n.Initial:
		what = "there is " + what
	case t.n.Kind == Added:
		what = what + " was added"
	case t.n.Kind == Deleted:
		what = what + " was deleted"
	case t.n.Resyncs():
		what = what + " once more"
	default:
		what = "it is now " + what + ", after revision " + strconv.FormatInt(t.n.Old.ModRevision, 10)
	}
	return name(t.handler) + " is told: " + what
}

func (t told) About() sim.About {
	kv := t.n.Object()
	return sim.About{Revision: kv.ModRevision, Key: kv.Key}
}

// handlerSynced: the registration of a handler has synced.
type handlerSynced struct{ handler int }

func (n handlerSynced) Text(*sim.World) string { return name(n.handler) + " has synced" }

// handlerAdded: one was added while the informer runs.
type handlerAdded struct {
	handler, objects int
	version          int64
}

func (n handlerAdded) Text(*sim.World) string {
	return "adds " + name(n.handler) + ", which is to be told of " + counted(n.objects, "object") + " of RV " + strconv.FormatInt(n.version, 10)
}

// handlerRemoved: one was removed.
type handlerRemoved struct{ handler int }

func (n handlerRemoved) Text(*sim.World) string { return "removes " + name(n.handler) }

// informerStopped: the process waits for its informer to end.
type informerStopped struct{}

func (informerStopped) Text(*sim.World) string { return "stops its informer" }

// resyncQueued: a resync is in the queue.
type resyncQueued struct{}

func (resyncQueued) Text(*sim.World) string { return "resyncs" }

func name(handler int) string { return "handler " + strconv.Itoa(handler+1) }

func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}
