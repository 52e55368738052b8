package etcd3

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/client/clientv3"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// watchChan is one watch of etcd3's watcher.
type watchChan struct {
	c    *Watcher
	n    int32
	loop state.Var[loop] `cell:"etcd3: startWatching"`
	// page is the last page of initial events, queued how many of them are queued.
	page   state.Var[page]   `cell:"etcd3: page of initial events"`
	queued state.Var[queued] `cell:"etcd3: initial events queued"`
	// response is the rest of one that does not fit into incomingEventChan.
	response          state.Var[response] `cell:"etcd3: response"`
	incomingEventChan state.Queue[event]  `cell:"etcd3: incomingEventChan"`
	// slots are processingQueue, with the one that collectEventProcessing waits for.
	slots state.Var[[]slot] `cell:"etcd3: processingQueue"`
	// err waits for room in resultChan.
	err state.Var[*wire.Error] `cell:"etcd3: error"`
}

// Free implements state.Placed.
func (w *watchChan) Free() bool { return w.loop.Value().state == watchFree }

// response is the one whose events startWatching queues, next the first
// event that is not queued yet.
type response struct {
	*wire.WatchResponse
	next int
}

// Digest implements state.Digester.
func (r *response) Digest(d sim.Digest) sim.Digest {
	if r.WatchResponse == nil {
		return d
	}
	return r.WatchResponse.Digest(d.Int(int64(r.next)))
}

// loop is where startWatching is, with what the watch was asked for.
type loop struct {
	state watchState
	// conn leads to the cache: resultChan.
	conn  sim.Conn
	from  sim.NodeID
	cause sim.Cause `cell:"-"`
	// prefix and end are the range that is watched; end is empty for a single key.
	prefix, end string
	// ctxKey is the metadata under which the watch goes to etcd.
	ctxKey         string
	progressNotify bool
	// selects: changes carry the object before.
	selects bool
	// withoutPrevKV: etcd is asked for no previous values.
	withoutPrevKV bool
	// announce: the cache wants to know of the streams of the watch.
	announce bool `cell:"-"`
	// announcesStart: the cache wants to know when the beginning of the watch is known.
	announcesStart bool `cell:"-"`
	// nth distinguishes watches of one prefix.
	nth int32 `cell:"-"`
}

// isLive reports whether the watch has a cache.
func (l *loop) isLive() bool { return l.state != watchFree && l.state != watchDone }

// watchState is where startWatching is.
type watchState uint8

const (
	watchFree watchState = iota
	// watchSyncing: initial events are listed and queued; clientv3 does not have
	// the watch yet.
	watchSyncing
	// watchReceiving: it waits for a response, or for Watch to return.
	watchReceiving
	// watchQueueing: incomingEventChan is full.
	watchQueueing
	// watchFailing: an error waits for room in resultChan.
	watchFailing
	// watchDone: the context is cancelled; clientv3 may not have closed the watch.
	watchDone
)

func (w *watchChan) name() string {
	l := w.loop.Value()
	if l.nth == 0 {
		return l.prefix
	}
	return l.prefix + " #" + strconv.Itoa(int(l.nth)+1)
}

func (w *watchChan) startWatchingTask() sim.Task {
	return sim.Task(w.c.cfg.StartWatchingTask.Of(w.n))
}

func (w *watchChan) processEventsTask() sim.Task {
	return sim.Task(w.c.cfg.ProcessEventsTask.Of(w.n))
}

// free makes the place of a watch free for another one.
func (w *watchChan) free(env *sim.Env) {
	w.c.client.Forget(env, w.n)
	w.c.watches.Forget(env, w)
}

// startWatch is the call of clientv3's Watch.
func (w *watchChan) startWatch(env *sim.Env, rev int64) {
	l := w.loop.Value()
	w.c.client.Watch(env, w.n, l.ctxKey, clientv3.WatchRequest{
		Key: l.prefix, End: l.end, Rev: rev, ProgressNotify: l.progressNotify, PrevKV: !l.withoutPrevKV, Cause: l.cause,
	})
}

// startWatching takes one response from clientv3, or goes on with the work that
// had to wait.
func (w *watchChan) startWatching(env *sim.Env) {
	switch w.loop.Look(env).state {
	case watchSyncing:
		w.page.Read(env)
		w.queueInitial(env)
	case watchFailing:
		w.err.Read(env)
		w.sendError(env)
	case watchQueueing:
		w.response.Read(env)
		w.queueEvents(env)
	default:
		w.takeResponse(env)
	}
}

func (w *watchChan) takeResponse(env *sim.Env) {
	p, err := w.c.client.Take(env, w.n)
	switch {
	case err != nil:
		w.fail(env, err)
	case p == nil && !w.c.client.Ready(env, w.n):
		// What was in the channel is dropped, and clientv3 never closes it (clientv3.Options.EndsWithRefused).
	case p == nil:
		env.Cover(closedWithoutError)
		w.cancel(env)
	case p.CompactRevision != 0:
		env.Cover(compacted)
		w.c.client.Stop(env, w.n)
		w.fail(env, errCompacted)
	default:
		w.response.Set(env, response{p, 0})
		w.queueEvents(env)
	}
}

// queueEvents puts the events of a response, or the progress that it is, into
// incomingEventChan as far as there is room.
func (w *watchChan) queueEvents(env *sim.Env) {
	empty := w.incomingEventChan.Look(env).Len() == 0
	w.queueResponse(env)
	if empty {
		w.wakeProcessEvents(env)
	}
	w.wakeStartWatching(env)
}

func (w *watchChan) queueResponse(env *sim.Env) {
	p, l := w.response.Change(env), w.loop.Change(env)
	if p.IsProgressNotify() {
		if !w.room(env) {
			return
		}
		w.push(env, event{rev: p.Revision, progressID: p.ProgressID})
	}
	for ; p.next < len(p.Events); p.next++ {
		if !w.room(env) {
			eventWaits.Say(env, l.prefix, p.Events[p.next].Kv.ModRevision)
			return
		}
		e := &p.Events[p.next]
		if e.PrevKv == nil && !l.withoutPrevKV && !isCreate(e) && !w.c.cfg.PassesMissingPrevKv {
			env.Cover(missingPrevKvFailed)
			w.err.Set(env, errWithoutPrevKv(e))
			*p, l.state = response{}, watchFailing
			return
		}
		parsed.Say(env, l.prefix, e.Kv.ModRevision)
		w.push(env, event{event: e, rev: e.Kv.ModRevision})
	}
	*p, l.state = response{}, watchReceiving
}

// push puts an event into incomingEventChan, which has room. A scheduler that waits there
// takes it at once.
func (w *watchChan) push(env *sim.Env, e event) {
	if w.c.cfg.DecodesConcurrently && w.incomingEventChan.Value().Len() == 0 && w.schedules(env, e) {
		return
	}
	w.incomingEventChan.Push(env, e)
}

func (w *watchChan) isFull() bool {
	return w.incomingEventChan.Value().Len() == w.c.cfg.IncomingBufSize
}

// room reports whether incomingEventChan takes one more event. If not, the watch
// waits for it.
func (w *watchChan) room(env *sim.Env) bool {
	if !w.isFull() {
		return true
	}
	env.Cover(incomingEventChanFull)
	w.loop.Value().state = watchQueueing
	return false
}

// wakeStartWatching enables startWatching if it has something to do with responses:
// initial events are queued by then.
func (w *watchChan) wakeStartWatching(env *sim.Env) {
	w.incomingEventChan.Look(env)
	ready := false
	switch l := w.loop.Look(env); l.state {
	case watchReceiving:
		ready = w.c.client.Ready(env, w.n)
	case watchQueueing:
		ready = !w.isFull()
	case watchFailing:
		ready = env.CanSend(l.conn)
	}
	if ready {
		env.Enable(w.startWatchingTask())
	}
}

// fail ends the watch with an error, as soon as resultChan has room.
func (w *watchChan) fail(env *sim.Env, err *wire.Error) {
	w.err.Set(env, err)
	w.sendError(env)
}

// sendError puts an error into resultChan, past what is queued, and cancels.
func (w *watchChan) sendError(env *sim.Env) {
	l, err := w.loop.Value(), *w.err.Value()
	if !env.CanSend(l.conn) {
		env.Cover(errorWaits)
		endWaits.Say(env, l.prefix, err.Message)
		w.loop.Change(env).state = watchFailing
		return
	}
	if w.incomingEventChan.Value().Len() > 0 {
		env.Cover(errorOvertakes)
	}
	if len(*w.slots.Value()) > 0 {
		env.Cover(errorOvertakesDecodes)
	}
	watchEnds.Say(env, l.prefix, err.Message)
	env.Under(l.cause)
	env.Send(l.conn, &wire.WatchEvent{Type: wire.Failed, Err: err})
	w.cancel(env)
}

// cancel ends a watch from this side: resultChan is closed behind what is in it.
func (w *watchChan) cancel(env *sim.Env) {
	env.Close(w.loop.Value().conn)
	w.contextDone(env)
}

// contextDone ends everything that belongs to a watch but for clientv3's part of
// it.
func (w *watchChan) contextDone(env *sim.Env) {
	if w.incomingEventChan.Value().Len() > 0 {
		env.Cover(incomingDropped)
	}
	env.Disable(w.startWatchingTask())
	env.Disable(w.processEventsTask())
	w.stopDecodes(env)
	l := w.loop.Change(env)
	l.state, l.conn = watchDone, sim.NoConn
	w.response.Set(env, response{})
	w.err.Set(env, nil)
	w.incomingEventChan.Clear(env)
	switch p := w.page.Value(); {
	case p.step != syncDone:
		env.Cover(stoppedWhileSyncing)
		w.c.client.GiveUp(env, w.n)
		env.Close(p.stream)
		w.free(env)
	case w.c.client.Cancel(env, w.n):
		w.free(env)
	}
}

var errCompacted = &wire.Error{Code: wire.ErrCompacted, Message: "the watch's revision has been compacted"}

// errWithoutPrevKv ends a watch at a change or deletion of which etcd has no previous value any more.
func errWithoutPrevKv(e *wire.Event) *wire.Error {
	return &wire.Error{Code: wire.Internal,
		Message: "etcd sent an event without PrevKv: " + e.Kv.Key + " at " + strconv.FormatInt(e.Kv.ModRevision, 10)}
}
