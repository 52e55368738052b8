package etcd3

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// watchSync is what etcd3's startWatching does before it calls clientv3's Watch:
// it asks for etcd's revision, lists all objects (sync), and queues them as
// initial events, page by page.
type watchSync struct {
	step syncStep
	// items[next:] are those of a page that are not queued yet.
	items []*wire.KeyValue
	next  int
	// more: there is a page after this one. It begins behind lastKey, at revision
	// rev, which the first page fixed.
	more    bool
	lastKey string
	rev     int64
	// endBookmark: the initial events are to end with a bookmark.
	endBookmark bool
	// stream brings the initial events in chunks, NoConn if they come in pages. Until it is
	// closed, more is set.
	stream sim.Conn
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
func (s *watchSync) hasItems() bool {
	return s.step == syncListing && (s.next < len(s.items) || s.items != nil && !s.more)
}

// startSync begins what comes before the watch. It returns false if that is
// nothing.
func (w *watchChan) startSync(env *sim.Env, p *wire.WatchStart) bool {
	revision := max(p.Revision, 0)
	switch {
	case p.SendInitialEvents == wire.SendInitialEventsFalse && revision == 0:
		env.Cover(watchFromCurrent)
		w.sync.step = syncCurrent
	case p.SendInitialEvents == wire.SendInitialEventsTrue && revision > 0:
		w.sync.step = syncMinimum
	case p.SendInitialEvents == wire.SendInitialEventsTrue:
		w.sync.step = syncListing
	default:
		return false
	}
	w.writes(env, cellPage)
	w.writes(env, cellQueued)
	w.state = watchSyncing
	w.sync.rev = revision
	w.sync.endBookmark = p.SendInitialEvents == wire.SendInitialEventsTrue && p.AllowBookmarks
	if w.sync.step == syncListing {
		w.listInitial(env)
	} else {
		// No object has the bare prefix for its key (getCurrentStorageRV).
		w.ask(env, &wire.RangeRequest{Key: w.prefix})
	}
	return true
}

// established: the revision is known after which the watch begins, which is when
// watcher.Watch returns.
func (w *watchChan) established(env *sim.Env) {
	if w.announcesStart {
		env.Send(w.conn, &wire.WatchEstablished{})
	}
}

func (w *watchChan) ask(env *sim.Env, p *wire.RangeRequest) {
	w.c.client.Ask(env, w.n, w.from, p, w.cause)
}

// listInitial requests the first page, without a revision: also a watch that names
// a revision gets the newest state.
func (w *watchChan) listInitial(env *sim.Env) {
	env.Cover(syncStarted)
	w.writes(env, cellPage)
	w.sync.step, w.sync.rev = syncListing, 0
	if w.end != "" && w.c.streams(env) {
		w.syncStream(env)
		return
	}
	w.firstPage(env)
}

// firstPage is the beginning of syncPaginated.
func (w *watchChan) firstPage(env *sim.Env) {
	w.ask(env, &wire.RangeRequest{Key: w.prefix, RangeEnd: w.end, Limit: w.pageSize()})
}

func (w *watchChan) pageSize() int64 { return int64(w.c.cfg.SyncPageSize) }

// synced takes etcd's answer to a question of the sync.
func (w *watchChan) synced(env *sim.Env, p sim.Payload) {
	s := &w.sync
	w.looksAt(env, cellStartWatching)
	if w.state == watchFailing {
		// An object could not be decoded: nothing is sent any more.
		return
	}
	w.reads(env, cellPage)
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
	s := &w.sync
	w.writes(env, cellPage)
	w.writes(env, cellQueued)
	if s.rev == 0 {
		s.rev = p.Revision
	}
	s.items, s.next, s.more = p.Kvs, 0, p.More
	if s.items == nil {
		s.items = noItems
	}
	if s.more {
		env.Cover(syncPaged)
		s.lastKey = p.Kvs[len(p.Kvs)-1].Key
	}
	w.queueInitial(env)
}

// noItems distinguishes a page without items from no page.
var noItems = []*wire.KeyValue{}

// queueInitial puts the items of a page into incomingEventChan as far as there
// is room, then requests the next page, or starts the watch.
func (w *watchChan) queueInitial(env *sim.Env) {
	s := &w.sync
	empty := w.incomingEventChan.Len() == 0
	w.looksAt(env, cellPage)
	w.looksAt(env, cellIncoming)
	w.writes(env, cellQueued)
	for s.next < len(s.items) && !w.isFull() {
		kv := s.items[s.next]
		s.next++
		w.push(env, event{item: kv, rev: kv.ModRevision})
	}
	full := w.isFull()
	queued := s.next == len(s.items)
	if queued && !s.more && s.endBookmark && !full {
		env.Cover(syncEndQueued)
		w.push(env, event{rev: s.rev, isInitialEventsEndBookmark: true})
		s.endBookmark = false
	}
	if empty {
		w.wakeProcessEvents(env)
	}
	switch {
	case !queued || !s.more && s.endBookmark:
		env.Cover(syncBlocked)
	case s.stream != sim.NoConn:
		w.nextChunk(env)
	case s.more:
		w.writes(env, cellPage)
		s.items, s.next = nil, 0
		w.ask(env, &wire.RangeRequest{Key: s.lastKey + "\x00", RangeEnd: w.end, Limit: w.pageSize(), Revision: s.rev})
	default:
		w.syncedUpTo(env, s.rev)
	}
}

// syncedUpTo begins the watch behind what was listed.
func (w *watchChan) syncedUpTo(env *sim.Env, revision int64) {
	w.writes(env, cellPage)
	w.writes(env, cellQueued)
	w.writes(env, cellStartWatching)
	w.sync = watchSync{}
	w.state = watchReceiving
	env.Under(w.cause)
	w.startWatch(env, revision+1)
}

var (
	errInterrupted = &wire.Error{Code: wire.Unavailable, Message: "the connection broke"}
	errTooLarge    = &wire.Error{Code: wire.TooLargeResourceVersion, Message: "Too large resource version", RetryAfter: 1}
)
