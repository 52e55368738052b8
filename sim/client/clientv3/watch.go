package clientv3

import (
	"cmp"
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// Stream is upstream's watchGrpcStream: one stream to etcd, and the watches that
// share it.
type Stream struct {
	c       *Client
	n       int32
	loop    state.Var[runLoop]      `cell:"clientv3: run"`
	backoff state.Var[sim.Duration] `cell:"clientv3: backoff"`
	// substreams are the watches that are registered on the stream, resuming
	// those that are to be: the create request of the first one is under way. An
	// entry noWatch was abandoned and still waits for its Created.
	substreams state.List[registered] `cell:"clientv3: substreams"`
	resuming   state.List[number]     `cell:"clientv3: resuming"`
	reqc       state.List[request]    `cell:"clientv3: reqc"`
	closingc   state.List[number]     `cell:"clientv3: closingc"`
	// cancelSet is in order. An item is idItem.
	cancelSet state.Var[[]int64] `cell:"clientv3: cancelSet"`
	// cur collects the fragments of a response.
	cur state.Var[*wire.WatchResponse] `cell:"clientv3: fragments"`
	// closeErr, once set, is the error of every watch that closes.
	closeErr state.Var[*wire.Error] `cell:"clientv3: closeErr"`
}

func (s *Stream) Free() bool { return s.loop.Value().state == streamFree }

// runLoop is where run is.
type runLoop struct {
	state  streamState
	ctxKey string
	conn   sim.Conn
	// breaks and outage are for Outages: how often the stream has broken, and the place
	// of the last break among them.
	breaks, outage int `cell:"-"`
	// abandoned are, for judges, the ids of watches that nothing was left of when they were created.
	abandoned []int64 `cell:"-"`
}

// number is that of a watch.
type number int32

// noWatch is where upstream has a nil *watcherStream.
const noWatch number = -1

func (n number) Item() int64 {
	if n == noWatch {
		return sim.NoItem
	}
	return int64(n) + 1
}

// registered is a watch under the id that the server gave it.
type registered struct {
	watch number
	id    int64
}

func (r *registered) Item() int64 { return r.watch.Item() }

// idItem is a watch id as an entry of cancelSet.
func idItem(id int64) int64 { return id + 1 }

type streamState uint8

const (
	streamFree streamState = iota
	// streamSelecting: run waits for its channels.
	streamSelecting
	// streamBackingOff: run sleeps after a break and takes nothing.
	streamBackingOff
	// streamStuck: run waits for ever in wg.Wait, and takes nothing (Options.EndsWithRefused).
	streamStuck
)

// request is a request that waits until run takes it.
type request struct {
	// watch is noWatch for a progress request.
	watch number
	// progress is a progress request, with its caller and cause.
	progress *wire.ProgressRequest `cell:"-"`
	caller   sim.Conn
	cause    sim.Cause `cell:"-"`
}

// Item implements state.Numbered: at most one request for each watch and for each connection waits.
func (r *request) Item() int64 {
	if r.watch != noWatch {
		return r.watch.Item()
	}
	return 1<<32 + int64(r.caller)
}

func (l *runLoop) name() string {
	if l.ctxKey == "" {
		return ""
	}
	return " " + l.ctxKey
}

func (s *Stream) watch(n number) *watcherStream { return s.c.watches.At(int(n)) }

// streamOn finds the stream of a connection, nil if there is none.
func (c *Client) streamOn(conn sim.Conn) *Stream {
	for _, s := range c.streams.All() {
		if l := s.loop.Value(); l.conn == conn && l.state != streamFree {
			return s
		}
	}
	return nil
}

// stream finds the stream for a context's metadata, or opens it.
func (c *Client) stream(env *sim.Env, ctxKey string) (s *Stream, opened bool) {
	for _, other := range c.streams.All() {
		if other.Free() {
			s = other
		} else if other.loop.Value().ctxKey == ctxKey {
			c.streams.Look(env)
			return other, false
		}
	}
	s = c.streams.Take(env, s, func(n int) Stream { return Stream{c: c, n: int32(n)} })
	s.backoff.Set(env, c.cfg.WatchBackoff)
	s.loop.Set(env, runLoop{state: streamSelecting, ctxKey: ctxKey, conn: env.Open(c.endpoint(env))})
	return s, true
}

// newWatchClient opens the stream again after a break. All watches are created
// anew, one after the other: those that were in the queue already, then those that
// were registered, in the random order of a map.
func (s *Stream) newWatchClient(env *sim.Env) {
	s.resuming.Delete(env, func(w *number) bool { return *w == noWatch })
	for n := len(s.substreams.Look(env)); n > 0; n-- {
		r := s.substreams.Pop(env, env.Choose(n, "which watch resumes next"))
		s.resuming.Add(env, r.watch)
	}
	for _, w := range s.resuming.All() {
		s.watch(w).coverResume(env)
	}
	l := s.loop.Change(env)
	l.state, l.conn, l.abandoned = streamSelecting, env.Open(s.c.endpoint(env)), l.abandoned[:0]
	s.reopened(env)
	s.cancelSet.Set(env, nil)
	s.nextResume(env)
	if len(s.reqc.All()) == 0 && s.c.cfg.LeavesClosings {
		if n := len(s.closingc.All()); n > 0 {
			closingsLeft.Say(env, n)
		}
		return
	}
	s.wakeRun(env)
}

// halt ends run with an error that a new stream would have too: every watch on it
// fails with the error.
func (s *Stream) halt(env *sim.Env, err *wire.Error) {
	streamEnds.Say(env, err.Message)
	if s.waitsForRefused(env, err) {
		return
	}
	for _, w := range s.listed(env) {
		s.watch(w).drop(env)
		s.watch(w).close(env, err)
	}
	s.close(env, err)
}

// listed are the watches that run closes when it ends: those that are registered and those that are to be.
func (s *Stream) listed(env *sim.Env) (all []number) {
	for _, r := range s.substreams.Look(env) {
		all = append(all, r.watch)
	}
	return slices.DeleteFunc(append(all, s.resuming.Look(env)...), func(w number) bool { return w == noWatch })
}

// waitsForRefused is the end of run while a watch waits in closingc that etcd refused to create. It returns false if
// there is none, or if the option says that such watches are closed.
func (s *Stream) waitsForRefused(env *sim.Env, err *wire.Error) bool {
	listed := s.listed(env)
	refused := func(w number) bool { return !slices.Contains(listed, w) }
	if s.c.cfg.EndsWithRefused || !slices.ContainsFunc(s.closingc.Look(env), refused) {
		return false
	}
	env.Cover(waitsForRefused)
	runWaits.Say(env)
	// The goroutines of the watches that are closed now come behind those that wait in closingc.
	senders := slices.Clone(s.closingc.All())
	others := slices.DeleteFunc(slices.Clone(listed), func(w number) bool { return slices.Contains(senders, w) })
	for len(others) > 0 {
		at := env.Choose(len(others), "which watch closes next")
		s.watch(others[at]).drop(env)
		senders = append(senders, others[at])
		others = slices.Delete(others, at, at+1)
	}
	s.closingc.Clear(env)
	for i, w := range senders {
		if i < len(listed) {
			s.watch(w).close(env, err)
			continue
		}
		s.watch(w).sub.Change(env).state = substreamUnserved
		s.closingc.Add(env, w)
	}
	s.substreams.Clear(env)
	s.resuming.Clear(env)
	l := s.loop.Change(env)
	l.state = streamStuck
	env.Disable(s.task())
	if err != nil {
		env.Close(l.conn)
		l.conn = sim.NoConn
	}
	return true
}

// close is watcher.closeStream. Requests that run has not taken fail if there is an
// error. Otherwise they go to a new stream.
func (s *Stream) close(env *sim.Env, err *wire.Error) {
	c, ctxKey := s.c, s.loop.Value().ctxKey
	// Watches whose creation was refused are in neither list.
	for _, w := range s.closingc.All() {
		if s.watch(w).sub.Look(env).state == substreamUnserved {
			s.watch(w).close(env, cmp.Or(err, *s.closeErr.Value()))
		}
	}
	env.Disable(s.task())
	env.Close(s.loop.Value().conn)
	var waiting []request
	for i := range s.reqc.All() {
		waiting = append(waiting, s.reqc.Read(env, i))
	}
	c.streams.Forget(env, s)
	for _, r := range waiting {
		switch {
		case r.watch == noWatch && err == nil:
			env.Under(r.cause)
			c.RequestProgress(env, r.caller, r.progress)
		case r.watch == noWatch:
			env.Cover(progressFails)
		case err != nil:
			s.watch(r.watch).close(env, err)
		default:
			env.Cover(watchRetriesStream)
			s.watch(r.watch).request(env, ctxKey)
		}
	}
}

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

// respc is what run does with a response.
func (s *Stream) respc(env *sim.Env, p *wire.WatchResponse) {
	if s.loop.Look(env).state == streamStuck {
		return
	}
	cur := s.collect(env, p)
	if cur.Fragment && !p.Created && (!p.Canceled || p.CompactRevision != 0) {
		env.Cover(fragmentHeld)
		return
	}
	*s.cur.Value() = nil
	switch {
	case p.Created:
		s.takeCreated(env, p)
	case p.Canceled && p.CompactRevision == 0:
		s.takeCanceled(env, p)
	default:
		s.dispatch(env, cur)
	}
}

// collect puts a response behind the fragments that came before it.
func (s *Stream) collect(env *sim.Env, p *wire.WatchResponse) *wire.WatchResponse {
	cur := s.cur.Change(env)
	switch {
	case *cur == nil || p.Created || p.Canceled:
		*cur = p
	case (*cur).WatchID == p.WatchID:
		s.cur.Read(env)
		// The first fragment may be shared with others: extend a copy.
		merged := **cur
		merged.Events = append(merged.Events[:len(merged.Events):len(merged.Events)], p.Events...)
		merged.Fragment = p.Fragment
		*cur = &merged
		env.Cover(fragmentMerged)
	default:
		env.Cover(lostBetweenFragments)
	}
	return *cur
}

// takeCreated registers the first watch of the queue, and has the next one created.
func (s *Stream) takeCreated(env *sim.Env, p *wire.WatchResponse) {
	if len(s.resuming.All()) > 0 {
		if w := s.resuming.Read(env, 0); w != noWatch {
			s.addSubstream(env, p, w)
			s.resuming.Put(env, 0, noWatch)
		} else {
			env.Cover(createdAbandoned)
			l := s.loop.Value()
			l.abandoned = append(l.abandoned, p.WatchID)
		}
	}
	s.nextResume(env)
}

// addSubstream registers a watch under the id that the server gave it.
func (s *Stream) addSubstream(env *sim.Env, p *wire.WatchResponse, watch number) {
	w := s.watch(watch)
	if p.WatchID == wire.InvalidWatchID || p.Canceled && p.CancelReason != "" {
		env.Cover(createRefused)
		s.closeErr.Set(env, refusal(p.CancelReason))
		w.stop(env)
		return
	}
	env.Cover(created)
	s.substreams.Add(env, registered{watch, p.WatchID})
	w.register(env, p)
}

// refusal is v3rpc.Error of the reason why etcd refuses a watch: it knows the errors of etcd
// by their texts. Kubernetes makes 410 of the one that it looks for, and 500 of all others.
func refusal(reason string) *wire.Error {
	if reason == compactedReason {
		return &wire.Error{Code: wire.ErrCompacted, Message: reason}
	}
	return &wire.Error{Code: wire.Internal, Message: reason}
}

// compactedReason is rpctypes.ErrCompacted in words. etcd gives it to a watch from a revision
// below 0, for which Kubernetes' watcher never asks: what it is told of a compaction is the
// CompactRevision of a response to a watch that was created.
const compactedReason = "etcdserver: mvcc: required revision has been compacted"

// takeCanceled ends the watch that the server has cancelled.
func (s *Stream) takeCanceled(env *sim.Env, p *wire.WatchResponse) {
	ids := s.cancelSet.ChangeItem(env, idItem(p.WatchID))
	if at, in := slices.BinarySearch(*ids, p.WatchID); in {
		*ids = slices.Delete(*ids, at, at+1)
	}
	if w := s.substream(env, p.WatchID); w != nil {
		env.Cover(canceledByServer)
		w.stop(env)
	}
}

// dispatch hands a response to its watch, or to all. Responses for an id without a
// watch make the client cancel that id.
func (s *Stream) dispatch(env *sim.Env, p *wire.WatchResponse) {
	if p.WatchID == wire.InvalidWatchID && p.IsProgressNotify() {
		s.broadcastResponse(env, p)
		return
	}
	if w := s.substream(env, p.WatchID); w != nil && w.receive(env, p) {
		return
	}
	if n := len(p.Events); n > 0 {
		dropped.Say(env, p, p.Events[n-1].Kv.ModRevision)
	}
	if slices.Contains(*s.cancelSet.ReadItem(env, idItem(p.WatchID)), p.WatchID) {
		env.Cover(unexpectedAgain)
		return
	}
	env.Cover(unexpectedWatchID)
	l := s.loop.Value()
	l.abandoned = slices.DeleteFunc(l.abandoned, func(id int64) bool { return id == p.WatchID })
	s.cancelOnServer(env, p.WatchID)
}

func (s *Stream) cancelOnServer(env *sim.Env, id int64) {
	ids := s.cancelSet.ChangeItem(env, idItem(id))
	if at, in := slices.BinarySearch(*ids, id); !in {
		*ids = slices.Insert(*ids, at, id)
	}
	env.Send(s.loop.Value().conn, &wire.WatchCancelRequest{WatchID: id})
}

// substream finds the watch that is registered under an id, nil if there is none.
func (s *Stream) substream(env *sim.Env, id int64) *watcherStream {
	if at := s.substreams.Find(env, func(r registered) bool { return r.id == id }); at >= 0 {
		return s.watch(s.substreams.All()[at].watch)
	}
	return nil
}

func (s *Stream) broadcastResponse(env *sim.Env, p *wire.WatchResponse) {
	env.Cover(broadcast)
	if len(s.resuming.All()) > 0 {
		env.Cover(broadcastMisses)
	}
	s.deliver(env, p)
	if !s.c.cfg.BroadcastsToAll {
		return
	}
	for _, other := range slices.Clone(s.c.streams.Look(env)) {
		if other == s {
			continue
		}
		givenToOthers.Say(env, p.Revision)
		other.deliver(env, p)
	}
}

// deliver hands a response to all watches that are registered on the stream.
func (s *Stream) deliver(env *sim.Env, p *wire.WatchResponse) {
	for at := range s.substreams.Look(env) {
		s.watch(s.substreams.Read(env, at).watch).receive(env, p)
	}
}
