package client

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// watchSync is what etcd3's startWatching does before it calls clientv3's Watch:
// it looks where etcd is, lists what is there (sync), and queues that as initial
// events, page by page.
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
	// syncListing: pages are asked for and queued.
	syncListing
)

// hasItems: something is there to queue.
func (s *watchSync) hasItems() bool {
	return s.step == syncListing && (s.next < len(s.items) || s.items != nil && !s.more)
}

// startSync begins what comes before the watch. It returns false if that is
// nothing.
func (c *Client) startSync(env *sim.Env, i int32, p *wire.WatchStart) bool {
	w := &c.watches[i]
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
	env.Writes(cellPage, int(i))
	env.Writes(cellQueued, int(i))
	w.state = watchSyncing
	w.sync.rev = revision
	w.sync.endBookmark = p.SendInitialEvents == wire.SendInitialEventsTrue && p.AllowBookmarks
	if w.sync.step == syncListing {
		c.listInitial(env, i)
	} else {
		// No object has the bare prefix for its key (getCurrentStorageRV).
		c.ask(env, i, &wire.RangeRequest{Key: w.substream.key})
	}
	return true
}

func (c *Client) ask(env *sim.Env, i int32, p *wire.RangeRequest) {
	w := &c.watches[i]
	c.begin(env, unaryCall{watch: i, from: w.from, request: p, cause: w.cause})
}

// listInitial asks for the first page, at whatever revision etcd is: also a
// watch that gives a revision gets the newest state.
func (c *Client) listInitial(env *sim.Env, i int32) {
	env.Cover(syncStarted)
	w := &c.watches[i]
	env.Writes(cellPage, int(i))
	w.sync.step, w.sync.rev = syncListing, 0
	c.ask(env, i, &wire.RangeRequest{Key: w.substream.key, RangeEnd: w.substream.end, Limit: c.cfg.SyncPageSize})
}

// synced takes etcd's answer to a question of the sync.
func (c *Client) synced(env *sim.Env, i int32, p sim.Payload) {
	w := &c.watches[i]
	s := &w.sync
	env.LooksAt(cellStartWatching, int(i))
	env.Reads(cellPage, int(i))
	answer, ok := p.(*wire.RangeResponse)
	switch {
	case !ok || answer.More && len(answer.Kvs) == 0:
		// Nobody could say where the page after an empty one starts.
		env.Cover(syncFailed)
		env.Writes(cellErr, int(i))
		w.err = errInterrupted
		if e, refused := p.(*wire.Error); refused {
			w.err = e
		}
		c.sendError(env, i)
	case s.step == syncCurrent:
		c.syncedUpTo(env, i, answer.Revision)
	case s.step == syncMinimum && s.rev > answer.Revision:
		env.Cover(syncTooLarge)
		env.Writes(cellErr, int(i))
		w.err = errTooLarge
		c.sendError(env, i)
	case s.step == syncMinimum:
		c.listInitial(env, i)
	default:
		env.Writes(cellPage, int(i))
		env.Writes(cellQueued, int(i))
		if s.rev == 0 {
			s.rev = answer.Revision
		}
		s.items, s.next, s.more = answer.Kvs, 0, answer.More
		if s.items == nil {
			s.items = noItems
		}
		if s.more {
			env.Cover(syncPaged)
			s.lastKey = answer.Kvs[len(answer.Kvs)-1].Key
		}
		c.queueInitial(env, i)
	}
}

// noItems tells a page without items from none.
var noItems = []*wire.KeyValue{}

// queueInitial puts the items of a page into incomingEventChan as far as there
// is room, then asks for the next page, or starts the watch.
func (c *Client) queueInitial(env *sim.Env, i int32) {
	w := &c.watches[i]
	s := &w.sync
	empty := w.incomingEventChan.Len() == 0
	env.LooksAt(cellPage, int(i))
	env.Writes(cellQueued, int(i))
	env.LooksAt(cellIncoming, int(i))
	for s.next < len(s.items) && w.incomingEventChan.Len() < c.cfg.IncomingBufSize {
		kv := s.items[s.next]
		s.next++
		w.push(env, i, event{item: kv, rev: kv.ModRevision})
	}
	full := w.incomingEventChan.Len() == c.cfg.IncomingBufSize
	queued := s.next == len(s.items)
	if queued && !s.more && s.endBookmark && !full {
		env.Cover(syncEndQueued)
		w.push(env, i, event{rev: s.rev, isInitialEventsEndBookmark: true})
		s.endBookmark = false
	}
	if empty && w.incomingEventChan.Len() > 0 && env.CanSend(w.conn) {
		env.Enable(sim.Task(i*tasksEach + taskProcessEvents))
	}
	switch {
	case !queued || !s.more && s.endBookmark:
		env.Cover(syncBlocked)
	case s.more:
		env.Writes(cellPage, int(i))
		s.items, s.next = nil, 0
		c.ask(env, i, &wire.RangeRequest{Key: s.lastKey + "\x00", RangeEnd: w.substream.end, Limit: c.cfg.SyncPageSize, Revision: s.rev})
	default:
		c.syncedUpTo(env, i, s.rev)
	}
}

// syncedUpTo begins the watch behind what was listed.
func (c *Client) syncedUpTo(env *sim.Env, i int32, revision int64) {
	w := &c.watches[i]
	for _, k := range [...]sim.CellKind{cellPage, cellQueued, cellStartWatching, cellNextRev} {
		env.Writes(k, int(i))
	}
	w.sync = watchSync{}
	w.state = watchReceiving
	w.substream.rev = revision + 1
	env.Under(w.cause)
	c.request(env, i, w.ctxKey)
}

// stopSync gives up what the sync has asked.
func (c *Client) stopSync(env *sim.Env, i int32) {
	env.LooksAt(cellCalls, 0)
	for j := range c.calls {
		if c.calls[j].state != callFree && c.calls[j].watch == i {
			c.drop(env, j)
		}
	}
}

func (s *watchSync) fingerprint(d sim.Digest) sim.Digest {
	if s.step == syncDone {
		return d
	}
	d = d.Word(uint64(s.step)).Bool(s.more).Bool(s.endBookmark).Text(s.lastKey).Int(s.rev).Bool(s.items != nil)
	for _, kv := range s.items[s.next:] {
		d = kv.Digest(d)
	}
	return d
}

var errTooLarge = &wire.Error{Code: wire.TooLargeResourceVersion, Message: "Too large resource version", RetryAfter: 1}
