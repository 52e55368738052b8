package mvcc

import (
	"slices"
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/arena"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// WatchableStore is mvcc.watchableStore: the store with its watchers.
type WatchableStore struct {
	Store
	base *base

	// streams are all that watch, by their places. The places of streams that ended
	// are kept for others.
	streams state.Places[WatchStream] `cell:"etcd: watch streams"`
	// unsynced is the number of unsynced watchers.
	unsynced int
	syncLoop
	// kept is the first revision of the history that the last turn of syncWatchers has
	// kept, 0 if it has kept none. It goes on to the newest revision of that turn, and
	// the next turn adds what came behind.
	kept state.Var[int64] `cell:"etcd: history kept between turns"`
	// unpublished: the events of the current revision are in the watch channels, and the
	// revision is not visible yet to a step that takes no lock of the watchable store.
	unpublished bool
	victims     syncVictims
	// readsQueued is how many reads were queued so far.
	readsQueued state.Var[uint64] `cell:"etcd: reads before responses" digest:"-"`

	watchers  arena.Arena[watcher]
	responses arena.Arena[WatchResponse]
	events    arena.Arena[wire.Event]
	// Scratch space of single steps.
	evs     []wire.Event
	batches []batch
	chosen  []*watcher
}

// syncLoop is syncWatchersLoop. lastSync is when it had its last turn.
type syncLoop struct {
	state.Cell[syncLoop] `cell:"etcd: syncWatchersLoop"`
	lastSync             sim.Time
}

// Reset makes the store a new one with these contents and keeps its memory. What was
// handed out before is overwritten, but for what a clone shares.
func (s *WatchableStore) Reset(o Options, c *Contents) {
	s.watchers.Rewind()
	s.responses.Rewind()
	s.events.Rewind()
	if !s.base.holds(c) {
		s.base = newBase(c)
	}
	s.opts = o
	s.Store.reset(s.base)
	layout.Name(s, 0)
	s.victims.store = s
	s.forget()
}

// SetOptions changes how the store behaves: another release takes over.
func (s *WatchableStore) SetOptions(o Options) { s.opts = o }

// forget drops what a process keeps in memory.
func (s *WatchableStore) forget() {
	s.streams.Reset()
	s.victims.Clear()
	s.lastSync, *s.kept.Value(), *s.readsQueued.Value() = 0, 0, 0
	s.unsynced, s.unpublished = 0, false
}

// Start begins the loops of a new process.
func (s *WatchableStore) Start(env *sim.Env) { s.startSyncWatchersLoop(env) }

// Restart makes the store anew from its backend, after the process has crashed.
func (s *WatchableStore) Restart(env *sim.Env) {
	s.forget()
	s.restore(env)
}

// Restore is watchableStore.Restore: the store is made anew from a snapshot, and
// every synced watcher counts as unsynced.
func (s *WatchableStore) Restore(env *sim.Env) {
	env.Cover(coverRestore)
	s.Publish(env)
	s.restore(env)
	for _, ws := range s.streams.All() {
		for _, w := range ws.watchers.Look(env).list {
			if *w.group.Look(env) == synced {
				w.restore = true
				lostSync.Say(env, ws.Name, *w.minRev.Value())
				s.setGroup(env, w, unsynced)
			}
		}
	}
}

// End is watchableStoreTxnWrite.End of a transaction that has changed something:
// watchers are notified and the revision becomes visible under one lock. A step that takes
// no lock may see the events first, with AfterEvents.
func (s *WatchableStore) End(env *sim.Env) {
	rev := s.currentRev + 1
	env.WriteItem(CellStore, 0, rev)
	env.WriteItem(CellRevision, 0, rev)
	told := s.notify(env, rev)
	s.end()
	s.unpublished = told && s.opts.VisibleLater
}

// notify is watchableStore.notify: synced watchers are sent the changes of the
// next revision. A full channel makes the watcher a victim. It reports whether anything was
// sent.
func (s *WatchableStore) notify(env *sim.Env, rev int64) (told bool) {
	list := s.newWatcherBatch(env)
	if len(list) == 0 {
		return false
	}
	order(env, list)
	var victims []*watcher
	for i := range list {
		b := &list[i]
		w := b.watcher
		w.group.Get(env)
		ok := w.send(env, rev, b.evs)
		if !ok || s.opts.RaisesMinRev {
			w.minRev.Set(env, rev+1)
		}
		if ok {
			told = true
			env.Cover(coverNotified)
			continue
		}
		env.Cover(coverNotifyVictim)
		if w.ws.owner.ProgressDeferred(env) {
			env.Cover(coverVictimDeferred)
		}
		s.becomesVictim(env, b)
		victims = append(victims, w)
	}
	s.victims.add(env, victims)
	return told
}

// newWatcherBatch is the function of that name: the synced watchers with the changes
// of the open transaction that are for them.
func (s *WatchableStore) newWatcherBatch(env *sim.Env) []batch {
	list := s.batches[:0]
	var all []wire.Event
	for _, ws := range s.streams.All() {
		for _, w := range ws.watchers.Look(env).list {
			if *w.group.Look(env) != synced {
				w.noteLeftOut(env)
				continue
			}
			w.minRev.Look(env)
			if b, ok := s.newBatch(w, s.changes, &all); ok {
				list = append(list, b)
			}
		}
	}
	s.batches = list
	return list
}

// noteLeftOut: the watcher is not synced, and so is not sent the open transaction with the others.
func (w *watcher) noteLeftOut(env *sim.Env) {
	if s := w.ws.store; env.Noting() && *w.group.Value() != nowhere && slices.ContainsFunc(s.changes, func(v *version) bool {
		return v.kv.ModRevision >= *w.minRev.Value() && w.contains(v.kv.Key)
	}) {
		leftOut.Say(env, s.changes[0].kv.ModRevision, w.name(), *w.group.Value())
	}
}

// becomesVictim takes a watcher out of its group, because its channel is full.
func (s *WatchableStore) becomesVictim(env *sim.Env, b *batch) {
	becameVictim.Say(env, b.watcher.ws.Name, RevisionsOf(b.evs))
	b.watcher.batch.Set(env, b.eventBatch)
	s.setGroup(env, b.watcher, victim)
}

// setGroup moves a watcher. All that joins the unsynced ones is waited for by
// syncWatchersLoop.
func (s *WatchableStore) setGroup(env *sim.Env, w *watcher, g group) {
	if *w.group.Value() == unsynced {
		s.unsynced--
		if s.unsynced == 0 {
			env.Disarm(syncWatchersLoop)
		}
	}
	if g == unsynced {
		s.unsynced++
		s.planSync(env)
	}
	w.group.Set(env, g)
}

// ReadQueued: a read was queued before every response that is put into a watch
// channel from here on.
func (s *WatchableStore) ReadQueued(env *sim.Env) { *s.readsQueued.ChangeItem(env, sim.NoItem)++ }

// ReadsQueued is how many reads were queued so far.
func (s *WatchableStore) ReadsQueued(env *sim.Env) uint64 { return *s.readsQueued.Look(env) }

// filter takes out the events that a watcher asked not to see.
func (s *WatchableStore) filter(w *watcher, evs []wire.Event) []wire.Event {
	kept := s.evs[:0]
	for i := range evs {
		if !w.filtered(evs[i].Type) {
			kept = append(kept, evs[i])
		}
	}
	s.evs = kept
	if len(kept) == len(evs) {
		return evs
	}
	out := s.events.Take(len(kept))
	copy(out, kept)
	return out
}

// watchableStoreTxnWrite.End notifies the watchers and then lets the current revision be
// seen. It holds the lock of the watchable store over both, which a reader of the store
// and watchStream.Rev do not take. So a client may be sent an event by its stream, and
// read the state before it from the same server.
//
// With AfterEvents the second step is the apply loop's next one. A step that takes the
// lock has to wait for that, which is the same as to begin with it: Publish.

// Unpublished reports whether the last write still has to become visible.
func (s *WatchableStore) Unpublished() bool { return s.unpublished }

// Publish makes the last write visible.
func (s *WatchableStore) Publish(env *sim.Env) {
	if s.unpublished {
		env.WriteItem(CellRevision, 0, s.currentRev)
		s.unpublished = false
	}
}

// VisibleRev is the current revision for a step that takes no lock of the watchable store.
func (s *WatchableStore) VisibleRev(env *sim.Env) int64 {
	rev := s.Rev(env)
	if s.unpublished {
		env.Cover(coverBehindEvents)
		rev--
	}
	return rev
}

// RangeVisible is Range for a handler, which takes no lock of the watchable store.
func (s *WatchableStore) RangeVisible(env *sim.Env, r *wire.RangeRequest) (*wire.RangeResponse, wire.Code) {
	if !s.unpublished {
		return s.Range(env, r)
	}
	resp, code := s.rangeKeys(env, r, s.VisibleRev(env))
	s.readsRange(env, r, resp)
	return resp, code
}

// The loops of the store. The server's other tasks are numbered from Tasks on.
const (
	syncVictimsLoop sim.Task = iota
	scheduleCompaction
	Tasks
)

// The timers of the store. The server's other timers are numbered from Timers on.
const (
	syncWatchersLoop sim.Timer = iota
	syncVictimsTick
	compactionSleep
	Timers
)

// Run takes a step of one of the loops.
func (s *WatchableStore) Run(env *sim.Env, t sim.Task) {
	switch t {
	case syncVictimsLoop:
		s.victims.run(env)
	case scheduleCompaction:
		s.scheduleCompaction(env)
	}
}

// Fire takes a step for one of the timers.
func (s *WatchableStore) Fire(env *sim.Env, t sim.Timer) {
	switch t {
	case syncWatchersLoop:
		s.runSyncWatchersLoop(env)
	case syncVictimsTick:
		s.victims.state = victimsTake
		s.victims.run(env)
	case compactionSleep:
		s.scheduleCompaction(env)
	}
}

// TaskName names a loop for people.
func (s *WatchableStore) TaskName(t sim.Task) string {
	if t == scheduleCompaction {
		return "scheduleCompaction"
	}
	return "syncVictimsLoop " + [...]string{"sleeps", "takes victims", "sends", "assigns"}[s.victims.state]
}

// TimerName names a timer for people.
func (s *WatchableStore) TimerName(t sim.Timer) string {
	return [...]string{syncWatchersLoop: "syncWatchersLoop", syncVictimsTick: "syncVictimsLoop", compactionSleep: "scheduleCompaction"}[t]
}

// syncPhases is how finely a timed run chooses where in its period
// syncWatchersLoop stands at the start.
const syncPhases = 100

// startSyncWatchersLoop settles the phase of the loop.
func (s *WatchableStore) startSyncWatchersLoop(env *sim.Env) {
	if env.Mode() == sim.Timed {
		s.lastSync = env.Now() - sim.Time(s.opts.SyncInterval)*sim.Time(env.Choose(syncPhases, "phase of syncWatchersLoop"))/syncPhases
	}
}

// planSync arms the timer for the loop's next turn if it is not armed. Turns
// that find nothing unsynced are left out; the phase goes on as if they took
// place.
func (s *WatchableStore) planSync(env *sim.Env) {
	if env.Armed(syncWatchersLoop) {
		return
	}
	wait := s.opts.SyncInterval
	if env.Mode() == sim.Timed {
		wait -= env.Now().Sub(s.lastSync) % s.opts.SyncInterval
	}
	env.Arm(syncWatchersLoop, wait)
}

// runSyncWatchersLoop is one turn of syncWatchersLoop.
func (s *WatchableStore) runSyncWatchersLoop(env *sim.Env) {
	s.syncLoop.Change(env).lastSync = env.Now()
	last := s.unsynced
	if last == 0 {
		return
	}
	s.syncWatchers(env)
	switch {
	case s.unsynced == 0:
	case s.unsynced < last:
		// More work pending: the loop waits only as long as this turn took,
		// which is nothing on the virtual clock.
		env.Cover(coverSyncAgain)
		env.Arm(syncWatchersLoop, 0)
	default:
		env.Arm(syncWatchersLoop, s.opts.SyncInterval)
	}
}

// syncWatchers is watchableStore.syncWatchers. It holds the watchable store's
// lock from end to end, so it is one step.
func (s *WatchableStore) syncWatchers(env *sim.Env) {
	s.Publish(env)
	curRev := s.Rev(env)
	env.LookAt(CellCompactRev, 0)
	env.LookAt(CellStore, 0)
	chosen, minRev := s.chooseAll(env, s.choose(env))
	list := s.unsyncedBatch(env, chosen, s.turnHistory(env, minRev, curRev+1))

	order(env, list)
	var victims []*watcher
	for i := range list {
		b := &list[i]
		w := b.watcher
		if b.moreRev != 0 {
			w.minRev.Set(env, b.moreRev)
		}
		switch {
		case !w.send(env, curRev, b.evs):
			env.Cover(coverSyncVictim)
			s.becomesVictim(env, b)
			victims = append(victims, w)
		case b.moreRev != 0:
			env.Cover(coverSyncMore)
		default:
			env.Cover(coverSynced)
			s.becomesSynced(env, w, false)
		}
	}
	s.victims.add(env, victims)
}

// turnHistory are the changes of [minRev, maxRev) that a turn looks for its watchers'
// among.
func (s *WatchableStore) turnHistory(env *sim.Env, minRev, maxRev int64) []*version {
	from := minRev
	if minRev < 0 {
		if kept := *s.kept.Look(env); kept > 0 {
			env.Cover(coverNegativeFromKept)
			from = kept
			negativeRangeKept.Say(env, minRev, kept)
		} else {
			negativeRange.Say(env, minRev)
		}
	}
	changes := s.rangeEvents(from, maxRev)
	if s.opts.KeepsHistory {
		s.kept.Set(env, 0)
		if len(changes) > 0 {
			s.kept.Set(env, changes[0].kv.ModRevision)
		}
	}
	return changes
}

// unsyncedBatch is newWatcherBatch for the unsynced watchers: each with the changes
// that it still wants. Those without any are synced.
func (s *WatchableStore) unsyncedBatch(env *sim.Env, chosen []*watcher, changes []*version) []batch {
	list := s.batches[:0]
	next := s.currentRev + 1
	var all []wire.Event
	for _, w := range chosen {
		w.readsHistory(env)
		b, ok := s.newBatch(w, changes, &all)
		minRev := *w.minRev.Value()
		if minRev < s.compactMainRev {
			// Its channel is full, or it would not be here any more.
			if s.opts.SkipsCompacted {
				env.Cover(coverCompactedSkipped)
				continue
			}
			w.fallsThrough(env, next)
		}
		if !s.opts.NeverLowersMinRev || minRev < next {
			if minRev > next {
				env.Cover(coverFutureLowered)
				startLowered.Say(env, w.ws.Name, minRev, next)
			}
			w.minRev.Set(env, next)
		}
		if !ok {
			env.Cover(coverSyncedSilently)
			if w.ws.owner.ProgressDeferred(env) {
				env.Cover(coverSyncedSilentlyDeferred)
			}
			s.becomesSynced(env, w, true)
			continue
		}
		list = append(list, b)
	}
	s.batches = list
	return list
}

// fallsThrough: the watcher goes on as if its history was there (#17529).
func (w *watcher) fallsThrough(env *sim.Env, next int64) {
	env.Cover(coverCompactedFallsThrough)
	env.Read(CellCompactRev, 0)
	fellThrough.Say(env, w.ws.Name, *w.minRev.Value(), next)
}

// becomesSynced ends the work on an unsynced watcher; silent: it was sent nothing.
func (s *WatchableStore) becomesSynced(env *sim.Env, w *watcher, silent bool) {
	switch watch := w.name(); {
	case !env.Noting():
	case !silent:
		becameSynced.Say(env, watch)
	case w.ws.owner.ProgressDeferred(env):
		becameSyncedDeferred.Say(env, watch)
	default:
		becameSyncedSilently.Say(env, watch)
	}
	s.setGroup(env, w, synced)
}

// readsHistory declares that what a watcher is sent depends on the changes that it
// still wants and that are there, and on a change at the compacted revision that is
// gone.
func (w *watcher) readsHistory(env *sim.Env) {
	if !env.Recording() {
		return
	}
	s := w.ws.store
	minRev, kept := *w.minRev.Value(), *s.kept.Value()
	from := minRev
	if from < 0 && kept > 0 {
		from = kept
	}
	for _, v := range s.rangeEvents(from, s.currentRev+1) {
		if w.contains(v.kv.Key) {
			env.ReadItem(CellStore, 0, v.kv.ModRevision)
		}
	}
	if c := s.compactMainRev; minRev <= c && len(s.rangeEvents(c, c+1)) == 0 {
		env.ReadItem(CellStore, 0, c)
	}
}

// Waiting is how many watchers are not synced: they have something to be sent, or are in
// the hands of a loop.
func (s *WatchableStore) Waiting() int {
	n := 0
	for _, ws := range s.streams.All() {
		for _, w := range ws.watchers.Value().list {
			if *w.group.Value() != synced && !w.compacted {
				n++
			}
		}
	}
	return n
}

// WaitingFrom is the first revision of the events that wait for a full channel to have
// room again, 0 if none do.
func (s *WatchableStore) WaitingFrom() int64 {
	first := int64(0)
	for _, waiting := range s.victims.waiting {
		for _, w := range waiting {
			if rev := RevisionsOf(w.batch.Value().evs).First; first == 0 || rev < first {
				first = rev
			}
		}
	}
	return first
}

// Has reports whether the stream has a watcher with an id.
func (ws *WatchStream) Has(id int64) bool { return ws.find(id) != nil }

// Watches visits the watchers of the stream, except watchers that were cancelled for a compacted history: key and
// end as the client named them, but for an empty key, and the revision from which on each was to be served.
func (ws *WatchStream) Watches(visit func(id int64, key, end string, startRev int64, filters wire.FilterType)) {
	for _, w := range ws.watchers.Value().list {
		if !w.compacted {
			visit(w.id, w.key, w.end, w.startRev, w.fcs)
		}
	}
}

// Show shows the watchers that are not synced, by their groups, and the watch
// channels.
func (s *WatchableStore) Show(visit sim.PartVisitor) {
	visit("unsynced", s.watchersIn(unsynced)...)
	visit("victims", append(s.watchersIn(victim), s.watchersIn(inFlight)...)...)
	var channels []sim.Entry
	for _, ws := range s.streams.All() {
		for _, r := range ws.Chan.All() {
			channels = append(channels, ws.entry(r))
		}
	}
	visit("watch channel", channels...)
}

// watchersIn are the watchers of a group. Each waits for what has happened from its
// minRev on.
func (s *WatchableStore) watchersIn(g group) []sim.Entry {
	var list []sim.Entry
	for _, ws := range s.streams.All() {
		for _, w := range ws.watchers.Value().list {
			if *w.group.Value() == g {
				text := ws.Label() + "watch " + strconv.FormatInt(w.id, 10) + " from " + strconv.FormatInt(*w.minRev.Value(), 10)
				list = append(list, sim.Entry{Text: text, First: *w.minRev.Value(), Last: s.currentRev})
			}
		}
	}
	return list
}

// Label is what an entry of the state begins with, so that it is known of which
// stream it is; it is empty for the only stream.
func (ws *WatchStream) Label() string {
	if len(ws.store.streams.All()) < 2 {
		return ""
	}
	return ws.Name.String() + ": "
}

func (ws *WatchStream) entry(r *WatchResponse) sim.Entry {
	e := sim.Entry{Text: ws.Label()}
	switch {
	case r.Created:
		e.Text += "created " + strconv.FormatInt(r.ID, 10)
	case r.CompactRevision != 0:
		e.Text += "compacted at " + strconv.FormatInt(r.CompactRevision, 10)
	case len(r.Events) == 0:
		e.Text += "progress " + strconv.FormatInt(r.Revision, 10)
		e.UpTo = r.Revision
	default:
		e.First, e.Last = r.Events[0].Kv.ModRevision, r.Events[len(r.Events)-1].Kv.ModRevision
		e.Text += "event " + strconv.FormatInt(e.First, 10)
		if e.Last != e.First {
			e.Text = ws.Label() + "events " + strconv.FormatInt(e.First, 10) + " to " + strconv.FormatInt(e.Last, 10)
		}
	}
	return e
}

// victimState is where syncVictimsLoop stands.
type victimState uint8

const (
	// victimsIdle: in its select, with or without the 10 ms timer.
	victimsIdle victimState = iota
	// victimsTake: about to take the batches that wait.
	victimsTake
	// victimsSend: about to send to the next watcher of the batch in its hands.
	victimsSend
	// victimsAssign: about to put the watchers of that batch into groups.
	victimsAssign
)

// syncVictims is syncVictimsLoop, and the batches that wait for it.
type syncVictims struct {
	state.Cell[syncVictims] `cell:"etcd: syncVictimsLoop"`

	store *WatchableStore `cell:"-"`
	state victimState
	// waiting is watchableStore.victims.
	waiting [][]*watcher
	// signal is victimc: a batch was added since the loop last slept.
	signal bool

	// taken are the batches in the loop's hands, the first one being worked on;
	// left are those of its watchers that could not be sent to (newVictim), of
	// all batches so far; moved counts the others.
	taken [][]*watcher
	left  []*watcher
	moved int
}

// Clear makes it a new one, and keeps its memory.
func (v *syncVictims) Clear() {
	*v = syncVictims{Cell: v.Cell, store: v.store, waiting: v.waiting[:0], taken: v.taken[:0], left: v.left[:0]}
}

// add is watchableStore.addVictim.
func (v *syncVictims) add(env *sim.Env, b []*watcher) {
	if len(b) == 0 {
		return
	}
	v.Change(env)
	v.waiting = append(v.waiting, b)
	if v.state == victimsIdle {
		env.Disarm(syncVictimsTick)
		v.wake(env)
	} else {
		v.signal = true
	}
}

func (v *syncVictims) wake(env *sim.Env) {
	v.state = victimsTake
	env.Enable(syncVictimsLoop)
}

// run is one step of moveVictims. The loop holds no lock while it sends, so all kinds
// of things happen between the steps.
func (v *syncVictims) run(env *sim.Env) {
	if v.Change(env).state != victimsSend {
		v.store.Publish(env)
	}
	switch v.state {
	case victimsTake:
		v.take(env)
	case victimsSend:
		v.sendNext(env)
		v.next(env)
	case victimsAssign:
		v.assign(env)
	}
}

// take takes all batches that wait.
func (v *syncVictims) take(env *sim.Env) {
	v.taken, v.waiting = append(v.taken[:0], v.waiting...), v.waiting[:0]
	for _, b := range v.taken {
		for _, w := range b {
			v.store.setGroup(env, w, inFlight)
		}
	}
	v.moved = 0
	if len(v.taken) == 0 {
		v.end(env)
		return
	}
	v.next(env)
}

// next decides between sending to one more watcher and assigning those of the
// batch.
func (v *syncVictims) next(env *sim.Env) {
	v.state = victimsAssign
	for _, w := range v.taken[0] {
		if !w.batch.Value().sent {
			v.state = victimsSend
		}
	}
	env.Enable(syncVictimsLoop)
}

// sendNext tries one watcher of the batch; a batch is a Go map, so any of those
// that are left may be next.
func (v *syncVictims) sendNext(env *sim.Env) {
	var left []*watcher
	for _, w := range v.taken[0] {
		if !w.batch.Value().sent {
			left = append(left, w)
		}
	}
	v.send(env, left[env.Choose(len(left), "next victim")])
}

func (v *syncVictims) send(env *sim.Env, w *watcher) {
	w.batch.Read(env)
	b := w.batch.Change(env)
	b.sent = true
	// The watcher has observed the store up to, but not including, minRev.
	if w.send(env, w.minRev.Get(env)-1, b.evs) {
		env.Cover(coverVictimSent)
		v.moved++
	} else {
		env.Cover(coverVictimStays)
		b.failed = true
	}
}

// assign puts the watchers that were sent to into the group where they belong. After
// the last batch the others wait again: that no cancel can look for them in between
// is because a cancel waits for the loop anyway.
func (v *syncVictims) assign(env *sim.Env) {
	for _, w := range v.taken[0] {
		w.batch.Read(env)
		b := w.batch.Change(env)
		if b.failed {
			b.sent, b.failed = false, false
			v.left = append(v.left, w)
			continue
		}
		if b.moreRev != 0 {
			w.minRev.Set(env, b.moreRev)
		}
		*b = eventBatch{}
		if minRev := w.minRev.Get(env); minRev <= v.store.Rev(env) {
			env.Cover(coverVictimUnsynced)
			victimUnsynced.Say(env, w.name(), minRev)
			v.store.setGroup(env, w, unsynced)
		} else {
			env.Cover(coverVictimSynced)
			victimSynced.Say(env, w.name())
			v.store.setGroup(env, w, synced)
		}
	}
	v.taken = append(v.taken[:0], v.taken[1:]...)
	if len(v.taken) > 0 {
		v.next(env)
	} else {
		v.putBack(env)
	}
	for _, ws := range v.store.streams.All() {
		ws.owner.VictimsLanded(env)
	}
}

// putBack has those wait again that could not be sent to.
func (v *syncVictims) putBack(env *sim.Env) {
	if len(v.left) > 0 {
		for _, w := range v.left {
			v.store.setGroup(env, w, victim)
		}
		v.waiting = append(v.waiting, slices.Clone(v.left))
		v.left = v.left[:0]
	}
	v.end(env)
}

// end is the end of moveVictims: the loop goes on at once as long as it moves a
// watcher, and else sleeps until there is a new batch or the timer goes off.
func (v *syncVictims) end(env *sim.Env) {
	v.state = victimsIdle
	switch {
	case len(v.waiting) == 0:
		v.signal = false
	case v.moved > 0 || v.signal:
		v.signal = v.signal && v.moved > 0
		v.wake(env)
	case v.store.opts.AwaitsVictim:
		victimsLeft.Say(env, v.store.WaitingFrom())
	default:
		env.Arm(syncVictimsTick, v.store.opts.VictimInterval)
	}
}

// forget removes a cancelled watcher from the batch that waits with it.
func (v *syncVictims) forget(env *sim.Env, w *watcher) {
	v.Change(env)
	w.batch.Set(env, eventBatch{})
	for i, b := range v.waiting {
		v.waiting[i] = slices.DeleteFunc(b, func(other *watcher) bool { return other == w })
	}
	v.waiting = slices.DeleteFunc(v.waiting, func(b []*watcher) bool { return len(b) == 0 })
	if len(v.waiting) == 0 {
		env.Disarm(syncVictimsTick)
	}
}
