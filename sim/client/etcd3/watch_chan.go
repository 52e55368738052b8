package etcd3

import (
	"slices"
	"strconv"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/client/clientv3"
	"github.com/watchbed/watchbed/sim/option"
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

func (w *watchChan) Free() bool { return w.loop.Value().state == watchFree }

// response is the one whose events startWatching queues, next the first
// event that is not queued yet.
type response struct {
	*wire.WatchResponse
	next int
}

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

// wakeProcessEvents lets serialProcessEvents take the next event, if there is one and room for
// what it makes of it: after the time that this takes. A concurrent scheduler takes events by
// itself.
func (w *watchChan) wakeProcessEvents(env *sim.Env) {
	if w.c.cfg.DecodesConcurrently || w.incomingEventChan.Value().Len() == 0 || !env.CanSend(w.loop.Value().conn) {
		return
	}
	if w.c.cfg.DecodeTime == 0 {
		env.Enable(w.processEventsTask())
	} else {
		w.beginDecode(env, 0, &w.incomingEventChan.Value().All()[0])
	}
}

// processEvents moves one event from incomingEventChan to resultChan.
func (w *watchChan) processEvents(env *sim.Env) {
	e := w.incomingEventChan.Pop(env)
	w.wakeWhenRoom(env)
	if w.decodeFails(env, &e) {
		w.fail(env, errDecode)
		return
	}
	w.sendEvent(env, e)
	if w.incomingEventChan.Value().Len() > 0 && !env.CanSend(w.loop.Value().conn) {
		env.Cover(resultChanFull)
	}
	w.wakeProcessEvents(env)
}

// wakeWhenRoom lets startWatching go on if it waits for room in incomingEventChan.
func (w *watchChan) wakeWhenRoom(env *sim.Env) {
	w.page.Look(env)
	w.queued.Look(env)
	if at := w.loop.Look(env).state; at == watchQueueing || at == watchSyncing && w.hasItems() {
		env.Enable(w.startWatchingTask())
	}
}

// sendEvent puts what an event has become into resultChan, which has room, unless that is
// nothing.
func (w *watchChan) sendEvent(env *sim.Env, e event) {
	if r := w.transform(env, e); r != nil {
		l := w.loop.Value()
		env.Under(l.cause)
		env.Send(l.conn, r)
	}
}

// resultChanHasRoom lets the loops go on that were waiting for it.
func (w *watchChan) resultChanHasRoom(env *sim.Env) {
	if incoming := w.incomingEventChan.Look(env); w.c.cfg.DecodesConcurrently {
		w.collect(env)
	} else if incoming.Len() > 0 {
		env.Cover(resultChanDrained)
		w.wakeProcessEvents(env)
	}
	if w.loop.Look(env).state == watchFailing {
		env.Enable(w.startWatchingTask())
	}
}

// transform makes the cache's event of an event. It returns nil for a deletion
// that came without the object that was deleted.
func (w *watchChan) transform(env *sim.Env, e event) *wire.WatchEvent {
	c, ev := w.c, e.event
	switch {
	case e.item != nil:
		r := c.results.New()
		r.Type, r.ResourceVersion, r.Item = wire.Added, e.rev, e.item
		return r
	case ev == nil:
		r := c.results.New()
		r.Type, r.ResourceVersion, r.ProgressID = wire.Bookmark, e.rev, e.progressID
		r.InitialEventsEnd = e.isInitialEventsEndBookmark
		return r
	case ev.Type == wire.Put:
		r := c.results.New()
		r.Type, r.ResourceVersion, r.Item = wire.Modified, e.rev, ev.Kv
		if isCreate(ev) {
			r.Type = wire.Added
		}
		if w.loop.Value().selects {
			r.Prev = ev.PrevKv
		}
		return r
	case w.loop.Value().withoutPrevKV:
		r := c.results.New()
		r.Type, r.ResourceVersion, r.Item = wire.Deleted, e.rev, ev.Kv
		return r
	case ev.PrevKv == nil:
		// Upstream it is an event without an object, which the reflector logs and
		// skips.
		env.Cover(deletionSkipped)
		deletionDropped.Say(env, ev.Kv.Key, ev.Kv.ModRevision)
		return nil
	}
	r := c.results.New()
	old := *ev.PrevKv
	old.ModRevision = e.rev
	r.Type, r.ResourceVersion, r.Item = wire.Deleted, e.rev, &old
	return r
}

// event is etcd3's event: a change, an object that was there before the watch,
// or with neither of them the progress up to rev.
type event struct {
	event *wire.Event
	// item is an object of the initial list (parseKV).
	item *wire.KeyValue
	rev  int64
	// isInitialEventsEndBookmark: rev ends the initial events.
	isInitialEventsEndBookmark bool
	// progressID is the request that the progress answers, 0 if that is not known.
	progressID int64
}

// isProgress reports whether the event has no object.
func (e *event) isProgress() bool { return e.event == nil && e.item == nil }

// object is what the event has to be decoded for: of a deletion that is the object before, or its key if etcd was not
// asked for that.
func (e *event) object() *wire.KeyValue {
	switch {
	case e.item != nil:
		return e.item
	case e.event.Type == wire.Delete && e.event.PrevKv != nil:
		return e.event.PrevKv
	}
	return e.event.Kv
}

func isCreate(e *wire.Event) bool {
	return e.Type == wire.Put && e.Kv.CreateRevision == e.Kv.ModRevision
}

func (e *event) Digest(d sim.Digest) sim.Digest {
	d = d.Int(e.rev).Bool(e.isInitialEventsEndBookmark)
	if e.item != nil {
		d = e.item.Digest(d)
	}
	if ev := e.event; ev != nil {
		d = ev.Kv.Digest(d.Word(uint64(ev.Type)))
		if ev.PrevKv != nil {
			d = ev.PrevKv.Digest(d)
		}
	}
	return d
}

// Decodes is how many events of a watch are decoded at the same time: processEventConcurrency.
const Decodes = 10

// slot is an entry of processingQueue: an event whose decode has begun, in the order in which
// events came.
type slot struct {
	event event
	// place is that of the goroutine which decodes it, the first free one.
	place int
	// done: the goroutine has put its result into the slot. It is an error if failed.
	done, failed bool
}

// schedules is scheduleEventProcessing for one event: it is given the next slot, and its decode
// begins. It returns false if there is no slot.
func (w *watchChan) schedules(env *sim.Env, e event) bool {
	slots := *w.slots.Look(env)
	if w.c.cfg.BookmarksPass && e.isProgress() && env.CanSend(w.loop.Value().conn) {
		if len(slots) > 0 {
			progressPasses.Say(env, e.rev, slots[0].event.rev)
		}
		w.sendEvent(env, e)
		return true
	}
	if len(slots) == Decodes {
		env.Cover(decodesFull)
		return false
	}
	place := 0
	for placed(slots, place) >= 0 {
		place++
	}
	w.slots.Set(env, append(slots, slot{event: e, place: place}))
	w.beginDecode(env, place, &e)
	return true
}

func placed(slots []slot, place int) int {
	return slices.IndexFunc(slots, func(s slot) bool { return s.place == place })
}

// beginDecode has an event be decoded at a place: at any time, or within the time that this
// takes. Progress has no object.
func (w *watchChan) beginDecode(env *sim.Env, place int, e *event) {
	took := w.c.cfg.DecodeTime
	if took == 0 || e.isProgress() {
		env.Enable(w.decodeTask(place))
		return
	}
	timer := w.decodeTimer(place)
	if env.Armed(timer) {
		return
	}
	if env.Mode() == sim.Timed {
		took -= sim.Duration(env.Choose(decodeSteps, "decode time")) * took / (2 * decodeSteps)
	}
	env.Arm(timer, took)
}

// decodeSteps is how many values a decode time has, from the longest down to more than half.
const decodeSteps = 4

func (w *watchChan) decodeTask(place int) sim.Task {
	return sim.Task(w.c.cfg.DecodeTask.Of(w.n) + place)
}

func (w *watchChan) decodeTimer(place int) sim.Timer {
	return sim.Timer(w.c.cfg.DecodeTimer.Of(w.n) + place)
}

// Decoded is the end of a decode: of the watch with a number, at a place.
func (c *Watcher) Decoded(env *sim.Env, watch, place int) {
	if w := c.watches.At(watch); w.c.cfg.DecodesConcurrently {
		w.decoded(env, place)
	} else {
		w.processEvents(env)
	}
}

// DecodeName names the decode at a place.
func (c *Watcher) DecodeName(watch, place int) string {
	return "decode " + c.watches.At(watch).name() + " " + strconv.Itoa(place)
}

// decoded puts a result into its slot, and lets collectEventProcessing look.
func (w *watchChan) decoded(env *sim.Env, place int) {
	w.slots.Read(env)
	slots := *w.slots.Change(env)
	i := placed(slots, place)
	s := &slots[i]
	s.done, s.failed = true, w.decodeFails(env, &s.event)
	if i > 0 && !slots[0].done {
		env.Cover(decodedOutOfOrder)
	}
	w.collect(env)
}

// collect is collectEventProcessing, as far as results are there and resultChan has room. What
// it takes makes room for the scheduler.
func (w *watchChan) collect(env *sim.Env) {
	for {
		slots := *w.slots.Look(env)
		i := slices.IndexFunc(slots, func(s slot) bool { return s.done })
		if i < 0 || i > 0 && !w.c.cfg.CollectsAsReady {
			return
		}
		if !slots[i].failed && !env.CanSend(w.loop.Value().conn) {
			env.Cover(resultChanFull)
			return
		}
		w.slots.Read(env)
		s := slots[i]
		if i > 0 {
			sentPast.Say(env, s.event.rev, slots[0].event.rev)
		}
		w.slots.Set(env, slices.Delete(slots, i, i+1))
		switch {
		case !s.failed:
			w.sendEvent(env, s.event)
		case !w.c.cfg.DecodeErrorsAside:
			w.stopDecodes(env)
			w.incomingEventChan.Clear(env)
			w.fail(env, errDecode)
			return
		default:
			leftOut.Say(env, s.event.rev)
			w.failAside(env)
		}
		w.scheduleNext(env)
	}
}

// scheduleNext is a turn of scheduleEventProcessing: a slot is free.
func (w *watchChan) scheduleNext(env *sim.Env) {
	for w.incomingEventChan.Look(env).Len() > 0 && len(*w.slots.Value()) < Decodes {
		e := w.incomingEventChan.Pop(env)
		w.wakeWhenRoom(env)
		w.schedules(env, e)
	}
}

// stopDecodes ends what is decoded: the context is cancelled.
func (w *watchChan) stopDecodes(env *sim.Env) {
	if !w.c.cfg.DecodesConcurrently {
		if w.c.cfg.DecodeTime > 0 {
			env.Disarm(w.decodeTimer(0))
			env.Disable(w.decodeTask(0))
		}
		return
	}
	for _, s := range *w.slots.Value() {
		if s.done {
			continue
		}
		env.Disable(w.decodeTask(s.place))
		if w.c.cfg.DecodeTime > 0 {
			env.Disarm(w.decodeTimer(s.place))
		}
	}
	w.slots.Set(env, nil)
}

// decodeFails settles whether an object cannot be decoded, as long as some may not: its bytes
// are corrupt, or a conversion webhook does not answer.
func (w *watchChan) decodeFails(env *sim.Env, e *event) bool {
	c := w.c
	if e.isProgress() {
		return false
	}
	if c.isUndecodable(e.object()) {
		env.Cover(undecodableMet)
		return true
	}
	if c.cfg.DecodeFailures == 0 {
		return false
	}
	if c.decodeFailures.Get(env) == 0 || env.Choose(2, "decode fails") == 0 {
		return false
	}
	*c.decodeFailures.Change(env)--
	env.Cover(decodeFailed)
	return true
}

// failAside reports an error past what is decoded and queued, and what comes.
func (w *watchChan) failAside(env *sim.Env) {
	w.err.Set(env, errDecode)
	w.loop.Change(env).state = watchFailing
	env.Enable(w.startWatchingTask())
}

// isUndecodable reports whether an object never can be decoded.
func (c *Watcher) isUndecodable(kv *wire.KeyValue) bool {
	return c.cfg.Undecodable != "" && kv != nil && kv.Value == c.cfg.Undecodable
}

// DecodeAnswer is what the store makes of the answer to a read: an error if an object in it cannot be decoded
// (store.Get, store.GetList).
func (c *Watcher) DecodeAnswer(env *sim.Env, p sim.Payload) sim.Payload {
	if resp, ok := p.(*wire.RangeResponse); ok && slices.ContainsFunc(resp.Kvs, c.isUndecodable) {
		env.Cover(undecodableRead)
		return errDecode
	}
	return p
}

var errDecode = &wire.Error{Code: wire.Internal, Message: "an object from etcd cannot be decoded"}

// DecodeOptions are how events become objects.
type DecodeOptions struct {
	// DecodesConcurrently is the gate ConcurrentWatchObjectDecode, by default from Kubernetes 1.37 on:
	// concurrentProcessEvents in place of serialProcessEvents.
	DecodesConcurrently bool
	CollectsAsReady     bool
	BookmarksPass       bool
	DecodeErrorsAside   bool
	// DecodeTime is the longest time that the decode of an object takes.
	DecodeTime sim.Duration
	// DecodeFailures is how many objects at most cannot be decoded.
	DecodeFailures int
	// Undecodable is the value of objects that cannot be decoded wherever they are met, empty if there is none: bytes
	// in etcd that are corrupt, or no webhook that converts them.
	Undecodable string
}

var decodeChoices = option.NewGroup("client",
	option.Either("watch-decode", func(o *DecodeOptions) *bool { return &o.DecodesConcurrently },
		"how many events of a watch etcd3 decodes at the same time (ConcurrentWatchObjectDecode, KEP-6178)",
		option.Off("serial", "one: up to Kubernetes 1.36"),
		option.Val("concurrent", "ten, and sends them in the order in which they came")),
	option.Either("decode-order", func(o *DecodeOptions) *bool { return &o.CollectsAsReady }, "which decoded event a watch sends next, if several are decoded at the same time",
		option.Val("as-they-came", "the one that came first, when it is decoded"),
		option.Bug("as-ready", "whichever is decoded")),
	option.Either("bookmark-slot", func(o *DecodeOptions) *bool { return &o.BookmarksPass }, "what progress does behind events that are still decoded",
		option.Val("taken", "it takes a slot, and waits for them"),
		option.Bug("none", "it is sent past them")),
	option.Either("decode-error", func(o *DecodeOptions) *bool { return &o.DecodeErrorsAside }, "what becomes of an object that cannot be decoded",
		option.Val("in-slot", "an error in its place ends the watch"),
		option.Bug("aside", "its event is left out, and the error is reported past what is decoded")),
)

var decodeAmounts = option.NewGroup("client",
	option.Duration("decode-time", func(o *DecodeOptions) *time.Duration { return &o.DecodeTime }, "none", "the longest that etcd3 needs for the object of an event, such as a conversion webhook; at least half of it"),
	option.Text("undecodable", func(o *DecodeOptions) *string { return &o.Undecodable }, anyValue, "a value, such as w1.2, the second that writer-1 writes", "the value of an object that etcd3 cannot decode, in watches, lists and gets, until it is written anew"),
	option.Count("decode-failures", func(o *DecodeOptions) *int { return &o.DecodeFailures }, "none", "objects at most that etcd3 cannot decode, of those that come on watches"),
)

func anyValue(string) error { return nil }

// page is what etcd3's startWatching does before it calls clientv3's Watch:
// it asks for etcd's revision, lists all objects (sync), and queues them as
// initial events, page by page.
type page struct {
	step syncStep
	// came: a page has come. Of its items, items[queued.next:] are not queued yet.
	came  bool
	items []*wire.KeyValue
	// more: there is a page after this one. It begins behind lastKey, at revision
	// rev, which the first page fixed.
	more    bool
	lastKey string
	rev     int64
	// stream brings the initial events in chunks, NoConn if they come in pages. Until it is
	// closed, more is set.
	stream sim.Conn
}

type queued struct {
	next int
	// endBookmark: the initial events are to end with a bookmark.
	endBookmark bool
}

type syncStep uint8

const (
	syncDone syncStep = iota
	// syncCurrent: etcd is asked for the revision from which to watch
	// (getStartWatchResourceVersion).
	syncCurrent
	// syncMinimum: etcd is asked whether it has reached the revision that the
	// initial events must have.
	syncMinimum
	// syncListing: pages are requested and queued.
	syncListing
)

// hasItems: something is there to queue.
func (w *watchChan) hasItems() bool {
	s := w.page.Value()
	return s.step == syncListing && (w.queued.Value().next < len(s.items) || s.came && !s.more)
}

// startSync begins what comes before the watch. It returns false if that is
// nothing.
func (w *watchChan) startSync(env *sim.Env, p *wire.WatchStart) bool {
	s := page{rev: max(p.Revision, 0)}
	switch {
	case p.SendInitialEvents == wire.SendInitialEventsFalse && s.rev == 0:
		env.Cover(watchFromCurrent)
		s.step = syncCurrent
	case p.SendInitialEvents == wire.SendInitialEventsTrue && s.rev > 0:
		s.step = syncMinimum
	case p.SendInitialEvents == wire.SendInitialEventsTrue:
		s.step = syncListing
	default:
		return false
	}
	w.page.Set(env, s)
	w.queued.Set(env, queued{endBookmark: p.SendInitialEvents == wire.SendInitialEventsTrue && p.AllowBookmarks})
	l := w.loop.Value()
	l.state = watchSyncing
	if s.step == syncListing {
		w.listInitial(env)
	} else {
		// No object has the bare prefix for its key (getCurrentStorageRV).
		w.ask(env, &wire.RangeRequest{Key: l.prefix})
	}
	return true
}

// established: the revision is known after which the watch begins, which is when
// watcher.Watch returns.
func (w *watchChan) established(env *sim.Env) {
	if l := w.loop.Value(); l.announcesStart {
		env.Send(l.conn, &wire.WatchEstablished{})
	}
}

func (w *watchChan) ask(env *sim.Env, p *wire.RangeRequest) {
	l := w.loop.Value()
	w.c.client.Ask(env, w.n, l.from, p, l.cause)
}

// listInitial requests the first page, without a revision: also a watch that names
// a revision gets the newest state.
func (w *watchChan) listInitial(env *sim.Env) {
	env.Cover(syncStarted)
	s := w.page.Change(env)
	s.step, s.rev = syncListing, 0
	if w.loop.Value().end != "" && w.c.streams(env) {
		w.syncStream(env)
		return
	}
	w.firstPage(env)
}

// firstPage is the beginning of syncPaginated.
func (w *watchChan) firstPage(env *sim.Env) {
	l := w.loop.Value()
	w.ask(env, &wire.RangeRequest{Key: l.prefix, RangeEnd: l.end, Limit: w.pageSize()})
}

func (w *watchChan) pageSize() int64 { return int64(w.c.cfg.SyncPageSize) }

// synced takes etcd's answer to a question of the sync.
func (w *watchChan) synced(env *sim.Env, p sim.Payload) {
	if w.loop.Look(env).state == watchFailing {
		// An object could not be decoded: nothing is sent any more.
		return
	}
	s := w.page.Read(env)
	answer, ok := p.(*wire.RangeResponse)
	switch {
	case !ok || answer.More && len(answer.Kvs) == 0:
		// After an empty page there is no key at which the next one could start.
		env.Cover(syncFailed)
		err := errInterrupted
		if e, refused := p.(*wire.Error); refused {
			err = e
		}
		w.fail(env, err)
	case s.step == syncCurrent:
		w.established(env)
		w.syncedUpTo(env, answer.Revision)
	case s.step == syncMinimum && s.rev > answer.Revision:
		env.Cover(syncTooLarge)
		w.fail(env, errTooLarge)
	case s.step == syncMinimum:
		w.listInitial(env)
	default:
		w.takePage(env, answer)
	}
}

func (w *watchChan) takePage(env *sim.Env, p *wire.RangeResponse) {
	s := w.page.Change(env)
	w.queued.Change(env).next = 0
	if s.rev == 0 {
		s.rev = p.Revision
	}
	s.items, s.came, s.more = p.Kvs, true, p.More
	if s.more {
		env.Cover(syncPaged)
		s.lastKey = p.Kvs[len(p.Kvs)-1].Key
	}
	w.queueInitial(env)
}

// queueInitial puts the items of a page into incomingEventChan as far as there
// is room, then requests the next page, or starts the watch.
func (w *watchChan) queueInitial(env *sim.Env) {
	s, q := w.page.Look(env), w.queued.Change(env)
	empty := w.incomingEventChan.Look(env).Len() == 0
	for q.next < len(s.items) && !w.isFull() {
		kv := s.items[q.next]
		q.next++
		w.push(env, event{item: kv, rev: kv.ModRevision})
	}
	full := w.isFull()
	queued := q.next == len(s.items)
	if queued && !s.more && q.endBookmark && !full {
		env.Cover(syncEndQueued)
		w.push(env, event{rev: s.rev, isInitialEventsEndBookmark: true})
		q.endBookmark = false
	}
	if empty {
		w.wakeProcessEvents(env)
	}
	switch {
	case !queued || !s.more && q.endBookmark:
		env.Cover(syncBlocked)
	case s.stream != sim.NoConn:
		w.nextChunk(env)
	case s.more:
		s := w.page.Change(env)
		s.items, s.came, q.next = nil, false, 0
		w.ask(env, &wire.RangeRequest{Key: s.lastKey + "\x00", RangeEnd: w.loop.Value().end, Limit: w.pageSize(), Revision: s.rev})
	default:
		w.syncedUpTo(env, s.rev)
	}
}

// syncedUpTo begins the watch behind what was listed.
func (w *watchChan) syncedUpTo(env *sim.Env, revision int64) {
	w.page.Set(env, page{})
	w.queued.Set(env, queued{})
	l := w.loop.Change(env)
	l.state = watchReceiving
	env.Under(l.cause)
	w.startWatch(env, revision+1)
}

var (
	errInterrupted = &wire.Error{Code: wire.Unavailable, Message: "the connection broke"}
	errTooLarge    = &wire.Error{Code: wire.TooLargeResourceVersion, Message: "Too large resource version", RetryAfter: 1}
)
