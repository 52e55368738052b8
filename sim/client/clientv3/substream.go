package clientv3

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/arena"
	"github.com/watchbed/watchbed/sim/wire"
)

// WatchRequest is what Watch is asked for.
type WatchRequest struct {
	// Key and End are the range, Rev the first revision; 0 is the next one that
	// etcd makes.
	Key, End       string
	Rev            int64
	ProgressNotify bool
	// PrevKV: changes and deletions come with the previous value.
	PrevKV bool
	// CreatedNotify: the first response is the confirmation that the watch is created.
	CreatedNotify bool
	// Cause is the cause of all that is sent for the watch.
	Cause sim.Cause
}

// watcherStream is clientv3's side of one watch: it outlives the streams to
// etcd on which it is registered.
type watcherStream struct {
	c *Client
	n int32
	// WatchRequest.Rev is initReq.rev: where the watch resumes.
	WatchRequest
	state  substreamState
	stream int32
	// id is the server's name of the watch on the present stream.
	id int64
	// created is false until the server has confirmed the watch for the first time.
	created bool
	// progressed: Rev comes from a progress notification.
	progressed bool
	// buf holds what the subscriber has not taken; it has no bound.
	buf arena.Queue[*wire.WatchResponse]
	// closeErr is the error that the subscriber receives last, nil if there is
	// none.
	closeErr *wire.Error
	// asked is, for judges, the revision from which the present stream was asked for the watch.
	asked int64
}

type substreamState uint8

const (
	// substreamNone: Watch was not called.
	substreamNone substreamState = iota
	// substreamRequesting: Watch waits until run takes the request.
	substreamRequesting
	// substreamServed: serveSubstream runs; the watch is registered on the
	// stream or in its resume queue.
	substreamServed
	// substreamUnserved: serveSubstream has ended, and run takes it from closingc
	// later.
	substreamUnserved
	// substreamClosed: outc is closed.
	substreamClosed
)

func (w *watcherStream) reset() {
	w.buf.Clear()
	*w = watcherStream{c: w.c, n: w.n, buf: w.buf}
}

// Watch is clientv3's Watch, for the watch that the subscriber knows by a number.
// ctxKey is the metadata of the context.
func (c *Client) Watch(env *sim.Env, watch int32, ctxKey string, r WatchRequest) {
	for int(watch) >= len(c.watches) {
		arena.Next(&c.watches, func(n int) *watcherStream { return &watcherStream{c: c, n: int32(n)} })
	}
	w := c.watches[watch]
	env.Writes(cellNextRev, int(watch))
	w.WatchRequest, w.id = r, wire.InvalidWatchID
	w.request(env, ctxKey)
}

// request hands the request for a watch to run.
func (w *watcherStream) request(env *sim.Env, ctxKey string) {
	s, _ := w.c.stream(env, ctxKey)
	w.stream = s.n
	s.looksAt(env, cellRun)
	s.looksAt(env, cellReqc)
	env.Writes(cellSubstream, int(w.n))
	if s.state == streamSelecting && s.reqc.Len() == 0 {
		s.requested(env, w.n)
		return
	}
	env.Cover(watchWhileAsleep)
	s.reads(env, cellRun)
	w.state = substreamRequesting
	s.writesItem(env, cellReqc, watchItem(w.n))
	s.reqc.Push(request{watch: w.n})
}

// create is watchRequest.toPB.
func (w *watcherStream) create() *wire.WatchCreateRequest {
	return &wire.WatchCreateRequest{Key: w.Key, RangeEnd: w.End, StartRevision: w.Rev,
		ProgressNotify: w.ProgressNotify, PrevKv: w.PrevKV, RequireLeader: !w.c.cfg.LeaderNotRequired}
}

// register takes the id that the server gave, and the first time the revision from
// which a watch without a revision resumes.
func (w *watcherStream) register(env *sim.Env, p *wire.WatchResponse) {
	env.LooksAt(cellSubstream, int(w.n))
	w.id = p.WatchID
	if w.state != substreamServed || w.created {
		return
	}
	env.Writes(cellSubstream, int(w.n))
	env.LooksAt(cellNextRev, int(w.n))
	w.created = true
	if w.Rev == 0 {
		env.Cover(watchOfThePresent)
		env.Writes(cellNextRev, int(w.n))
		w.Rev = p.Revision
	}
	if w.CreatedNotify {
		w.hand(env, p)
	}
}

// hand gives the subscriber a response.
func (w *watcherStream) hand(env *sim.Env, p *wire.WatchResponse) {
	env.WritesItem(cellBuf, int(w.n), w.buf.Next())
	w.buf.Push(p)
	w.c.subscriber.Received(env, w.n)
}

// receive is what serveSubstream does with a response. It returns false if
// serveSubstream has ended.
func (w *watcherStream) receive(env *sim.Env, p *wire.WatchResponse) bool {
	if w.state != substreamServed {
		env.Reads(cellSubstream, int(w.n))
		env.Cover(substreamDeaf)
		return false
	}
	env.LooksAt(cellSubstream, int(w.n))
	env.Writes(cellNextRev, int(w.n))
	if n := len(p.Events); n > 0 {
		received.Say(env, w.Key, p, p.Events[n-1].Kv.ModRevision)
		w.Rev, w.progressed = p.Events[n-1].Kv.ModRevision+1, false
	} else {
		w.progressed = true
		if w.Rev = p.Revision; !w.c.cfg.ResumesAtHeader {
			w.Rev++
		}
	}
	w.hand(env, p)
	return true
}

// Cancel ends a watch, because the subscriber's context is cancelled. It returns
// true if the channel of the watch is closed by then. Otherwise the subscriber
// hears of it by Closed.
func (c *Client) Cancel(env *sim.Env, watch int32) bool {
	w := c.watches[watch]
	env.LooksAt(cellSubstream, int(watch))
	switch w.state {
	case substreamRequesting:
		env.Cover(stoppedWhileAsleep)
		c.streams[w.stream].withdraw(env, watch)
		return true
	case substreamServed:
		env.Cover(stopped)
		w.stop(env)
	case substreamUnserved:
		env.Cover(stoppedTwice)
	}
	return w.state == substreamClosed
}

// Forget makes the number of a closed watch free for another one.
func (c *Client) Forget(env *sim.Env, watch int32) {
	if int(watch) >= len(c.watches) {
		return
	}
	env.Writes(cellSubstream, int(watch))
	env.Writes(cellNextRev, int(watch))
	env.Writes(cellBuf, int(watch))
	c.watches[watch].reset()
}

// Stop ends serveSubstream. Responses that the subscriber has not taken are dropped.
func (c *Client) Stop(env *sim.Env, watch int32) { c.watches[watch].stop(env) }

func (w *watcherStream) stop(env *sim.Env) {
	env.LooksAt(cellSubstream, int(w.n))
	if w.state != substreamServed {
		return
	}
	w.drop(env)
	env.Writes(cellSubstream, int(w.n))
	w.state = substreamUnserved
	s := w.c.streams[w.stream]
	s.writesItem(env, cellClosingc, watchItem(w.n))
	s.closingc.Push(w.n)
	s.wakeRun(env)
}

// drop drops the responses that the subscriber has not taken.
func (w *watcherStream) drop(env *sim.Env) {
	env.Writes(cellBuf, int(w.n))
	if w.buf.Len() > 0 {
		env.Cover(bufferDropped)
	}
	w.buf.Clear()
}

// close closes the channel to the subscriber, after err if there is one.
func (w *watcherStream) close(env *sim.Env, err *wire.Error) {
	env.Writes(cellSubstream, int(w.n))
	w.state, w.closeErr = substreamClosed, err
	w.c.subscriber.Closed(env, w.n)
}

// Ready reports whether Take would not wait.
func (c *Client) Ready(env *sim.Env, watch int32) bool {
	w := c.watches[watch]
	env.LooksAt(cellBuf, int(watch))
	env.LooksAt(cellSubstream, int(watch))
	return w.buf.Len() > 0 || w.state == substreamClosed
}

// Take takes the next response of a watch out of its channel; Ready must be true.
// It returns nil if the channel is closed, with an error if that was the reason.
func (c *Client) Take(env *sim.Env, watch int32) (*wire.WatchResponse, *wire.Error) {
	w := c.watches[watch]
	if w.buf.Len() == 0 {
		env.LooksAt(cellBuf, int(watch))
		env.Reads(cellSubstream, int(watch))
		return nil, w.closeErr
	}
	env.ReadsItem(cellBuf, int(watch), w.buf.First())
	env.WritesItem(cellBuf, int(watch), w.buf.First())
	return w.buf.Pop(), nil
}

func (w *watcherStream) coverResume(env *sim.Env) {
	switch {
	case w.state != substreamServed:
		env.Cover(resumeStopped)
	case !w.created:
		env.Cover(resumeBeforeCreated)
	case w.progressed:
		env.Cover(resumeAfterProgress)
	default:
		env.Cover(resumeAfterEvents)
	}
	if w.buf.Len() > 0 {
		env.Cover(resumeWithBuffer)
	}
}
