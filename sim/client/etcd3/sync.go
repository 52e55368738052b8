package etcd3

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

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
