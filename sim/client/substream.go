package client

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/fifo"
	"github.com/watchbed/watchbed/sim/wire"
)

// watcherStream is clientv3's side of one watch: it outlives the streams to
// etcd on which it is registered.
type watcherStream struct {
	state  substreamState
	stream int32
	// id is what the server calls the watch on the present stream.
	id int64
	// key and end are the range.
	key, end       string
	progressNotify bool
	// rev is initReq.rev: where the watch resumes.
	rev int64
	// created is false until the server confirmed the watch for the first time.
	created bool
	// progressed: rev comes from a progress notification.
	progressed bool
	// buf holds what the subscriber has not taken; it has no bound.
	buf fifo.Queue[*wire.WatchResponse]
	// closeErr is what the subscriber is told last, if anything.
	closeErr *wire.Error
}

type substreamState uint8

const (
	// substreamNone: the watch still sends its initial events.
	substreamNone substreamState = iota
	// substreamRequesting: Watch waits until run takes the request.
	substreamRequesting
	// substreamServed: serveSubstream runs; the watch is registered on the
	// stream or in its resume queue.
	substreamServed
	// substreamUnserved: serveSubstream ended and waits in closingc until run
	// hears of it.
	substreamUnserved
	// substreamClosed: outc is closed.
	substreamClosed
)

func (ws *watcherStream) reset() {
	ws.buf.Clear()
	*ws = watcherStream{buf: ws.buf}
}

// create is watchRequest.toPB.
func (ws *watcherStream) create() *wire.WatchCreateRequest {
	return &wire.WatchCreateRequest{Key: ws.key, RangeEnd: ws.end, StartRevision: ws.rev,
		ProgressNotify: ws.progressNotify, PrevKv: true}
}

// register takes the id that the server gave, and on the first time the
// revision from which a watch of the present resumes.
func (c *Client) register(env *sim.Env, watch int32, p *wire.WatchResponse) {
	ws := &c.watches[watch].substream
	env.LooksAt(cellSubstream, int(watch))
	ws.id = p.WatchID
	if ws.state == substreamServed && !ws.created {
		env.Writes(cellSubstream, int(watch))
		env.LooksAt(cellNextRev, int(watch))
		ws.created = true
		if ws.rev == 0 {
			env.Writes(cellNextRev, int(watch))
			env.Cover(watchOfThePresent)
			ws.rev = p.Revision
		}
	}
}

// recvc is what serveSubstream does with a response. It returns false if nobody
// serves the substream any more.
func (c *Client) recvc(env *sim.Env, watch int32, p *wire.WatchResponse) bool {
	w := &c.watches[watch]
	ws := &w.substream
	if ws.state != substreamServed {
		env.Reads(cellSubstream, int(watch))
		env.Cover(substreamDeaf)
		return false
	}
	env.LooksAt(cellSubstream, int(watch))
	env.LooksAt(cellStartWatching, int(watch))
	env.Writes(cellNextRev, int(watch))
	env.WritesItem(cellBuf, int(watch), ws.buf.Next())
	if n := len(p.Events); n > 0 {
		ws.rev, ws.progressed = p.Events[n-1].Kv.ModRevision+1, false
	} else {
		ws.progressed = true
		if ws.rev = p.Revision; c.cfg.Behaviour.ResumeRevision == ResumeAfterHeader {
			ws.rev++
		}
	}
	ws.buf.Push(p)
	if w.state == watchReceiving {
		env.Enable(sim.Task(watch*tasksEach + taskStartWatching))
	}
	return true
}

// stopServing ends serveSubstream. What nobody has taken by now is dropped.
func (c *Client) stopServing(env *sim.Env, watch int32) {
	ws := &c.watches[watch].substream
	env.LooksAt(cellSubstream, int(watch))
	if ws.state != substreamServed {
		return
	}
	c.dropBuf(env, watch)
	env.Writes(cellSubstream, int(watch))
	ws.state = substreamUnserved
	env.WritesItem(cellClosingc, int(ws.stream), watchItem(watch))
	c.streams[ws.stream].closingc.Push(watch)
	c.wakeRun(env, ws.stream)
}

// dropBuf drops the responses that the subscriber has not taken.
func (c *Client) dropBuf(env *sim.Env, watch int32) {
	ws := &c.watches[watch].substream
	env.Writes(cellBuf, int(watch))
	if ws.buf.Len() > 0 {
		env.Cover(bufferDropped)
	}
	ws.buf.Clear()
}

// closeOutc closes the channel to the subscriber, after err if there is one.
func (c *Client) closeOutc(env *sim.Env, watch int32, err *wire.Error) {
	w := &c.watches[watch]
	env.Writes(cellSubstream, int(watch))
	env.LooksAt(cellStartWatching, int(watch))
	w.substream.state, w.substream.closeErr = substreamClosed, err
	switch w.state {
	case watchDone:
		c.freeWatch(env, watch)
	case watchReceiving:
		env.Enable(sim.Task(watch*tasksEach + taskStartWatching))
	}
}

func (ws *watcherStream) coverResume(env *sim.Env) {
	switch {
	case ws.state != substreamServed:
		env.Cover(resumeStopped)
	case !ws.created:
		env.Cover(resumeBeforeCreated)
	case ws.progressed:
		env.Cover(resumeAfterProgress)
	default:
		env.Cover(resumeAfterEvents)
	}
	if ws.buf.Len() > 0 {
		env.Cover(resumeWithBuffer)
	}
}
