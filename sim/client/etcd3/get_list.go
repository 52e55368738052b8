package etcd3

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// streamedList is the place of a list.
type streamedList struct {
	list state.Var[list] `cell:"etcd3: list"`
}

func (l *streamedList) Free() bool { return l.list.Value().request == nil }

// list is a list of etcd3's store that comes as a stream (store.streamChunks). The zero value
// is none.
type list struct {
	// caller waits for the list.
	caller  sim.Conn
	from    sim.NodeID
	cause   sim.Cause `cell:"-"`
	request *wire.RangeRequest
	stream  sim.Conn
	// began: an element has come, so that etcd knows the method.
	began bool
	kvs   []*wire.KeyValue
	// last is the chunk with the header, nil before.
	last *wire.RangeStreamResponse
}

// GetList is store.GetList as far as it streams: lists of a prefix, and pages without a selector. It returns
// false if the list is to be read by one Range: one object, keys only, or an etcd that does not know streams.
func (c *Watcher) GetList(env *sim.Env, caller sim.Conn, from sim.NodeID, p *wire.RangeRequest) bool {
	if p.RangeEnd == "" || p.AsPage || p.KeysOnly || p.CountOnly || p.HashOnly || !c.streams(env) {
		return false
	}
	env.Cover(listStreamed)
	l := c.lists.Free(env, func(int) streamedList { return streamedList{} }).list.Change(env)
	*l = list{caller: caller, from: from, cause: env.Cause(), request: p}
	l.stream = c.client.GetStream(env, p, l.cause)
	return true
}

// listStreamed takes an element of a list's stream, or its end.
func (c *Watcher) listStreamed(env *sim.Env, of *streamedList, p sim.Payload) {
	of.list.Read(env)
	l := of.list.Change(env)
	switch p := p.(type) {
	case *wire.RangeStreamResponse:
		l.began = true
		l.kvs = append(l.kvs, p.Kvs...)
		if p.Revision != 0 {
			l.last = p
		}
	case *wire.Error:
		// streamChunks takes an error behind a chunk for one more chunk.
		switch {
		case l.last == nil:
		case len(l.last.Kvs) == 0:
			p = errNoResults
		case l.request.Limit > 0 && int64(len(l.kvs)) == l.request.Limit && !c.cfg.FailsAtPageEnd:
			// GetList has its limit, and does not read the chunk.
			env.Cover(pageEndMistaken)
			takesErrorForChunk.Say(env, p.Message)
			c.listed(env, of, true)
			return
		}
		c.listFailed(env, of, p)
	case *sim.Hangup:
		if l.last == nil {
			env.Send(c.endList(env, of).caller, errNoRevision)
			return
		}
		c.listed(env, of, l.last.More)
	}
}

var errNoResults = &wire.Error{Code: wire.Internal, Message: "no results were found, but etcd indicated there were more values remaining"}

// listed answers a list with the chunks that have come.
func (c *Watcher) listed(env *sim.Env, of *streamedList, more bool) {
	done := c.endList(env, of)
	env.Under(done.cause)
	env.Send(done.caller, c.DecodeAnswer(env, &wire.RangeResponse{
		Revision: done.last.Revision, Kvs: slices.Clone(done.kvs), More: more, Count: done.last.Count,
	}))
}

// listFailed reads the list by one Range if etcd does not know streams, and else ends it: no
// part of it was returned, but a stream is not repeated.
func (c *Watcher) listFailed(env *sim.Env, l *streamedList, err *wire.Error) {
	failed := c.endList(env, l)
	env.Close(failed.stream)
	env.Under(failed.cause)
	if err.Code == wire.Unimplemented && !failed.began {
		c.markUnsupported(env)
		c.client.Invoke(env, failed.caller, failed.from, failed.request)
		return
	}
	env.Cover(listStreamFailed)
	env.Send(failed.caller, err)
}

// endList frees the place of a list.
func (c *Watcher) endList(env *sim.Env, l *streamedList) list {
	ended := *l.list.Value()
	c.lists.Forget(env, l)
	return ended
}

// ListGivenUp stops the stream of a list whose caller is gone. It returns false if there is
// none.
func (c *Watcher) ListGivenUp(env *sim.Env, caller sim.Conn) bool {
	for l := range c.lists.Used() {
		if l.list.Value().caller == caller {
			env.Close(c.endList(env, l).stream)
			return true
		}
	}
	return false
}

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
