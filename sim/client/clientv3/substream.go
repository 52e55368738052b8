package clientv3

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// WatchRequest is what Watch is asked for.
type WatchRequest struct {
	// Key and End are the range, Rev the first revision; 0 is the next one that
	// etcd makes.
	Key, End       string
	Rev            int64 `cell:"-"`
	ProgressNotify bool
	// PrevKV: changes and deletions come with the previous value.
	PrevKV bool
	// CreatedNotify: the first response is the confirmation that the watch is created.
	CreatedNotify bool
	// Cause is the cause of all that is sent for the watch.
	Cause sim.Cause `cell:"-"`
}

// watcherStream is clientv3's side of one watch: it outlives the streams to
// etcd on which it is registered.
type watcherStream struct {
	c   *Client
	n   number
	sub state.Var[substream] `cell:"clientv3: serveSubstream"`
	// nextRev is initReq.rev: where the watch resumes.
	nextRev state.Var[int64] `cell:"clientv3: nextRev"`
	// buf holds what the subscriber has not taken; it has no bound.
	buf state.Queue[*wire.WatchResponse] `cell:"clientv3: buf"`
}

// Free implements state.Placed.
func (w *watcherStream) Free() bool { return w.sub.Value().state == substreamNone }

// substream is where serveSubstream is.
type substream struct {
	WatchRequest
	state  substreamState
	stream int32
	// created is false until the server has confirmed the watch for the first time.
	created bool
	// progressed: nextRev comes from a progress notification.
	progressed bool `cell:"-"`
	// closeErr is the error that the subscriber receives last, nil if there is
	// none.
	closeErr *wire.Error
	// asked is, for judges, the revision from which the present stream was asked for the watch.
	asked int64 `cell:"-"`
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

// Watch is clientv3's Watch, for the watch that the subscriber knows by a number.
// ctxKey is the metadata of the context.
func (c *Client) Watch(env *sim.Env, watch int32, ctxKey string, r WatchRequest) {
	w := c.watches.Reach(int(watch), func(n int) watcherStream { return watcherStream{c: c, n: number(n)} })
	w.nextRev.Set(env, r.Rev)
	w.sub.Value().WatchRequest = r
	w.request(env, ctxKey)
}

// request hands the request for a watch to run.
func (w *watcherStream) request(env *sim.Env, ctxKey string) {
	s, _ := w.c.stream(env, ctxKey)
	sub := w.sub.Change(env)
	sub.stream = s.n
	if s.loop.Look(env).state == streamSelecting && len(s.reqc.Look(env)) == 0 {
		s.requested(env, w.n)
		return
	}
	env.Cover(watchWhileAsleep)
	s.loop.Read(env)
	sub.state = substreamRequesting
	s.reqc.Add(env, request{watch: w.n})
}

// create is watchRequest.toPB.
func (w *watcherStream) create() *wire.WatchCreateRequest {
	r := &w.sub.Value().WatchRequest
	return &wire.WatchCreateRequest{Key: r.Key, RangeEnd: r.End, StartRevision: *w.nextRev.Value(),
		ProgressNotify: r.ProgressNotify, PrevKv: r.PrevKV, RequireLeader: !w.c.cfg.LeaderNotRequired}
}

// register takes, the first time, the revision from which a watch without a revision resumes.
func (w *watcherStream) register(env *sim.Env, p *wire.WatchResponse) {
	sub := w.sub.Look(env)
	if sub.state != substreamServed || sub.created {
		return
	}
	w.sub.Change(env).created = true
	if *w.nextRev.Look(env) == 0 {
		env.Cover(watchOfThePresent)
		w.nextRev.Set(env, p.Revision)
	}
	if sub.CreatedNotify {
		w.hand(env, p)
	}
}

// hand gives the subscriber a response.
func (w *watcherStream) hand(env *sim.Env, p *wire.WatchResponse) {
	w.buf.Push(env, p)
	w.c.subscriber.Received(env, int32(w.n))
}

// receive is what serveSubstream does with a response. It returns false if
// serveSubstream has ended.
func (w *watcherStream) receive(env *sim.Env, p *wire.WatchResponse) bool {
	sub := w.sub.Look(env)
	if sub.state != substreamServed {
		w.sub.Read(env)
		env.Cover(substreamDeaf)
		return false
	}
	next := w.nextRev.Change(env)
	if n := len(p.Events); n > 0 {
		received.Say(env, sub.Key, p, p.Events[n-1].Kv.ModRevision)
		*next, sub.progressed = p.Events[n-1].Kv.ModRevision+1, false
	} else {
		sub.progressed = true
		if *next = p.Revision; !w.c.cfg.ResumesAtHeader {
			*next++
		}
	}
	w.hand(env, p)
	return true
}

// Cancel ends a watch, because the subscriber's context is cancelled. It returns
// true if the channel of the watch is closed by then. Otherwise the subscriber
// hears of it by Closed.
func (c *Client) Cancel(env *sim.Env, watch int32) bool {
	w := c.watches.At(int(watch))
	sub := w.sub.Look(env)
	switch sub.state {
	case substreamRequesting:
		env.Cover(stoppedWhileAsleep)
		c.streams.At(int(sub.stream)).withdraw(env, w.n)
		return true
	case substreamServed:
		env.Cover(stopped)
		w.stop(env)
	case substreamUnserved:
		env.Cover(stoppedTwice)
	}
	return sub.state == substreamClosed
}

// Forget makes the number of a closed watch free for another one.
func (c *Client) Forget(env *sim.Env, watch int32) {
	if int(watch) < len(c.watches.All()) {
		c.watches.Forget(env, c.watches.At(int(watch)))
	}
}

// Stop ends serveSubstream. Responses that the subscriber has not taken are dropped.
func (c *Client) Stop(env *sim.Env, watch int32) { c.watches.At(int(watch)).stop(env) }

func (w *watcherStream) stop(env *sim.Env) {
	if w.sub.Look(env).state != substreamServed {
		return
	}
	w.drop(env)
	sub := w.sub.Change(env)
	sub.state = substreamUnserved
	s := w.c.streams.At(int(sub.stream))
	s.closingc.Add(env, w.n)
	s.wakeRun(env)
}

// drop drops the responses that the subscriber has not taken.
func (w *watcherStream) drop(env *sim.Env) {
	if w.buf.Value().Len() > 0 {
		env.Cover(bufferDropped)
	}
	w.buf.Clear(env)
}

// close closes the channel to the subscriber, after err if there is one.
func (w *watcherStream) close(env *sim.Env, err *wire.Error) {
	sub := w.sub.Change(env)
	sub.state, sub.closeErr = substreamClosed, err
	w.c.subscriber.Closed(env, int32(w.n))
}

// Ready reports whether Take would not wait.
func (c *Client) Ready(env *sim.Env, watch int32) bool {
	w := c.watches.At(int(watch))
	return w.buf.Look(env).Len() > 0 || w.sub.Look(env).state == substreamClosed
}

// Take takes the next response of a watch out of its channel; Ready must be true.
// It returns nil if the channel is closed, with an error if that was the reason.
func (c *Client) Take(env *sim.Env, watch int32) (*wire.WatchResponse, *wire.Error) {
	w := c.watches.At(int(watch))
	if w.buf.Look(env).Len() == 0 {
		return nil, w.sub.Read(env).closeErr
	}
	return w.buf.Pop(env), nil
}

func (w *watcherStream) coverResume(env *sim.Env) {
	switch sub := w.sub.Value(); {
	case sub.state != substreamServed:
		env.Cover(resumeStopped)
	case !sub.created:
		env.Cover(resumeBeforeCreated)
	case sub.progressed:
		env.Cover(resumeAfterProgress)
	default:
		env.Cover(resumeAfterEvents)
	}
	if w.buf.Value().Len() > 0 {
		env.Cover(resumeWithBuffer)
	}
}

// Progress requests without an id, the same every time.
var (
	progressOfLeader    = &wire.WatchProgressRequest{RequireLeader: true}
	progressOfAnyMember = &wire.WatchProgressRequest{}
)

// RequestProgress is Watcher.RequestProgress. The caller is the connection on which
// the request came.
func (c *Client) RequestProgress(env *sim.Env, caller sim.Conn, p *wire.ProgressRequest) {
	s, opened := c.stream(env, p.Metadata)
	switch {
	case opened:
		env.Cover(progressOpensStream)
	case len(s.substreams.All()) == 0:
		env.Cover(progressWithoutWatch)
	}
	reqc, loop := s.reqc.Look(env), s.loop.Look(env)
	if loop.state == streamSelecting && len(reqc) == 0 {
		env.Send(loop.conn, c.progressRequest(p))
		return
	}
	s.loop.Read(env)
	if slices.ContainsFunc(reqc, func(r request) bool { return r.watch == noWatch && r.caller == caller }) {
		env.Cover(progressCallerBlocked)
		return
	}
	env.Cover(progressWhileAsleep)
	s.reqc.Add(env, request{watch: noWatch, caller: caller, cause: env.Cause(), progress: p})
}

// progressRequest is what goes to etcd: the same every time, unless it has an
// id.
func (c *Client) progressRequest(p *wire.ProgressRequest) *wire.WatchProgressRequest {
	switch {
	case p.ID != 0:
		return &wire.WatchProgressRequest{ID: p.ID, RequireLeader: !c.cfg.LeaderNotRequired}
	case !c.cfg.LeaderNotRequired:
		return progressOfLeader
	}
	return progressOfAnyMember
}
