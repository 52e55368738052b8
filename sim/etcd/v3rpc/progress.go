package v3rpc

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/mvcc"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// ProgressRequests is what becomes of progress requests. It keeps nothing.
type ProgressRequests interface {
	// Request is what recvLoop does with a WatchProgressRequest.
	Request(env *sim.Env, sws *ServerWatchStream)
	// Sent is what sendLoop does once it has sent a response from the watch channel,
	// under serverWatchStream.mu.
	Sent(env *sim.Env, sws *ServerWatchStream)
	// Rule is when a watcher may be sent progress.
	Rule() mvcc.ProgressRule
}

// Progress is a value of the option progress.
type Progress uint8

// ProgressSeam is the option progress. The values are in the order of the releases that brought them, but for the last.
var ProgressSeam = option.NewSeam[Progress, ProgressRequests]("progress", "what becomes of a WatchProgressRequest")

var (
	// ControlQueue is that of the releases before #15220 was fixed.
	ControlQueue = ProgressSeam.Register("control-queue",
		"recvLoop answers it through ctrlStream, past events and whether or not watchers are synced (#15220)",
		progressControlQueue{})
	// Deferred brought #17507.
	Deferred = ProgressSeam.Register("deferred",
		"answered through the watch channel; with an unsynced watcher it waits until sendLoop has sent something (#17507)",
		progressDeferred{})
	// Dropped fixed that.
	Dropped = ProgressSeam.Register("dropped",
		"answered through the watch channel; with an unsynced watcher it is forgotten",
		progressDropped{})
	// DroppedBelowStart is what is shipped (#20221).
	DroppedBelowStart = ProgressSeam.Register("dropped-below-start",
		"answered through the watch channel; with an unsynced watcher, or one that starts at a revision that does not exist yet, it is forgotten",
		progressDroppedBelowStart{})
	// Ignored is that of the releases before 3.3.14. It is not the first value, since
	// ControlQueue is that of options that name none.
	Ignored = ProgressSeam.Register("ignored",
		"recvLoop knows no such request and goes on with the next: nothing comes of it",
		progressIgnored{})
	_ = ProgressSeam.Off(Ignored)
)

// plain is the part of ProgressRequests for the implementations that do nothing beside Request.
type plain struct{}

func (plain) Sent(*sim.Env, *ServerWatchStream) {}
func (plain) Rule() mvcc.ProgressRule           { return mvcc.IfSynced }

// progressDropped asks for progress through the watch channel, and forgets the
// request if a watcher is in the way.
type progressDropped struct{ plain }

func (progressDropped) Request(env *sim.Env, sws *ServerWatchStream) {
	if sws.WaitsForTicker(env) {
		return
	}
	if !sws.RequestProgressAll(env) {
		progressDroppedAt.Say(env, sws.watch.Name, sws.watch.InTheWay(sws.progressRule()))
	}
}

// progressDroppedBelowStart does the same. A watcher that starts at a later revision is in the way, too.
type progressDroppedBelowStart struct{ progressDropped }

func (progressDroppedBelowStart) Rule() mvcc.ProgressRule { return mvcc.IfStarted }

// progressDeferred asks for progress through the watch channel. A request that meets
// an unsynced watcher is remembered, and tried again once sendLoop has sent
// something from that channel: if nothing comes, never (#17507).
type progressDeferred struct{ plain }

func (progressDeferred) Request(env *sim.Env, sws *ServerWatchStream) {
	if sws.WaitsForTicker(env) {
		return
	}
	switch {
	case sws.deferredProgress.Get(env):
		env.Cover(coverProgressStillDeferred)
		progressStillDeferred.Say(env, sws.watch.Name)
	case sws.RequestProgressAll(env):
	default:
		env.Cover(coverProgressDeferred)
		sws.deferredProgress.Set(env, true)
		progressDeferredAt.Say(env, sws.watch.Name, sws.watch.InTheWay(sws.progressRule()))
	}
}

func (progressDeferred) Sent(env *sim.Env, sws *ServerWatchStream) {
	if sws.deferredProgress.Get(env) && sws.RequestProgressAll(env) {
		env.Cover(coverProgressRetried)
		sws.deferredProgress.Set(env, false)
	}
}

// progressControlQueue has recvLoop answer by itself: with the current revision
// through ctrlStream, past the events in the watch channel and whether or not
// watchers are synced.
type progressControlQueue struct{ plain }

func (progressControlQueue) Request(env *sim.Env, sws *ServerWatchStream) {
	if sws.watch.AnyUnsynced() {
		env.Cover(coverProgressIgnoresUnsynced)
	}
	sws.SendProgress(env)
}

// progressIgnored is the default case of recvLoop's switch: the request's field is
// unknown to the protobuf messages of these releases, and a request without a known one
// must not end the stream.
type progressIgnored struct{ plain }

func (progressIgnored) Request(env *sim.Env, sws *ServerWatchStream) {
	env.Cover(coverProgressUnknown)
	progressUnknown.Say(env, sws.watch.Name)
}

// SendProgress answers a progress request through ctrlStream: with the current
// revision, whatever is in the watch channel.
func (sws *ServerWatchStream) SendProgress(env *sim.Env) {
	resp := sws.server.responses.New()
	resp.Revision, resp.WatchID, resp.ProgressID = sws.server.store.VisibleRev(env), wire.InvalidWatchID, sws.readProgressID(env)
	if env.Noting() {
		if missing := sws.watch.Missing(env, resp.Revision); missing != 0 {
			progressPast.Say(env, sws.watch.Name, resp.Revision, missing)
		} else {
			progressAnswered.Say(env, sws.watch.Name, resp.Revision)
		}
	}
	sws.pushCtrl(env, resp, recvIdle)
}

// WaitsForTicker reports whether the ticker holds serverWatchStream.mu. Then the
// request is tried again when it lets go.
func (sws *ServerWatchStream) WaitsForTicker(env *sim.Env) bool {
	if !sws.wantsMu(env) {
		return false
	}
	sws.recv.state = recvProgress
	return true
}

// RequestProgressAll asks for one notification for all watches of the stream. It
// returns false if a watcher is in the way.
func (sws *ServerWatchStream) RequestProgressAll(env *sim.Env) bool {
	return sws.watch.RequestProgressAll(env, sws.readProgressID(env), sws.progressRule())
}

// progressRequests is what the option chooses.
func (sws *ServerWatchStream) progressRequests() ProgressRequests {
	return ProgressSeam.Of(sws.server.opts.Progress)
}

func (sws *ServerWatchStream) progressRule() mvcc.ProgressRule { return sws.progressRequests().Rule() }

// readProgressID is the id that a notification echoes, 0 if it echoes none.
func (sws *ServerWatchStream) readProgressID(env *sim.Env) int64 {
	if !sws.server.opts.EchoesID {
		return 0
	}
	return sws.progressID.Get(env)
}

// jitterSteps is how finely a timed run chooses a ticker's jitter.
const jitterSteps = 10

const (
	// defaultWatchProgressInterval is DefaultProgressReportInterval.
	defaultWatchProgressInterval = 10 * time.Minute
	// minWatchProgressInterval is what etcd raises a shorter interval to, with a
	// warning (NewWatchServer).
	minWatchProgressInterval = 100 * time.Millisecond
)

// startTicker is GetProgressReportInterval and NewTicker: the period is drawn
// once for a stream.
func (sws *ServerWatchStream) startTicker(env *sim.Env) {
	interval := sws.server.opts.ProgressNotifyInterval
	if interval == 0 {
		if env.Mode() == sim.Untimed {
			return
		}
		interval = defaultWatchProgressInterval
	}
	interval = max(interval, minWatchProgressInterval)
	period := interval
	if env.Mode() == sim.Timed {
		period += interval / 10 * sim.Duration(env.Choose(jitterSteps, "jitter of the progress ticker")) / jitterSteps
	}
	sws.progressTicker.Value().period = period
	env.Arm(sws.ticker(), period)
}

// ticker is progressTicker. Its channel holds one tick at most.
type ticker struct {
	period sim.Duration
	ticked bool
}

func (sws *ServerWatchStream) tick(env *sim.Env) {
	t := sws.progressTicker.Change(env)
	env.Arm(sws.ticker(), t.period)
	t.ticked = true
	if sws.send.state == selecting {
		env.Enable(sws.task(takeTicker))
	}
}

// takeTick is the case of progressTicker.C: a notification is requested for every
// watch with ProgressNotify that was sent no events since the last tick.
func (sws *ServerWatchStream) takeTick(env *sim.Env) {
	l := &sws.send
	sws.leavesSelect(env, ticking)
	sws.progressTicker.Read(env)
	sws.progressTicker.Change(env).ticked = false
	l.due = l.due[:0]
	for _, w := range sws.progress.Entries(env) {
		if w.Value == notifyTrue {
			sws.progress.Get(env, w.Key)
			l.due = append(l.due, w.Key)
		} else {
			env.Cover(coverTickElided)
			if sws.server.opts.ElidedTicks == ElidedForGood {
				continue
			}
		}
		sws.progress.Set(env, w.Key, notifyTrue)
	}
	sws.mu.Change(env).held = true
	sws.requestDue(env)
}

// elideOthers lets the next tick leave out the watches that were sent nothing, too.
func (sws *ServerWatchStream) elideOthers(env *sim.Env, sent int64) {
	for _, w := range sws.progress.Entries(env) {
		if w.Key != sent && w.Value == notifyTrue {
			sws.progress.Set(env, w.Key, notifyFalse)
		}
	}
}

// requestDue requests the progress of one watch, any of the remaining ones:
// upstream goes over a Go map. The store moves on in between.
func (sws *ServerWatchStream) requestDue(env *sim.Env) {
	l := &sws.send
	if len(l.due) > 0 {
		i := env.Choose(len(l.due), "next watch of the tick")
		id := l.due[i]
		l.due = append(l.due[:i], l.due[i+1:]...)
		env.Cover(coverTick)
		sws.watch.RequestProgress(env, id, sws.progressRule())
	}
	if len(l.due) > 0 {
		env.Enable(sws.task(continueSendLoop))
		return
	}
	mu := sws.mu.Change(env)
	wanted := mu.wanted
	*mu = mutex{}
	if wanted {
		env.Enable(sws.task(continueRecvLoop))
	}
	sws.enterSelect(env)
}
