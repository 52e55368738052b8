package mvcc

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// WatchStream is mvcc.watchStream: the watchers of one stream and the channel that
// they share.
type WatchStream struct {
	store *WatchableStore
	owner Owner
	slot  int
	// Name is what notes call the stream.
	Name StreamName
	// Chan is watchStream.ch.
	Chan     state.Chan[*WatchResponse] `cell:"etcd: watch channel"`
	watchers state.Var[watchers]        `cell:"etcd: watchStream.watchers"`
}

// watchers is watchStream.watchers, in the order in which they came; made counts all
// that there ever were.
type watchers struct {
	list   []*watcher
	nextID int64
	made   int `cell:"-"`
}

// Clear makes it a new one, and keeps its memory.
func (ws *watchers) Clear() { *ws = watchers{list: ws.list[:0]} }

func (ws *WatchStream) Free() bool { return ws.Name.Client == "" }

// Owner is the gRPC stream above a WatchStream.
type Owner interface {
	// VictimsLanded: syncVictimsLoop has let go of watchers, so that a cancel which
	// waited for one may go on.
	VictimsLanded(env *sim.Env)
	// ProgressDeferred reports whether a progress request waits for something to
	// be sent. Observers ask.
	ProgressDeferred(env *sim.Env) bool
}

// WatchResponse is mvcc.WatchResponse: what is in a watch channel. There it never
// changes, so clones share it.
type WatchResponse struct {
	ID              int64
	Revision        int64
	CompactRevision int64
	Events          []wire.Event
	// ProgressID is that of the request which a notification answers.
	ProgressID int64
	// Behind is how many reads had been queued when this was put into the channel.
	Behind uint64
	// Created: this answers a create request.
	Created bool
}

// StreamName is what people call a stream: its client, and which of its streams it
// is, counted from 0.
type StreamName struct {
	Client  string
	Ordinal int
}

// String leaves the number of a client's first stream out.
func (n StreamName) String() string {
	if n.Ordinal == 0 {
		return n.Client
	}
	return n.Client + " (stream " + strconv.Itoa(n.Ordinal+1) + ")"
}

// NewWatchStream makes a place for streams, the next one.
func (s *WatchableStore) NewWatchStream(owner Owner) *WatchStream {
	ws := s.streams.Reach(len(s.streams.All()), func(n int) WatchStream { return WatchStream{store: s, slot: n} })
	ws.owner = owner
	return ws
}

// Open begins a stream at this place. Receiver is the loop that takes from its
// channel.
func (ws *WatchStream) Open(name StreamName, receiver sim.Task) {
	ws.Name = name
	ws.Chan.Make(ws.store.opts.ChanBufLen, receiver)
}

// Watch is watchStream.Watch: it registers a watcher. The refusal is the reason why
// there is none.
func (ws *WatchStream) Watch(env *sim.Env, req *wire.WatchCreateRequest, startRev int64) (id int64, refusal string) {
	id, refusal = ws.pickID(req)
	if refusal != "" {
		env.Cover(coverWatchRefused)
		return id, refusal
	}
	s := ws.store
	s.Publish(env)
	w, all := s.watchers.New(), ws.watchers.Change(env)
	watcherLayout.Reset(w, ws.slot*maxWatchers+all.made%maxWatchers, watcher{
		// \0 is the smallest key.
		ws: ws, watch: watch{key: cmp.Or(req.Key, "\x00"), end: req.RangeEnd, id: id, startRev: startRev, fcs: req.Filters},
	})
	watcherLayout.Write(env, w)
	all.made++
	all.list = append(all.list, w)
	if curRev := s.Rev(env); startRev > curRev || startRev == 0 {
		w.minRev.Set(env, max(curRev+1, startRev))
		s.setGroup(env, w, synced)
	} else {
		w.minRev.Set(env, startRev)
		s.setGroup(env, w, unsynced)
	}
	w.noteRegistered(env)
	return id, ""
}

func (w *watcher) noteRegistered(env *sim.Env) {
	switch at := w.ws.store.currentRev; {
	case *w.group.Value() == unsynced:
		registeredUnsynced.Say(env, w.ws.Name, w.startRev, w.key)
	case w.startRev > at+1:
		registeredAhead.Say(env, w.ws.Name, w.startRev, w.key, at)
	default:
		registered.Say(env, w.ws.Name, w.startRev, w.key)
	}
}

const (
	errEmptyWatcherRange  = "mvcc: watcher range is empty"
	errWatcherDuplicateID = "mvcc: duplicate watch ID provided on the WatchStream"
)

// pickID is the choice of the id of a new watcher. The text is the reason of a
// refusal.
func (ws *WatchStream) pickID(req *wire.WatchCreateRequest) (id int64, refusal string) {
	// The end "\x00" is everything from the key on.
	if req.RangeEnd != "" && req.RangeEnd != "\x00" && req.Key >= req.RangeEnd {
		return wire.InvalidWatchID, errEmptyWatcherRange
	}
	if req.WatchID != wire.AutoWatchID && !ws.store.opts.CountsIDs {
		if ws.find(req.WatchID) != nil {
			return wire.InvalidWatchID, errWatcherDuplicateID
		}
		return req.WatchID, ""
	}
	for {
		id = ws.watchers.Value().nextID
		ws.watchers.Value().nextID++
		if ws.find(id) == nil {
			return id, ""
		}
	}
}

// find is the watcher with an id, nil if there is none.
func (ws *WatchStream) find(id int64) *watcher {
	for _, w := range ws.watchers.Value().list {
		if w.id == id {
			return w
		}
	}
	return nil
}

// Cancelled is how far a Cancel came.
type Cancelled uint8

const (
	// NoWatcher: there is none of that id.
	NoWatcher Cancelled = iota
	// Waits: the watcher is a victim in flight. Cancel has to be called again.
	Waits
	// Taken: it is in no group any more. Remove comes next.
	Taken
)

// Cancel is watchStream.Cancel up to where it lets go of the watcher.
func (ws *WatchStream) Cancel(env *sim.Env, id int64) Cancelled {
	w := ws.find(id)
	switch {
	case w == nil:
		return NoWatcher
	case !ws.store.cancelWatcher(env, w):
		return Waits
	}
	return Taken
}

// Remove is the end of watchStream.Cancel: the stream forgets the watcher.
func (ws *WatchStream) Remove(env *sim.Env, id int64) {
	w, all := ws.find(id), ws.watchers.Change(env)
	w.watch.Change(env)
	all.list = slices.DeleteFunc(all.list, func(other *watcher) bool { return other == w })
}

// cancelWatcher is watchableStore.cancelWatcher. It returns false if the
// watcher is a victim in flight: then it has to be tried again.
func (s *WatchableStore) cancelWatcher(env *sim.Env, w *watcher) bool {
	s.Publish(env)
	switch w.group.Get(env) {
	case inFlight:
		env.Cover(coverCancelInFlight)
		cancelInFlight.Say(env, w.name())
		return false
	case victim:
		env.Cover(coverCancelVictim)
		s.victims.forget(env, w)
	case unsynced:
		env.Cover(coverCancelUnsynced)
	}
	s.setGroup(env, w, nowhere)
	return true
}

// InFlight reports whether a watcher is a victim in flight.
func (ws *WatchStream) InFlight(id int64) bool {
	w := ws.find(id)
	return w != nil && *w.group.Value() == inFlight
}

// Close is watchStream.Close: it cancels the watchers, and reports whether that was
// all. It has to wait for victims in flight.
func (ws *WatchStream) Close(env *sim.Env) bool {
	all := ws.watchers.Change(env)
	all.list = slices.DeleteFunc(all.list, func(w *watcher) bool {
		cancelled := ws.store.cancelWatcher(env, w)
		if cancelled {
			w.watch.Change(env)
		}
		return cancelled
	})
	return len(all.list) == 0
}

// End empties the place of a stream.
func (ws *WatchStream) End(env *sim.Env) {
	ws.store.streams.Clear(env, ws)
	ws.Name = StreamName{}
}

// RequestProgress is watchStream.RequestProgress. It loses the notification if the
// channel is full.
func (ws *WatchStream) RequestProgress(env *sim.Env, id int64, rule ProgressRule) {
	ws.store.Publish(env)
	ws.watchers.Look(env)
	if w := ws.find(id); w != nil && w.progressIfSync(env, rule) && !w.send(env, ws.store.Rev(env), nil) {
		env.Cover(coverProgressFull)
	}
}

// RequestProgressAll is watchStream.RequestProgressAll: one notification for
// all watchers. It returns false if one of them is in the way. A full channel
// loses the notification.
func (ws *WatchStream) RequestProgressAll(env *sim.Env, progressID int64, rule ProgressRule) bool {
	ws.store.Publish(env)
	all := ws.watchers.Look(env).list
	for _, w := range all {
		if !w.progressIfSync(env, rule) {
			return false
		}
	}
	if len(all) == 0 {
		env.Cover(coverProgressNoWatchers)
		return true
	}
	// Upstream sends through an arbitrary one of them: they share the channel,
	// and filters do not see a response without events.
	if !ws.send(env, &WatchResponse{ID: wire.InvalidWatchID, Revision: ws.store.Rev(env), ProgressID: progressID}) {
		env.Cover(coverProgressFull)
	}
	return true
}

// Missing is the first revision that an unsynced watcher still wants to be sent, at
// or below rev; 0 is none. Observers ask.
func (ws *WatchStream) Missing(env *sim.Env, rev int64) int64 {
	for _, w := range ws.watchers.Value().list {
		if *w.group.Value() == unsynced && *w.minRev.Value() <= rev {
			return w.minRev.Get(env)
		}
	}
	return 0
}

// InTheWay is what the first watcher watches that may not be sent progress; empty is
// none. Observers ask.
func (ws *WatchStream) InTheWay(rule ProgressRule) string {
	for _, w := range ws.watchers.Value().list {
		if *w.group.Value() != synced || rule == IfStarted && ws.store.currentRev < w.startRev {
			return w.key
		}
	}
	return ""
}

// AnyUnsynced reports whether a watcher is not synced. Observers ask.
func (ws *WatchStream) AnyUnsynced() bool {
	return slices.ContainsFunc(ws.watchers.Value().list, func(w *watcher) bool { return *w.group.Value() != synced })
}

// send puts a response into the channel unless that is full.
func (ws *WatchStream) send(env *sim.Env, resp *WatchResponse) bool {
	if ws.Chan.Full(env) {
		env.Cover(coverChannelFull)
		return false
	}
	ws.Post(env, resp)
	return true
}

// Post puts a response into the channel, which has room.
func (ws *WatchStream) Post(env *sim.Env, resp *WatchResponse) {
	queued := ws.store.responses.New()
	*queued = *resp
	queued.Behind = ws.store.ReadsQueued(env)
	ws.Chan.Send(env, queued)
	switch {
	case resp.CompactRevision != 0 || resp.Created:
	case len(resp.Events) == 0:
		postedProgress.Say(env, resp.Revision, ws.Name)
	case resp.ID > 0:
		postedFor.Say(env, RevisionsOf(resp.Events), ws.Name, resp.ID)
	default:
		posted.Say(env, RevisionsOf(resp.Events), ws.Name)
	}
}

// batch is a watcher with the events that are for it: an entry of watcherBatch.
type batch struct {
	watcher *watcher
	eventBatch
}

// eventBatch is the type of that name.
type eventBatch struct {
	evs []wire.Event
	// moreRev is the first revision that did not fit any more, 0 if all did.
	moreRev int64
	// sent: syncVictimsLoop has tried; failed: the channel was still full.
	sent, failed bool
}

// newBatch is newWatcherBatch for one watcher: the changes that it still wants,
// up to WatchBatchMaxRevs revisions of them (eventBatch.add). Changes are in the
// order of their revisions. Watchers that want all of them share one list: all,
// once it is there.
func (s *WatchableStore) newBatch(w *watcher, changes []*version, all *[]wire.Event) (b batch, ok bool) {
	b.watcher = w
	evs := s.evs[:0]
	revs, last := 0, int64(0)
	for i, v := range changes {
		if v.kv.ModRevision < *w.minRev.Value() || !w.contains(v.kv.Key) {
			continue
		}
		if s.opts.EventsByFirstKey && !w.contains(firstKey(changes, i)) {
			continue
		}
		if v.kv.ModRevision > last {
			revs++
			last = v.kv.ModRevision
			if revs > s.opts.WatchBatchMaxRevs {
				b.moreRev = last
				break
			}
		}
		evs = append(evs, v.event())
	}
	s.evs = evs
	switch {
	case len(evs) == 0:
		return b, false
	case len(evs) == len(changes) && *all != nil:
		b.evs = *all
		return b, true
	}
	b.evs = s.events.Take(len(evs))
	copy(b.evs, evs)
	if len(evs) == len(changes) {
		*all = b.evs
	}
	return b, true
}

// firstKey is the first one, in key order, that was changed in the revision of the i-th
// change.
func firstKey(changes []*version, i int) string {
	first := changes[i].kv.Key
	for _, v := range changes {
		if v.kv.ModRevision == changes[i].kv.ModRevision {
			first = min(first, v.kv.Key)
		}
	}
	return first
}

// order settles the order of watchers that upstream takes from a Go map, where a
// client could see the order: among those of one stream, whose responses share a
// channel. list is by stream; no client sees the order of different streams
// within one step.
func order(env *sim.Env, list []batch) {
	for i := 0; i < len(list); {
		n := 1
		for i+n < len(list) && list[i+n].watcher.ws == list[i].watcher.ws {
			n++
		}
		for ; n > 1; n-- {
			j := i + env.Choose(n, "order of watchers")
			list[i], list[j] = list[j], list[i]
			i++
		}
		i++
	}
}

// choose is watcherGroup.choose: all unsynced watchers, or a random subset if
// there are too many.
func (s *WatchableStore) choose(env *sim.Env) []*watcher {
	chosen := s.chosen[:0]
	for _, ws := range s.streams.All() {
		for _, w := range ws.watchers.Look(env).list {
			if *w.group.Look(env) == unsynced {
				chosen = append(chosen, w)
			}
		}
	}
	s.chosen = chosen
	for n := len(chosen); n > s.opts.MaxWatchersPerSync; n-- {
		// Leaving one out at a time keeps the list in its order.
		i := env.Choose(n, "unsynced watcher to leave out")
		chosen = append(chosen[:i], chosen[i+1:]...)
	}
	return chosen
}

// chooseAll is watcherGroup.chooseAll: watchers whose history is compacted are
// sent the cancellation and leave the group, unless their channel is full. It
// returns the remaining watchers, and the smallest revision that they want.
func (s *WatchableStore) chooseAll(env *sim.Env, chosen []*watcher) ([]*watcher, int64) {
	// A subset is a group of its own: to remove a watcher from it does not
	// remove it from the unsynced ones.
	subset := s.unsynced >= s.opts.MaxWatchersPerSync && !s.opts.RemovesCompacted
	minRev := int64(math.MaxInt64)
	compacted := s.batches[:0]
	for _, w := range chosen {
		w.group.Get(env)
		from := w.minRev.Get(env)
		if from > s.currentRev {
			if !w.restore {
				panic("etcd: an unsynced watcher wants a revision that does not exist")
			}
			w.watch.Change(env).restore = false
		}
		if from < s.compactMainRev {
			compacted = append(compacted, batch{watcher: w})
		} else {
			minRev = min(minRev, from)
		}
	}
	s.batches = compacted
	if len(compacted) == 0 {
		return chosen, minRev
	}
	order(env, compacted)
	for i := range compacted {
		w := compacted[i].watcher
		if !w.sendCompacted(env, subset) {
			continue
		}
		chosen = slices.DeleteFunc(chosen, func(other *watcher) bool { return other == w })
		if subset {
			env.Cover(coverCompactedSubset)
		} else {
			s.setGroup(env, w, nowhere)
		}
	}
	return chosen, minRev
}

// sendCompacted sends a watcher the cancellation of compacted history, unless its channel
// is full.
func (w *watcher) sendCompacted(env *sim.Env, staysUnsynced bool) bool {
	if w.ws.Chan.Full(env) {
		env.Cover(coverCompactedFull)
		return false
	}
	env.Cover(coverCompacted)
	if staysUnsynced {
		cancelledInCopy.Say(env, w.ws.Name)
	} else {
		cancelledCompacted.Say(env, w.ws.Name)
	}
	env.Read(CellCompactRev, 0)
	w.ws.Post(env, &WatchResponse{ID: w.id, CompactRevision: w.ws.store.compactMainRev})
	w.watch.Change(env).compacted = true
	return true
}

// group is where the watchable store keeps a watcher.
type group uint8

const (
	// nowhere: cancelled, or removed by its compaction response.
	nowhere group = iota
	synced
	unsynced
	// victim: in a batch that waits for syncVictimsLoop.
	victim
	// inFlight: a victim that syncVictimsLoop has in its hands. The watcher is
	// in no group and in no batch.
	inFlight
)

// watcher is mvcc.watcher.
type watcher struct {
	// ws is the stream whose channel the watcher sends to.
	ws *WatchStream
	watch
	group state.Var[group] `cell:"etcd: synced, unsynced or victim"`
	// minRev is the first revision that the watcher still wants.
	minRev state.Var[int64] `cell:"etcd: minRev"`
	// batch is what a victim waits with.
	batch state.Var[eventBatch] `cell:"etcd: victim's batch"`
}

// watch is what a watcher was created with.
type watch struct {
	state.Cell[watch] `cell:"etcd: watcher"`

	key, end string
	id       int64
	startRev int64
	fcs      wire.FilterType
	// compacted: its compaction response was sent.
	compacted bool
	// restore: it was moved from synced to unsynced by a restore, possibly with
	// a revision that does not exist yet.
	restore bool
}

var watcherLayout = state.Of[watcher]()

// maxWatchers is how many watchers of one stream have cells of their own.
const maxWatchers = 1 << 16

// contains reports whether the watcher watches a key.
func (w *watcher) contains(key string) bool { return InRange(key, w.key, w.end) }

// InRange reports whether a range of keys holds a key, with the ends that etcd
// knows.
func InRange(key, from, end string) bool {
	switch end {
	case "":
		return key == from
	case "\x00":
		return key >= from
	default:
		return key >= from && key < end
	}
}

// name is what notes call the watcher.
func (w *watcher) name() streamWatch { return streamWatch{w.ws.Name, w.id} }

// filtered reports whether the watcher asked not to see an event.
func (w *watcher) filtered(t wire.EventType) bool {
	if t == wire.Delete {
		return w.fcs&wire.NoDelete != 0
	}
	return w.fcs&wire.NoPut != 0
}

// send is watcher.send: it puts a response into the stream's channel unless
// that is full, and reports whether it could.
func (w *watcher) send(env *sim.Env, rev int64, evs []wire.Event) bool {
	if w.fcs != 0 && len(evs) > 0 {
		evs = w.ws.store.filter(w, evs)
		if len(evs) == 0 {
			// If all events are filtered out nothing is sent, not even progress.
			env.Cover(coverFiltered)
			return true
		}
	}
	return w.ws.send(env, &WatchResponse{ID: w.id, Revision: rev, Events: evs})
}

// progressIfSync is what watchableStore.progressIfSync asks of each watcher. The
// revision cannot move before the response is in the channel: write transactions
// end under the same lock.
func (w *watcher) progressIfSync(env *sim.Env, rule ProgressRule) bool {
	if in := w.group.Get(env); in != synced {
		env.Cover(coverProgressUnsynced)
		if in == victim || in == inFlight {
			env.Cover(coverProgressVictim)
		}
		if w.compacted {
			env.Cover(coverProgressCompacted)
		}
		return false
	}
	if rule == IfStarted && w.ws.store.Rev(env) < w.startRev {
		env.Cover(coverProgressBelowStart)
		return false
	}
	return true
}

// ProgressRule is when a watcher may be sent progress.
type ProgressRule uint8

const (
	// IfSynced: when it is synced.
	IfSynced ProgressRule = iota
	// IfStarted: when it is synced and the revision that it starts from exists.
	IfStarted
)
