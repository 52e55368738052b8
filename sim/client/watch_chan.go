package client

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/fifo"
	"github.com/watchbed/watchbed/sim/wire"
)

// watchChan is one watch of etcd3's watcher, with clientv3's part of it.
type watchChan struct {
	state watchState
	// conn leads to the cache: resultChan.
	conn  sim.Conn
	from  sim.NodeID
	cause sim.Cause
	// ctxKey is the metadata under which the watch goes to etcd.
	ctxKey string
	sync   watchSync
	// nth tells watches of one prefix apart.
	nth       int32
	substream watcherStream
	// response is the one whose events startWatching queues, next the first
	// event that is not queued yet.
	response          *wire.WatchResponse
	next              int
	incomingEventChan fifo.Queue[event]
	err               *wire.Error
}

// watchState is where startWatching is.
type watchState uint8

const (
	watchFree watchState = iota
	// watchSyncing: initial events are listed and queued; clientv3 knows nothing
	// of the watch yet.
	watchSyncing
	// watchReceiving: it waits for a response, or for Watch to return.
	watchReceiving
	// watchQueueing: incomingEventChan is full.
	watchQueueing
	// watchFailing: an error is to be put into resultChan.
	watchFailing
	// watchDone: the context is cancelled; clientv3 may not know yet.
	watchDone
)

func (w *watchChan) reset() {
	w.substream.reset()
	w.incomingEventChan.Clear()
	*w = watchChan{substream: w.substream, incomingEventChan: w.incomingEventChan}
}

// freeWatch makes a watch's place free for another one.
func (c *Client) freeWatch(env *sim.Env, i int32) {
	env.LooksAt(cellWatches, 0)
	for _, k := range [...]sim.CellKind{cellStartWatching, cellResponse, cellErr, cellIncoming, cellPage, cellQueued, cellSubstream, cellNextRev, cellBuf} {
		env.Writes(k, int(i))
	}
	c.watches[i].reset()
}

func (w *watchChan) name() string { return numbered(w.substream.key, w.nth) }

func (c *Client) watchOn(conn sim.Conn) int32 {
	for i := range c.watches {
		if w := &c.watches[i]; w.conn == conn && w.state != watchFree && w.state != watchDone {
			return int32(i)
		}
	}
	return noWatch
}

// watch is etcd3 watcher.Watch, up to where clientv3's Watch hands the request
// to run.
func (c *Client) watch(env *sim.Env, conn sim.Conn, from sim.NodeID, p *wire.WatchStart) {
	i := len(c.watches)
	for at := range c.watches {
		if c.watches[at].state == watchFree {
			i = at
			break
		}
	}
	switch {
	case i < len(c.watches):
	case i < cap(c.watches):
		c.watches = c.watches[:i+1]
	default:
		c.watches = append(c.watches, watchChan{})
	}
	w := &c.watches[i]
	env.Writes(cellWatches, 0)
	env.Writes(cellStartWatching, i)
	env.Writes(cellSubstream, i)
	env.Writes(cellNextRev, i)
	for c.hasWatch(p.Prefix, w.nth) {
		w.nth++
	}
	w.state, w.conn, w.from, w.cause, w.ctxKey = watchReceiving, conn, from, env.Cause(), p.Metadata
	ws := &w.substream
	ws.id = wire.InvalidWatchID
	ws.key, ws.end, ws.progressNotify = p.Prefix, prefixEnd(p.Prefix), p.ProgressNotify
	// wire.Unset becomes 0, which asks for what happens from now on.
	ws.rev = p.Revision + 1
	env.Bound(conn, c.cfg.OutgoingBufSize)
	if c.startSync(env, int32(i), p) {
		return
	}
	c.request(env, int32(i), p.Metadata)
}

func (c *Client) hasWatch(prefix string, nth int32) bool {
	for i := range c.watches {
		if w := &c.watches[i]; w.state != watchFree && w.nth == nth && w.substream.key == prefix {
			return true
		}
	}
	return false
}

// request is clientv3's Watch.
func (c *Client) request(env *sim.Env, watch int32, ctxKey string) {
	i, _ := c.stream(env, ctxKey)
	s, ws := &c.streams[i], &c.watches[watch].substream
	ws.stream = i
	env.LooksAt(cellRun, int(i))
	env.LooksAt(cellReqc, int(i))
	env.Writes(cellSubstream, int(watch))
	if s.state == streamSelecting && s.reqc.Len() == 0 {
		c.requested(env, i, watch)
		return
	}
	env.Cover(watchWhileAsleep)
	env.Reads(cellRun, int(i))
	ws.state = substreamRequesting
	env.WritesItem(cellReqc, int(i), watchItem(watch))
	s.reqc.Push(watchStreamRequest{watch: watch})
}

// startWatching takes one response from clientv3, or goes on with what it could
// not do before.
func (c *Client) startWatching(env *sim.Env, i int32) {
	w := &c.watches[i]
	ws := &w.substream
	env.LooksAt(cellStartWatching, int(i))
	env.LooksAt(cellBuf, int(i))
	switch {
	case w.state == watchSyncing:
		env.Reads(cellPage, int(i))
		c.queueInitial(env, i)
	case w.state == watchFailing:
		env.Reads(cellErr, int(i))
		c.sendError(env, i)
	case w.state == watchQueueing:
		env.Reads(cellResponse, int(i))
		c.queueEvents(env, i)
	case ws.buf.Len() == 0 && ws.closeErr != nil:
		env.Reads(cellSubstream, int(i))
		env.Writes(cellErr, int(i))
		w.err = ws.closeErr
		c.sendError(env, i)
	case ws.buf.Len() == 0:
		env.Reads(cellSubstream, int(i))
		env.Cover(closedWithoutError)
		c.cancel(env, i)
	default:
		env.ReadsItem(cellBuf, int(i), ws.buf.First())
		env.WritesItem(cellBuf, int(i), ws.buf.First())
		p := ws.buf.Pop()
		if p.CompactRevision != 0 {
			env.Cover(compacted)
			c.stopServing(env, i)
			env.Writes(cellErr, int(i))
			w.err = errCompacted
			c.sendError(env, i)
			return
		}
		env.Writes(cellResponse, int(i))
		w.response, w.next = p, 0
		c.queueEvents(env, i)
	}
}

// queueEvents puts the events of a response, or the progress that it is, into
// incomingEventChan as far as there is room.
func (c *Client) queueEvents(env *sim.Env, i int32) {
	w := &c.watches[i]
	empty := w.incomingEventChan.Len() == 0
	env.LooksAt(cellIncoming, int(i))
	c.queueResponse(env, i)
	if empty && w.incomingEventChan.Len() > 0 && env.CanSend(w.conn) {
		env.Enable(sim.Task(i*tasksEach + taskProcessEvents))
	}
	c.wakeStartWatching(env, i)
}

func (c *Client) queueResponse(env *sim.Env, i int32) {
	w := &c.watches[i]
	p := w.response
	env.Writes(cellResponse, int(i))
	env.Writes(cellStartWatching, int(i))
	if p.IsProgressNotify() {
		if !c.room(env, w) {
			return
		}
		w.push(env, i, event{rev: p.Revision, progressID: p.ProgressID})
	}
	for ; w.next < len(p.Events); w.next++ {
		if !c.room(env, w) {
			return
		}
		e := &p.Events[w.next]
		if !c.parseEvent(env, e) {
			env.Writes(cellErr, int(i))
			w.response, w.err, w.state = nil, missingPrevKv(e), watchFailing
			return
		}
		w.push(env, i, event{event: e, rev: e.Kv.ModRevision})
	}
	w.response, w.state = nil, watchReceiving
}

// push puts an event into incomingEventChan of watch i, which has room.
func (w *watchChan) push(env *sim.Env, i int32, e event) {
	env.WritesItem(cellIncoming, int(i), w.incomingEventChan.Next())
	w.incomingEventChan.Push(e)
}

// room reports whether incomingEventChan takes one more event; if not, the
// watch waits for it.
func (c *Client) room(env *sim.Env, w *watchChan) bool {
	if w.incomingEventChan.Len() < c.cfg.IncomingBufSize {
		return true
	}
	env.Cover(incomingEventChanFull)
	w.state = watchQueueing
	return false
}

// wakeStartWatching enables startWatching if it has something to do.
func (c *Client) wakeStartWatching(env *sim.Env, i int32) {
	w := &c.watches[i]
	for _, k := range [...]sim.CellKind{cellStartWatching, cellIncoming, cellPage, cellQueued, cellBuf, cellSubstream} {
		env.LooksAt(k, int(i))
	}
	switch w.state {
	case watchSyncing:
		if !w.sync.hasItems() || w.incomingEventChan.Len() == c.cfg.IncomingBufSize {
			return
		}
	case watchReceiving:
		if w.substream.buf.Len() == 0 && w.substream.state != substreamClosed {
			return
		}
	case watchQueueing:
		if w.incomingEventChan.Len() == c.cfg.IncomingBufSize {
			return
		}
	case watchFailing:
		if !env.CanSend(w.conn) {
			return
		}
	default:
		return
	}
	env.Enable(sim.Task(i*tasksEach + taskStartWatching))
}

// sendError puts an error into resultChan, past what is queued, and cancels.
func (c *Client) sendError(env *sim.Env, i int32) {
	w := &c.watches[i]
	if !env.CanSend(w.conn) {
		env.Cover(errorWaits)
		env.Writes(cellStartWatching, int(i))
		w.state = watchFailing
		return
	}
	if w.incomingEventChan.Len() > 0 {
		env.Cover(errorOvertakes)
	}
	if env.Noting() {
		env.Note(watchEnds{key: w.substream.key, err: w.err})
	}
	env.Under(w.cause)
	env.Send(w.conn, &wire.WatchEvent{Type: wire.Failed, Err: w.err})
	c.cancel(env, i)
}

// cancel ends a watch from this side: resultChan is closed behind what is in it.
func (c *Client) cancel(env *sim.Env, i int32) {
	env.Close(c.watches[i].conn)
	c.contextDone(env, i)
}

// contextDone ends everything that belongs to a watch but for run's part of it.
func (c *Client) contextDone(env *sim.Env, i int32) {
	w := &c.watches[i]
	if w.incomingEventChan.Len() > 0 {
		env.Cover(incomingDropped)
	}
	env.Disable(sim.Task(i*tasksEach + taskStartWatching))
	env.Disable(sim.Task(i*tasksEach + taskProcessEvents))
	env.LooksAt(cellSubstream, int(i))
	for _, k := range [...]sim.CellKind{cellStartWatching, cellResponse, cellErr, cellIncoming} {
		env.Writes(k, int(i))
	}
	w.state = watchDone
	w.response, w.err = nil, nil
	w.incomingEventChan.Clear()
	switch w.substream.state {
	case substreamNone:
		env.Cover(stoppedWhileSyncing)
		c.stopSync(env, i)
		c.freeWatch(env, i)
	case substreamRequesting:
		env.Cover(stoppedWhileAsleep)
		c.withdraw(env, w.substream.stream, i)
		c.freeWatch(env, i)
	case substreamServed:
		env.Cover(stopped)
		c.stopServing(env, i)
	case substreamUnserved:
		env.Cover(stoppedTwice)
	case substreamClosed:
		c.freeWatch(env, i)
	}
}

// prefixEnd is clientv3.GetPrefixRangeEnd: the first key behind all those with
// the prefix.
func prefixEnd(prefix string) string {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] < 0xff {
			return prefix[:i] + string([]byte{prefix[i] + 1})
		}
	}
	return "\x00"
}
