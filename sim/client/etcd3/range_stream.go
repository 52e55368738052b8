package etcd3

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// unsupported is what FeatureSupportChecker keeps of RangeStream, for the process: nothing asks
// etcd for it, a stream is tried, and what comes of it says whether etcd knows the method.
type unsupported struct {
	marked bool
	at     sim.Time
}

// recheckInterval is how long nothing is streamed after that (rangeStreamRecheckInterval).
const recheckInterval = 10 * time.Minute

// streams reports whether to try a stream: the gate, and Supports.
func (c *Watcher) streams(env *sim.Env) bool {
	if !c.cfg.StreamsRanges {
		return false
	}
	u := c.unsupported.Read(env)
	if u.marked && env.Elapsed(u.at, recheckInterval) {
		env.Cover(streamTriedAgain)
		c.unsupported.Set(env, unsupported{})
	}
	return !u.marked
}

// markUnsupported is MarkUnsupported.
func (c *Watcher) markUnsupported(env *sim.Env) {
	env.Cover(streamUnsupported)
	c.unsupported.Set(env, unsupported{marked: true, at: env.Now()})
}

// Streamed implements clientv3.Subscriber. A connection keeps its owner, so that the owner
// depends on no cell.
func (c *Watcher) Streamed(env *sim.Env, stream sim.Conn, p sim.Payload) bool {
	for _, w := range c.watches.All() {
		if w.page.Value().stream == stream {
			w.streamed(env, p)
			return true
		}
	}
	for l := range c.lists.Used() {
		if l.list.Value().stream == stream {
			c.listStreamed(env, l, p)
			return true
		}
	}
	return false
}

// syncStream is syncStreamRecursive: the initial events come as one stream, without a limit.
func (w *watchChan) syncStream(env *sim.Env) {
	env.Cover(syncStreamed)
	s, l := w.page.Value(), w.loop.Value()
	s.more = true
	s.stream = w.c.client.GetStream(env, &wire.RangeRequest{Key: l.prefix, RangeEnd: l.end}, l.cause)
}

// streamed takes an element of the stream, or its end. The loop that reads it is blocked while
// objects of the element before wait for room in incomingEventChan.
func (w *watchChan) streamed(env *sim.Env, p sim.Payload) {
	if w.loop.Look(env).state == watchFailing {
		return
	}
	w.page.Read(env)
	s, q := w.page.Change(env), w.queued.Change(env)
	switch p := p.(type) {
	case *wire.RangeStreamResponse:
		// Only the last chunk has a header.
		s.rev = max(s.rev, p.Revision)
		s.items, s.came, q.next = p.Kvs, true, 0
		env.Hold(s.stream)
	case *wire.Error:
		w.streamFailed(env, p)
		return
	case *sim.Hangup:
		s.stream, s.more, s.items, s.came, q.next = sim.NoConn, false, nil, true, 0
		if s.rev == 0 {
			w.fail(env, errNoRevision)
			return
		}
	}
	w.queueInitial(env)
}

// nextChunk lets the loop read on: all of the chunk is queued.
func (w *watchChan) nextChunk(env *sim.Env) {
	s := w.page.Change(env)
	s.items, s.came = nil, false
	w.queued.Value().next = 0
	env.Release(s.stream)
}

// streamFailed ends the watch, since a consumer may have had a part of the state and there is
// no way back to its beginning; or the objects come in pages, if none has come yet.
func (w *watchChan) streamFailed(env *sim.Env, err *wire.Error) {
	s := w.page.Value()
	env.Close(s.stream)
	s.stream, s.more, s.rev = sim.NoConn, false, 0
	if err.Code == wire.Unimplemented || w.c.cfg.FallsBackLate {
		w.c.markUnsupported(env)
		listsInPages.Say(env, w.loop.Value().prefix, err.Message)
		w.firstPage(env)
		return
	}
	env.Cover(syncStreamFailed)
	w.fail(env, err)
}

var errNoRevision = &wire.Error{Code: wire.Internal, Message: "the stream of initial events ended without a revision"}
