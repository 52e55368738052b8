package mvcc

import (
	"cmp"
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
