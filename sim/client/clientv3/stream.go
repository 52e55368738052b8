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

// Free implements state.Placed.
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

// Item implements state.Numbered.
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

// Item implements state.Numbered.
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
