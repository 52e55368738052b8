package etcd3

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/arena"
	"github.com/watchbed/watchbed/sim/client/clientv3"
	"github.com/watchbed/watchbed/sim/wire"
)

// watchChan is one watch of etcd3's watcher.
type watchChan struct {
	c     *Watcher
	n     int32
	state watchState
	// conn leads to the cache: resultChan.
	conn  sim.Conn
	from  sim.NodeID
	cause sim.Cause
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
	announce bool
	// announcesStart: the cache wants to know when the beginning of the watch is known.
	announcesStart bool
	// nth distinguishes watches of one prefix.
	nth  int32
	sync watchSync
	// response is the one whose events startWatching queues, next the first
	// event that is not queued yet.
	response          *wire.WatchResponse
	next              int
	incomingEventChan arena.Queue[event]
	// slots are processingQueue, with the one that collectEventProcessing waits for.
	slots []slot
	err   *wire.Error
}

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

func (w *watchChan) reset() {
	w.incomingEventChan.Clear()
	clear(w.slots)
	*w = watchChan{c: w.c, n: w.n, incomingEventChan: w.incomingEventChan, slots: w.slots[:0]}
}

func (w *watchChan) name() string {
	if w.nth == 0 {
		return w.prefix
	}
	return w.prefix + " #" + strconv.Itoa(int(w.nth)+1)
}

func (w *watchChan) startWatchingTask() sim.Task {
	return sim.Task(w.c.cfg.StartWatchingTask.Of(w.n))
}

func (w *watchChan) processEventsTask() sim.Task {
	return sim.Task(w.c.cfg.ProcessEventsTask.Of(w.n))
}

func (w *watchChan) reads(env *sim.Env, k sim.CellKind)   { env.Reads(k, int(w.n)) }
func (w *watchChan) looksAt(env *sim.Env, k sim.CellKind) { env.LooksAt(k, int(w.n)) }
func (w *watchChan) writes(env *sim.Env, k sim.CellKind)  { env.Writes(k, int(w.n)) }

// free makes the place of a watch free for another one.
func (w *watchChan) free(env *sim.Env) {
	env.LooksAt(cellWatches, 0)
	for _, k := range [...]sim.CellKind{cellStartWatching, cellResponse, cellErr, cellIncoming, cellSlots, cellPage, cellQueued} {
		w.writes(env, k)
	}
	w.c.client.Forget(env, w.n)
	w.reset()
}

// startWatch is the call of clientv3's Watch.
func (w *watchChan) startWatch(env *sim.Env, rev int64) {
	w.c.client.Watch(env, w.n, w.ctxKey, clientv3.WatchRequest{
		Key: w.prefix, End: w.end, Rev: rev, ProgressNotify: w.progressNotify, PrevKV: !w.withoutPrevKV, Cause: w.cause,
	})
}

// startWatching takes one response from clientv3, or goes on with the work that
// had to wait.
func (w *watchChan) startWatching(env *sim.Env) {
	w.looksAt(env, cellStartWatching)
	switch w.state {
	case watchSyncing:
		w.reads(env, cellPage)
		w.queueInitial(env)
	case watchFailing:
		w.reads(env, cellErr)
		w.sendError(env)
	case watchQueueing:
		w.reads(env, cellResponse)
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
		w.writes(env, cellResponse)
		w.response, w.next = p, 0
		w.queueEvents(env)
	}
}

// queueEvents puts the events of a response, or the progress that it is, into
// incomingEventChan as far as there is room.
func (w *watchChan) queueEvents(env *sim.Env) {
	empty := w.incomingEventChan.Len() == 0
	w.looksAt(env, cellIncoming)
	w.queueResponse(env)
	if empty {
		w.wakeProcessEvents(env)
	}
	w.wakeStartWatching(env)
}

func (w *watchChan) queueResponse(env *sim.Env) {
	p := w.response
	w.writes(env, cellResponse)
	w.writes(env, cellStartWatching)
	if p.IsProgressNotify() {
		if !w.room(env) {
			return
		}
		w.push(env, event{rev: p.Revision, progressID: p.ProgressID})
	}
	for ; w.next < len(p.Events); w.next++ {
		if !w.room(env) {
			eventWaits.Say(env, w.prefix, p.Events[w.next].Kv.ModRevision)
			return
		}
		e := &p.Events[w.next]
		if e.PrevKv == nil && !w.withoutPrevKV && !isCreate(e) && !w.c.cfg.PassesMissingPrevKv {
			env.Cover(missingPrevKvFailed)
			w.writes(env, cellErr)
			w.response, w.err, w.state = nil, errWithoutPrevKv(e), watchFailing
			return
		}
		parsed.Say(env, w.prefix, e.Kv.ModRevision)
		w.push(env, event{event: e, rev: e.Kv.ModRevision})
	}
	w.response, w.state = nil, watchReceiving
}

// push puts an event into incomingEventChan, which has room. A scheduler that waits there
// takes it at once.
func (w *watchChan) push(env *sim.Env, e event) {
	if w.c.cfg.DecodesConcurrently && w.incomingEventChan.Len() == 0 && w.schedules(env, e) {
		return
	}
	env.WritesItem(cellIncoming, int(w.n), w.incomingEventChan.Next())
	w.incomingEventChan.Push(e)
}

func (w *watchChan) isFull() bool { return w.incomingEventChan.Len() == w.c.cfg.IncomingBufSize }

// room reports whether incomingEventChan takes one more event. If not, the watch
// waits for it.
func (w *watchChan) room(env *sim.Env) bool {
	if !w.isFull() {
		return true
	}
	env.Cover(incomingEventChanFull)
	w.state = watchQueueing
	return false
}

// wakeStartWatching enables startWatching if it has something to do with responses:
// initial events are queued by then.
func (w *watchChan) wakeStartWatching(env *sim.Env) {
	w.looksAt(env, cellStartWatching)
	w.looksAt(env, cellIncoming)
	ready := false
	switch w.state {
	case watchReceiving:
		ready = w.c.client.Ready(env, w.n)
	case watchQueueing:
		ready = !w.isFull()
	case watchFailing:
		ready = env.CanSend(w.conn)
	}
	if ready {
		env.Enable(w.startWatchingTask())
	}
}

// fail ends the watch with an error, as soon as resultChan has room.
func (w *watchChan) fail(env *sim.Env, err *wire.Error) {
	w.writes(env, cellErr)
	w.err = err
	w.sendError(env)
}

// sendError puts an error into resultChan, past what is queued, and cancels.
func (w *watchChan) sendError(env *sim.Env) {
	if !env.CanSend(w.conn) {
		env.Cover(errorWaits)
		endWaits.Say(env, w.prefix, w.err.Message)
		w.writes(env, cellStartWatching)
		w.state = watchFailing
		return
	}
	if w.incomingEventChan.Len() > 0 {
		env.Cover(errorOvertakes)
	}
	if len(w.slots) > 0 {
		env.Cover(errorOvertakesDecodes)
	}
	watchEnds.Say(env, w.prefix, w.err.Message)
	env.Under(w.cause)
	env.Send(w.conn, &wire.WatchEvent{Type: wire.Failed, Err: w.err})
	w.cancel(env)
}

// cancel ends a watch from this side: resultChan is closed behind what is in it.
func (w *watchChan) cancel(env *sim.Env) {
	env.Close(w.conn)
	w.contextDone(env)
}

// contextDone ends everything that belongs to a watch but for clientv3's part of
// it.
func (w *watchChan) contextDone(env *sim.Env) {
	if w.incomingEventChan.Len() > 0 {
		env.Cover(incomingDropped)
	}
	env.Disable(w.startWatchingTask())
	env.Disable(w.processEventsTask())
	w.stopDecodes(env)
	syncing := w.sync.step != syncDone
	for _, k := range [...]sim.CellKind{cellStartWatching, cellResponse, cellErr, cellIncoming} {
		w.writes(env, k)
	}
	w.state = watchDone
	w.response, w.err = nil, nil
	w.incomingEventChan.Clear()
	switch {
	case syncing:
		env.Cover(stoppedWhileSyncing)
		w.c.client.GiveUp(env, w.n)
		env.Close(w.sync.stream)
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
