package v3rpc

import (
	"fmt"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/mvcc"
	"github.com/watchbed/watchbed/sim/wire"
)

// What the streams note while a run is observed.
var (
	sent     = sim.NewNote2[response, mvcc.StreamName]("v3rpc.sent", "sendLoop sends %s to %s", sim.IsMeasured)
	kept     = sim.NewNote3[response, int64, mvcc.StreamName]("v3rpc.kept", "sendLoop keeps %s until it has sent the Created response of watch %d of %s", sim.IsAside)
	overtook = sim.NewNote3[held, response, mvcc.StreamName]("v3rpc.overtook", "sendLoop takes from ctrlStream, while %s still waits in the watch channel: %s is sent to %s first")

	progressAnswered = sim.NewNote2[mvcc.StreamName, int64]("v3rpc.progressAnswered", "the progress request of %s is answered by recvLoop itself: progress %r goes into ctrlStream")
	progressPast     = sim.NewNote3[mvcc.StreamName, int64, int64]("v3rpc.progressAnswered", "the progress request of %s is answered by recvLoop itself: progress %r goes into ctrlStream"+
		", although a watcher is not synced: it wants to be sent what happened from revision %d on")
	progressDroppedAt = sim.NewNote2[mvcc.StreamName, string]("v3rpc.progressRefused",
		"the progress request of %s meets the watcher of %s, which is not ready for it, and is dropped", sim.IsSetback)
	progressDeferredAt = sim.NewNote2[mvcc.StreamName, string]("v3rpc.progressRefused",
		"the progress request of %s meets the watcher of %s, which is not synced, and is deferred until sendLoop has sent something from the watch channel", sim.IsSetback)
	progressStillDeferred = sim.NewNote1[mvcc.StreamName]("v3rpc.progressRefused", "the progress request of %s is ignored: an earlier one is still deferred", sim.IsSetback)
	progressUnknown       = sim.NewNote1[mvcc.StreamName]("v3rpc.progressRefused",
		"the progress request of %s is of a kind that this release does not know: recvLoop goes on with the next request", sim.IsSetback)

	optionsUnknown = sim.NewNote2[mvcc.Revisions, mvcc.StreamName]("v3rpc.optionsUnknown",
		"sendLoop takes %s for %s before recvLoop has stored the options of the watch: it adds no previous values", sim.IsSetback)
	streamEnded  = sim.NewNote0("v3rpc.streamEnded", "ends a watch stream in order")
	streamFailed = sim.NewNote1[string]("v3rpc.streamEnded", `ends a watch stream with the error "%s"`)
	refusedAs    = sim.NewNote1[int64]("v3rpc.refusedAs", "refuses a watch, and calls it watch %d in the answer", sim.IsSetback)
	denied       = sim.NewNote1[mvcc.StreamName]("v3rpc.denied", "refuses a watch on %s: its user has no permission", sim.IsSetback)
	clogs        = sim.NewNote0("v3rpc.clogs", "does not get through to its watchers any more")
	unclogs      = sim.NewNote0("v3rpc.clogs", "gets through to its watchers again")
	altered      = sim.NewNote3[string, int64, string]("v3rpc.altered", "%s%R%K")
)

// response is a response that sendLoop hands to gRPC.
type response struct{ of *wire.WatchResponse }

func (r response) String() string {
	if r.of.Created {
		return fmt.Sprintf("the Created response (revision %d)", r.of.Revision)
	}
	return r.of.Label()
}

func (r response) About() sim.About {
	if len(r.of.Events) > 0 {
		return mvcc.RevisionsOf(r.of.Events).About()
	}
	return sim.About{Revision: r.of.Revision}
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
	return fmt.Sprintf("progress %d for all watches", h.progress)
}

// noteSent notes a response, and what it overtakes if it did not come through the
// watch channel.
func (sws *ServerWatchStream) noteSent(env *sim.Env, r *wire.WatchResponse) {
	if !sent.Heard(env) {
		return
	}
	waits := firstHeld(sws.watch.Chan.All())
	// A refusal comes through ctrlStream always.
	inOrder := !r.Canceled && sws.server.opts.CreatedInOrder
	switch fromWatchStream := sws.send.fromWatchStream || len(r.Events) > 0; {
	case r.Created && (waits == (held{}) || inOrder):
		// The creation of a requested watch is no news.
	case waits == (held{}) || fromWatchStream:
		sent.Say(env, response{r}, sws.watch.Name)
	default:
		overtook.Say(env, waits, response{r}, sws.watch.Name)
	}
}

// What can come about in the watch path.
var (
	// Creating.
	coverCreateLate     = sim.NewCoveragePoint("etcd: a write came between reading the revision and registering the watch")
	coverCreatedAhead   = sim.NewCoveragePoint("etcd: Created names a revision past events of the watch")
	coverDenied         = sim.NewCoveragePoint("etcd: watch refused, its user has no permission")
	coverCreateDeferred = sim.NewCoveragePoint("etcd: watch created while progress is deferred")
	coverHangupBlocked  = sim.NewCoveragePoint("etcd: stream ended while Send was blocked")
	coverStreamEnded    = sim.NewCoveragePoint("etcd: stream ended from the side of the server")
	coverStreamRefused  = sim.NewCoveragePoint("etcd: stream refused because there is no leader")

	// Sending.
	coverPrevKVCompacted = sim.NewCoveragePoint("etcd: previous value compacted")
	coverPending         = sim.NewCoveragePoint("etcd: events taken before Created")
	coverPendingFlushed  = sim.NewCoveragePoint("etcd: pending events flushed after Created")
	coverSendBlocked     = sim.NewCoveragePoint("etcd: Send blocks")
	coverFragmented      = sim.NewCoveragePoint("etcd: response fragmented")
	coverCtrlFull        = sim.NewCoveragePoint("etcd: ctrlStream full, recvLoop blocked")
	coverEventsFirst     = sim.NewCoveragePoint("etcd: events taken before a control response")
	coverCreatedFirst    = sim.NewCoveragePoint("etcd: Created overtook progress that was queued before the watch")
	coverCanceledFirst   = sim.NewCoveragePoint("etcd: Canceled overtook events")
	coverSendBehindReads = sim.NewCoveragePoint("etcd: response to a watch waits behind the answers to reads")
	coverSendClogged     = sim.NewCoveragePoint("etcd: response to a watch does not get through")

	// Progress.
	coverProgressOvertakes       = sim.NewCoveragePoint("etcd: progress overtook events")
	coverProgressIgnoresUnsynced = sim.NewCoveragePoint("etcd: progress answered with a watcher unsynced")
	coverProgressDeferred        = sim.NewCoveragePoint("etcd: progress deferred")
	coverProgressUnknown         = sim.NewCoveragePoint("etcd: progress request not known")
	coverProgressStillDeferred   = sim.NewCoveragePoint("etcd: progress request ignored, one is deferred")
	coverProgressRetried         = sim.NewCoveragePoint("etcd: deferred progress sent")
	coverTick                    = sim.NewCoveragePoint("etcd: ticker requests progress")
	coverTickElided              = sim.NewCoveragePoint("etcd: ticker leaves out a watch that was sent events")
)
