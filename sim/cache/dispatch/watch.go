package dispatch

import (
	"fmt"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/request"
	"github.com/watchbed/watchbed/sim/wire"
)

// Watch is Cacher.Watch up to where it first blocks.
func (d *Dispatcher) Watch(env *sim.Env, m *sim.Message, req *wire.WatchRequest) {
	if err := d.validate(req); err != nil {
		env.Cover(watchInvalid)
		Refuse(env, m.Conn, err)
		return
	}
	if d.cfg.Delegation.Serves(req) {
		d.establishEarly(env, m, req)
		d.delegateWatch(env, m, req)
		return
	}
	if !d.cfg.Ready.IsSet(env) {
		env.Cover(watchRefusedUnready)
		Refuse(env, m.Conn, d.cfg.Ready.Refusal(env))
		return
	}
	d.establishEarly(env, m, req)
	if isWatchList(req) && !d.cfg.Guard.ConsistentReadSupported(env) {
		env.Cover(watchListUnsupported)
		d.establish(env, m.Conn, req)
		Refuse(env, m.Conn, progressNotTrusted)
		return
	}
	if isWatchList(req) && d.seemsSilent(env) {
		env.Cover(watchListSilent)
		d.establish(env, m.Conn, req)
		Refuse(env, m.Conn, noProgressHeard)
		return
	}
	w := d.newCacheWatcher(env, m, req)
	w.state = watcherStarting
	w.generation = d.cfg.Ready.Generation()
	if requiresCurrentVersion(req) {
		env.Cover(watchAsksForVersion)
		d.cfg.Reads.AskRevision(env, w)
		return
	}
	w.required = max(req.ResourceVersion, 0)
	if !w.waitUntilFresh(env) {
		env.Enable(w.task)
	}
}

// validate refuses what the API refuses before any storage sees it
// (validateWatchOptions of the API machinery), and what an API server does not
// know without the gate WatchList.
func (d *Dispatcher) validate(req *wire.WatchRequest) *wire.Error {
	switch {
	case d.cfg.Fields.Unsupported(req.Selector) != "":
		return request.UnsupportedField(d.cfg.Fields.Unsupported(req.Selector))
	case req.ResourceVersion < wire.Unset:
		return badVersion
	case req.SendInitialEvents > wire.SendInitialEventsTrue:
		return badInitialEvents
	case req.Match != wire.MatchUnset && req.Match != wire.MatchNotOlderThan:
		return badMatch
	case req.SendInitialEvents != wire.SendInitialEventsUnset && req.Match == wire.MatchUnset:
		return initialEventsWithoutMatch
	case req.SendInitialEvents == wire.SendInitialEventsUnset && req.Match != wire.MatchUnset:
		return matchWithoutInitialEvents
	case req.SendInitialEvents != wire.SendInitialEventsUnset && d.cfg.WithoutWatchList:
		return watchListGateOff
	}
	return nil
}

// newCacheWatcher is the watcher of a request. Nothing is sent to it yet.
func (d *Dispatcher) newCacheWatcher(env *sim.Env, m *sim.Message, req *wire.WatchRequest) *Watcher {
	w := d.newWatcher(env)
	d.watchers.Write(env, w)
	w.turn.ChangeItem(env, turnRequest)
	w.request, w.conn, w.from, w.cause = req, m.Conn, m.From, m.Cause
	d.conns[w.number] = m.Conn
	w.prefix = req.Prefix
	if !req.Single {
		w.prefix = d.cfg.Reads.ObjectPrefix(req.Prefix)
	}
	w.began = env.Now()
	if d.trigger != nil {
		w.triggerValue, w.triggered = req.Selector.RequiresExactMatch(d.trigger.Name)
	}
	capacity := d.suggestedWatchChannelSize(env, w)
	w.inputChannel.Change(env).capacity = int32(capacity)
	env.Bound(m.Conn, capacity)
	if req.TimeoutSeconds > 0 {
		w.deadline = env.Now() + sim.Time(time.Duration(min(req.TimeoutSeconds, maxTimeout))*time.Second)
		env.Arm(w.timer, w.deadline.Sub(env.Now()))
	}
	return w
}

// maxTimeout is longer than any run; in nanoseconds it is still a number.
const maxTimeout = 1 << 30

// maxChannelSize is the greatest size of each of a watcher's two channels: the fewer
// events a watch is given, the fewer it has to hold (maxWatchChanSizeWithoutIndex and its
// kin).
func (d *Dispatcher) maxChannelSize(w *Watcher) int {
	switch {
	case d.trigger == nil:
		return 100
	case w.triggered:
		return 10
	}
	return 1000
}

// suggestedWatchChannelSize is the capacity of each of a watcher's two channels.
func (d *Dispatcher) suggestedWatchChannelSize(env *sim.Env, w *Watcher) int {
	if d.cfg.WatchCapacity > 0 {
		return d.cfg.WatchCapacity
	}
	fresh := d.cfg.EventFreshDuration
	aSecond := int((time.Duration(d.cfg.Store.HistoryCapacity(env))*time.Second + fresh - 1) / fresh)
	return min(max(aSecond, 10), d.maxChannelSize(w))
}

// requiresCurrentVersion: a watch that gives no resourceVersion has to see
// everything that etcd has committed by now (getWatchCacheResourceVersion). A watch
// without any option is the exception: it is served like one at resourceVersion
// "0".
func requiresCurrentVersion(req *wire.WatchRequest) bool {
	return req.ResourceVersion == wire.Unset && req.SendInitialEvents != wire.SendInitialEventsUnset
}

// RevisionKnown gives a watch the revision of etcd, which the cache has to reach.
// It returns false if the cache is there already.
func (w *Watcher) RevisionKnown(env *sim.Env, revision int64) bool {
	w.turn.ReadItem(env, turnRequest)
	w.turn.ChangeItem(env, turnRequest).required = revision
	if w.waitUntilFresh(env) {
		return true
	}
	env.Enable(w.task)
	return false
}

// waitUntilFresh makes the watch wait for the cache, if it has to. Only initial
// events have to be fresh; any other watch can just as well wait for the events
// themselves (waitUntilWatchCacheFreshAndForceAllEvents).
func (w *Watcher) waitUntilFresh(env *sim.Env) bool {
	if w.request.SendInitialEvents != wire.SendInitialEventsTrue {
		return false
	}
	d := w.dispatcher
	begin := w.beginning()
	if begin.At <= d.cfg.Store.ResourceVersion(env) {
		return false
	}
	d.cfg.Reads.LetWait(env, w, begin.At, begin.Within)
	return true
}

// Fresh continues a watch: the cache has reached the revision that the watch
// waited for. Upstream releases the lock here and takes it again for the initial
// events (watch-start).
func (w *Watcher) Fresh(env *sim.Env) {
	if w.turn.Look(env).state == watcherLeft {
		w.forget(env)
		return
	}
	if w.dispatcher.cfg.StartsAtOnce {
		w.register(env)
		return
	}
	env.Enable(w.task)
}

// Refused ends a watch that waited too long, or for which etcd did not answer
// with its revision.
func (w *Watcher) Refused(env *sim.Env, err *wire.Error) {
	env.Cover(watchRefusedWaiting)
	w.turn.Read(env)
	switch {
	case w.state == watcherLeft:
	case err.Code == wire.TooLargeResourceVersion && w.beginning().HardClose:
		env.Cover(watchHardClosed)
		env.Add(hardClosed, 1)
		if env.Noting() {
			env.Note(tornDown.Of(w.dispatcher.cfg.Store.ResourceVersion(env), w.required, w.from))
		}
		env.Abort(w.conn)
	default:
		w.dispatcher.establish(env, w.conn, w.request)
		Refuse(env, w.conn, err)
	}
	w.forget(env)
}

// leaveStarting: the client of a watch that is not registered yet has gone. A
// question to etcd ends with it; waiting for the cache does not, since
// waitUntilFreshLocked never looks at the context.
func (w *Watcher) leaveStarting(env *sim.Env) {
	if w.dispatcher.cfg.Reads.Abandon(env, w) {
		w.close(env)
		return
	}
	env.Cover(watchLeftWaiting)
	env.Close(w.conn)
	w.turn.ChangeItem(env, turnEnd).state = watcherLeft
}

// register is the rest of Cacher.Watch: the initial events under the cache's
// lock, then, under the registry's too, the check that the cache is still the one
// that the watch began with.
func (w *Watcher) register(env *sim.Env) {
	w.turn.ReadItem(env, turnRequest)
	d := w.dispatcher
	d.establish(env, w.conn, w.request)
	if !w.takeInitialEvents(env) {
		env.Cover(watchTooOld)
		Refuse(env, w.conn, tooOld)
		w.forget(env)
		return
	}
	if !w.inGeneration(env) {
		env.Cover(watchAcrossGenerations)
		w.close(env)
		return
	}
	w.turn.ChangeItem(env, turnRegistration)
	w.dispatcher.registry.Change(env)
	w.registered, w.state = true, watcherInitial
	if d.cfg.StartsAtOnce {
		w.inputChannel.Change(env).queued = true
		w.capacity--
	}
	if env.Noting() {
		w.noteRegistered(env)
	}
	if d.catchUp != nil && d.catchUp.InPasses {
		w.sync(env)
	}
	w.expectEndBookmark(env)
	env.Enable(w.task)
	if w.request.AllowBookmarks {
		w.countsForBookmarks = true
		d.bookmarkWatchers++
		w.bookmarks.Change(env)
		w.bookmarkAt, w.bookmarkVersion = env.Now(), w.floor
		d.armBookmark(env)
	}
}

func (w *Watcher) noteRegistered(env *sim.Env) {
	d := w.dispatcher
	kind, with, amiss := registered, "objects at resourceVersion", ""
	if !w.wantsInitialEvents() {
		with = "events after resourceVersion"
		if oldest := d.cfg.Store.OldestWatch(env); w.floor < oldest {
			amiss = fmt.Sprintf(", of which its history has only those after %d", oldest)
		}
	}
	if !d.cfg.Ready.IsIn(env, w.generation) {
		amiss += ", although it has started over since the watch was asked for"
	}
	if amiss != "" {
		kind = registeredAmiss
	}
	env.Note(kind.Of(w.from, with, w.floor, amiss))
}

// takeInitialEvents takes what the watcher is sent before the events of the
// dispatcher (getAllEventsSinceLocked). It returns false if the history does not
// reach back far enough.
func (w *Watcher) takeInitialEvents(env *sim.Env) bool {
	s := w.dispatcher.cfg.Store
	w.initial.Change(env)
	if w.wantsInitialEvents() {
		env.Cover(watchFromStore)
		w.floor = s.ResourceVersion(env)
		w.interval.TakeObjects(env, s, w.prefix)
		return true
	}
	from := w.required
	if from == 0 {
		// Initial events were refused, and any resourceVersion will do.
		env.Cover(watchFromNow)
		from = s.ResourceVersion(env)
	}
	if from < w.dispatcher.oldestWatch(env) {
		return false
	}
	env.Cover(watchFromHistory)
	if from > s.ResourceVersion(env) {
		env.Cover(watchFromFuture)
	}
	w.floor = from
	w.interval.TakeHistory(env, s, from)
	return true
}

// wantsInitialEvents: the watch begins with the present state, because it says
// so or because it says nothing at all.
func (w *Watcher) wantsInitialEvents() bool {
	switch w.request.SendInitialEvents {
	case wire.SendInitialEventsTrue:
		return true
	case wire.SendInitialEventsFalse:
		return false
	}
	return w.required == 0
}

// oldestWatch is the oldest resourceVersion from which a watch is accepted. Where caches went
// wrong is the empty history, as there is one after every list.
func (d *Dispatcher) oldestWatch(env *sim.Env) int64 {
	oldest := d.cfg.Store.OldestWatch(env)
	if d.cfg.EmptyHistory == refusesOlder || d.cfg.Store.HistoryLen(env) > 0 {
		return oldest
	}
	if d.cfg.EmptyHistory == takesAny {
		return 0
	}
	return oldest - 1
}

// inGeneration reports whether the cache is still in the generation in which the watch began.
func (w *Watcher) inGeneration(env *sim.Env) bool {
	return w.dispatcher.cfg.Ready.IsIn(env, w.generation) || w.dispatcher.cfg.UncheckedRegistration
}

// establish tells the client of a watch that its beginning is fixed, or that an error
// follows as an event: where Cacher.Watch returns a watch.
func (d *Dispatcher) establish(env *sim.Env, conn sim.Conn, req *wire.WatchRequest) {
	if req.Announce && !d.cfg.AnnouncesEarly {
		env.Cover(watchEstablished)
		env.Send(conn, &established)
	}
}

// establishEarly tells it as soon as the request is accepted, if the cache is so.
func (d *Dispatcher) establishEarly(env *sim.Env, m *sim.Message, req *wire.WatchRequest) {
	if !req.Announce || !d.cfg.AnnouncesEarly {
		return
	}
	env.Cover(watchEstablished)
	establishedEarly.Say(env, m.From)
	env.Send(m.Conn, &established)
}

// established says the same whoever is told it.
var established wire.WatchEstablished

// Refuse answers a watch with an ERROR event, which is how every error of a watch
// is sent once the request has been parsed (newErrWatcher).
func Refuse(env *sim.Env, conn sim.Conn, err *wire.Error) {
	env.Send(conn, &wire.WatchEvent{Type: wire.Failed, Err: err})
	env.Close(conn)
}

var tooOld = &wire.Error{Code: wire.ErrCompacted, Message: "too old resource version"}

var (
	badVersion                = &wire.Error{Code: wire.BadRequest, Message: "resourceVersion must not be negative"}
	badInitialEvents          = &wire.Error{Code: wire.BadRequest, Message: "sendInitialEvents must be true, false or unset"}
	badMatch                  = &wire.Error{Code: wire.BadRequest, Message: `resourceVersionMatch of a watch can only be "NotOlderThan"`}
	initialEventsWithoutMatch = &wire.Error{Code: wire.BadRequest, Message: `sendInitialEvents requires resourceVersionMatch "NotOlderThan"`}
	matchWithoutInitialEvents = &wire.Error{Code: wire.BadRequest, Message: "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"}
	watchListGateOff          = &wire.Error{Code: wire.BadRequest, Message: "sendInitialEvents is forbidden for watch while the feature gate WatchList is off"}

	// Upstream has no code for it either: client-go lists instead after any error.
	progressNotTrusted = &wire.Error{Code: wire.Internal, Message: "sendInitialEvents needs RequestWatchProgress, which is off: etcd is too old, or its version is not known yet"}
)

// Delegation says which watches etcd serves.
type Delegation uint8

// The values of watch-delegation.
const (
	DelegateNone Delegation = iota
	DelegateUnset
	DelegateWatches
)

// Serves reports whether etcd serves a watch.
func (d Delegation) Serves(req *wire.WatchRequest) bool {
	unset := req.ResourceVersion == wire.Unset && req.SendInitialEvents == wire.SendInitialEventsUnset
	return d == DelegateWatches || d == DelegateUnset && unset
}

// delegateWatch passes a watch on to the etcd3 storage. That sends no bookmarks
// to clients but the bookmark at the end of initial events. All delegated watches share
// one stream, and the cache's own may be on it (kubernetes/kubernetes#123532).
func (d *Dispatcher) delegateWatch(env *sim.Env, m *sim.Message, req *wire.WatchRequest) {
	env.Cover(watchDelegated)
	w := d.newCacheWatcher(env, m, req)
	delegated.Say(env, w.from)
	w.state = watcherDelegated
	start := &wire.WatchStart{Prefix: w.prefix, Revision: max(req.ResourceVersion, 0),
		SendInitialEvents: req.SendInitialEvents, AllowBookmarks: isWatchList(req), Selects: !req.Selector.Empty(), Single: req.Single,
		Metadata: d.cfg.UpstreamMetadata, AnnounceStart: req.Announce}
	if start.SendInitialEvents == wire.SendInitialEventsUnset && start.Revision == 0 {
		start.SendInitialEvents = wire.SendInitialEventsTrue
	}
	w.upstream = env.Open(d.cfg.Upstream)
	env.Send(w.upstream, start)
}

// delegatedOn finds the watcher that etcd serves on a connection, nil if there is
// none.
func (d *Dispatcher) delegatedOn(env *sim.Env, conn sim.Conn) *Watcher {
	for _, w := range d.watchers.All() {
		if w.state == watcherDelegated && w.upstream == conn {
			w.turn.ReadItem(env, turnRequest)
			return w
		}
	}
	d.watchers.Look(env)
	return nil
}

// Established tells the client whose watch was delegated that etcd's revision is known.
func (d *Dispatcher) Established(env *sim.Env, conn sim.Conn) {
	if w := d.delegatedOn(env, conn); w != nil {
		env.Under(w.cause)
		d.establish(env, w.conn, w.request)
	}
}

// Relay passes an event of etcd on to the client whose watch was delegated.
func (d *Dispatcher) Relay(env *sim.Env, conn sim.Conn, e *wire.WatchEvent) {
	if w := d.delegatedOn(env, conn); w != nil {
		w.relay(env, e)
	}
}

// relay passes on what the client has selected: etcd knows of no selectors.
func (w *Watcher) relay(env *sim.Env, e *wire.WatchEvent) {
	env.Under(w.cause)
	if e = w.selected(e); e == nil {
		return
	}
	if !env.CanSend(w.conn) {
		env.Cover(delegatedBlocked)
		w.turn.ChangeItem(env, turnInHand).inHand = e
		env.Hold(w.upstream)
		return
	}
	env.Send(w.conn, e)
	if e.Type == wire.Failed {
		w.endDelegated(env)
	}
}

// relayDrained: the client of a delegated watch has made room.
func (w *Watcher) relayDrained(env *sim.Env) {
	w.turn.ReadItem(env, turnInHand)
	w.turn.ChangeItem(env, sim.NoItem)
	e := w.inHand
	w.inHand = nil
	env.Release(w.upstream)
	w.relay(env, e)
}

// endDelegated: one side of a delegated watch has ended it.
func (w *Watcher) endDelegated(env *sim.Env) {
	env.Cover(delegatedEnded)
	env.Close(w.upstream)
	w.close(env)
}
