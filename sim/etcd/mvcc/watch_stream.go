package mvcc

import (
	"slices"
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/arena"
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
	Chan Channel[*WatchResponse]
	// watchers is watchStream.watchers, in the order in which they came; made counts
	// all that there ever were.
	watchers []*watcher
	made     int
	nextID   int64
}

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
	ws := arena.Next(&s.streams, func(n int) *WatchStream { return &WatchStream{store: s, slot: n} })
	ws.owner = owner
	return ws
}

// Open begins a stream at this place. Receiver is the loop that takes from its
// channel.
func (ws *WatchStream) Open(name StreamName, receiver sim.Task) {
	ws.Name, ws.watchers, ws.made, ws.nextID = name, ws.watchers[:0], 0, 0
	ws.Chan.Make(ws.store.opts.ChanBufLen, cellChan, ws.slot, receiver)
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
	w := s.watchers.New()
	*w = watcher{
		ws: ws, cell: ws.slot*maxWatchers + ws.made%maxWatchers,
		key: req.Key, end: req.RangeEnd, id: id, startRev: startRev, minRev: startRev, fcs: req.Filters,
	}
	ws.made++
	ws.watchers = append(ws.watchers, w)
	env.Writes(cellStreamWatchers, ws.slot)
	env.Writes(cellWatcher, w.cell)
	env.Writes(cellMinRev, w.cell)
	if w.key == "" {
		// \0 is the smallest key.
		w.key = "\x00"
	}
	if curRev := s.Rev(env); startRev > curRev || startRev == 0 {
		w.minRev = max(curRev+1, startRev)
		s.setGroup(env, w, synced)
	} else {
		s.setGroup(env, w, unsynced)
	}
	w.noteRegistered(env)
	return id, ""
}

func (w *watcher) noteRegistered(env *sim.Env) {
	switch at := w.ws.store.currentRev; {
	case w.group == unsynced:
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
		id = ws.nextID
		ws.nextID++
		if ws.find(id) == nil {
			return id, ""
		}
	}
}

// find is the watcher with an id, nil if there is none.
func (ws *WatchStream) find(id int64) *watcher {
	if i := slices.IndexFunc(ws.watchers, func(w *watcher) bool { return w.id == id }); i >= 0 {
		return ws.watchers[i]
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
	w := ws.find(id)
	env.Writes(cellStreamWatchers, ws.slot)
	env.Writes(cellWatcher, w.cell)
	ws.watchers = slices.DeleteFunc(ws.watchers, func(other *watcher) bool { return other == w })
}

// cancelWatcher is watchableStore.cancelWatcher. It returns false if the
// watcher is a victim in flight: then it has to be tried again.
func (s *WatchableStore) cancelWatcher(env *sim.Env, w *watcher) bool {
	s.Publish(env)
	env.Reads(cellGroup, w.cell)
	switch w.group {
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
	return w != nil && w.group == inFlight
}

// Close is watchStream.Close: it cancels the watchers, and reports whether that was
// all. It has to wait for those that are victims in flight.
func (ws *WatchStream) Close(env *sim.Env) bool {
	left := ws.watchers[:0]
	for _, w := range ws.watchers {
		if ws.store.cancelWatcher(env, w) {
			env.Writes(cellWatcher, w.cell)
		} else {
			left = append(left, w)
		}
	}
	ws.watchers = left
	env.Writes(cellStreamWatchers, ws.slot)
	return len(left) == 0
}

// End empties the place of a stream.
func (ws *WatchStream) End(env *sim.Env) {
	env.Writes(cellChan, ws.slot)
	env.Writes(cellStreamWatchers, ws.slot)
	ws.Open(StreamName{}, 0)
}

// RequestProgress is watchStream.RequestProgress. It loses the notification if the
// channel is full.
func (ws *WatchStream) RequestProgress(env *sim.Env, id int64, rule ProgressRule) {
	ws.store.Publish(env)
	env.LooksAt(cellStreamWatchers, ws.slot)
	w := ws.find(id)
	if w == nil {
		return
	}
	if w.progressIfSync(env, rule) && !w.send(env, ws.store.Rev(env), nil) {
		env.Cover(coverProgressFull)
	}
}

// RequestProgressAll is watchStream.RequestProgressAll: one notification for
// all watchers. It returns false if one of them is in the way. A full channel
// loses the notification.
func (ws *WatchStream) RequestProgressAll(env *sim.Env, progressID int64, rule ProgressRule) bool {
	ws.store.Publish(env)
	env.LooksAt(cellStreamWatchers, ws.slot)
	for _, w := range ws.watchers {
		if !w.progressIfSync(env, rule) {
			return false
		}
	}
	if len(ws.watchers) == 0 {
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
	for _, w := range ws.watchers {
		if w.group == unsynced && w.minRev <= rev {
			env.Reads(cellMinRev, w.cell)
			return w.minRev
		}
	}
	return 0
}

// InTheWay is what the first watcher watches that may not be sent progress; empty is
// none. Observers ask.
func (ws *WatchStream) InTheWay(rule ProgressRule) string {
	for _, w := range ws.watchers {
		if w.group != synced || rule == IfStarted && ws.store.currentRev < w.startRev {
			return w.key
		}
	}
	return ""
}

// AnyUnsynced reports whether a watcher is not synced. Observers ask.
func (ws *WatchStream) AnyUnsynced() bool {
	return slices.ContainsFunc(ws.watchers, func(w *watcher) bool { return w.group != synced })
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
	env.LooksAt(CellReadsQueued, 0)
	queued := ws.store.responses.New()
	*queued = *resp
	queued.Behind = ws.store.readsQueued
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
