package clientv3

import (
	"cmp"
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/arena"
	"github.com/watchbed/watchbed/sim/wire"
)

// Stream is upstream's watchGrpcStream: one stream to etcd, and the watches that
// share it.
type Stream struct {
	c      *Client
	n      int32
	state  streamState
	ctxKey string
	conn   sim.Conn
	// substreams are the watches that are registered on the stream, resuming
	// those that are to be: the create request of the first one is under way. An
	// entry noWatch was abandoned and still waits for its Created.
	substreams, resuming []int32
	reqc                 arena.Queue[request]
	closingc             arena.Queue[int32]
	cancelSet            []int64
	// cur collects the fragments of a response.
	cur     *wire.WatchResponse
	backoff sim.Duration
	// closeErr, once set, is the error of every watch that closes.
	closeErr *wire.Error
	// breaks and outage are for Outages: how often the stream has broken, and the place
	// of the last break among them.
	breaks, outage int
	// abandoned are, for judges, the ids of watches that nothing was left of when they were created.
	abandoned []int64
}

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

// noWatch is where upstream has a nil *watcherStream.
const noWatch int32 = -1

// request is a request that waits until run takes it.
type request struct {
	// watch is noWatch for a progress request.
	watch int32
	// progress is a progress request, with its caller and cause.
	progress *wire.ProgressRequest
	caller   sim.Conn
	cause    sim.Cause
}

func (s *Stream) reset() {
	s.reqc.Clear()
	s.closingc.Clear()
	*s = Stream{c: s.c, n: s.n, substreams: s.substreams[:0], resuming: s.resuming[:0], cancelSet: s.cancelSet[:0],
		abandoned: s.abandoned[:0], reqc: s.reqc, closingc: s.closingc}
}

func (s *Stream) name() string {
	if s.ctxKey == "" {
		return ""
	}
	return " " + s.ctxKey
}

func (s *Stream) reads(env *sim.Env, k sim.CellKind)   { env.Reads(k, int(s.n)) }
func (s *Stream) looksAt(env *sim.Env, k sim.CellKind) { env.LooksAt(k, int(s.n)) }
func (s *Stream) writes(env *sim.Env, k sim.CellKind)  { env.Writes(k, int(s.n)) }
func (s *Stream) readsItem(env *sim.Env, k sim.CellKind, item int64) {
	env.ReadsItem(k, int(s.n), item)
}
func (s *Stream) writesItem(env *sim.Env, k sim.CellKind, item int64) {
	env.WritesItem(k, int(s.n), item)
}

// takesItem is for an entry that is taken out of a queue or a list.
func (s *Stream) takesItem(env *sim.Env, k sim.CellKind, item int64) {
	env.ReadsItem(k, int(s.n), item)
	env.WritesItem(k, int(s.n), item)
}

// streamOn finds the stream of a connection, nil if there is none.
func (c *Client) streamOn(conn sim.Conn) *Stream {
	for _, s := range c.streams {
		if s.conn == conn && s.state != streamFree {
			return s
		}
	}
	return nil
}

// stream finds the stream for a context's metadata, or opens it.
func (c *Client) stream(env *sim.Env, ctxKey string) (s *Stream, opened bool) {
	for _, other := range c.streams {
		if other.state == streamFree {
			s = other
		} else if other.ctxKey == ctxKey {
			env.LooksAt(cellStreams, 0)
			return other, false
		}
	}
	env.Writes(cellStreams, 0)
	if s == nil {
		s = arena.Next(&c.streams, func(n int) *Stream { return &Stream{c: c, n: int32(n)} })
	}
	s.writes(env, cellRun)
	s.writes(env, cellBackoff)
	s.state, s.ctxKey, s.backoff = streamSelecting, ctxKey, c.cfg.WatchBackoff
	s.conn = env.Open(c.endpoint(env))
	return s, true
}

// newWatchClient opens the stream again after a break. All watches are created
// anew, one after the other: those that were in the queue already, then those that
// were registered, in the random order of a map.
func (s *Stream) newWatchClient(env *sim.Env) {
	s.writesItem(env, cellResuming, sim.NoItem)
	s.looksAt(env, cellSubstreams)
	s.resuming = slices.DeleteFunc(s.resuming, func(w int32) bool { return w == noWatch })
	for n := len(s.substreams); n > 0; n-- {
		at := env.Choose(n, "which watch resumes next")
		w := s.substreams[at]
		s.takesItem(env, cellSubstreams, watchItem(w))
		s.writesItem(env, cellResuming, watchItem(w))
		s.substreams = slices.Delete(s.substreams, at, at+1)
		s.c.watches[w].id = wire.InvalidWatchID
		s.resuming = append(s.resuming, w)
	}
	for _, w := range s.resuming {
		s.c.watches[w].coverResume(env)
	}
	s.writes(env, cellRun)
	s.state = streamSelecting
	s.conn = env.Open(s.c.endpoint(env))
	s.reopened(env)
	s.writes(env, cellCancelSet)
	s.cancelSet, s.abandoned = s.cancelSet[:0], s.abandoned[:0]
	s.nextResume(env)
	if s.reqc.Len() == 0 && s.c.cfg.LeavesClosings {
		if n := s.closingc.Len(); n > 0 {
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
	s.looksAt(env, cellSubstreams)
	s.looksAt(env, cellResuming)
	s.looksAt(env, cellClosingc)
	if s.waitsForRefused(env, err) {
		return
	}
	for _, w := range s.listed() {
		s.c.watches[w].drop(env)
		s.c.watches[w].close(env, err)
	}
	s.close(env, err)
}

// listed are the watches that run closes when it ends: those that are registered and those that are to be.
func (s *Stream) listed() []int32 {
	all := slices.Concat(s.substreams, s.resuming)
	return slices.DeleteFunc(all, func(w int32) bool { return w == noWatch })
}

// waitsForRefused is the end of run while a watch waits in closingc that etcd refused to create. It returns false if
// there is none, or if the option says that such watches are closed.
func (s *Stream) waitsForRefused(env *sim.Env, err *wire.Error) bool {
	listed := s.listed()
	refused := func(w int32) bool { return !slices.Contains(listed, w) }
	if s.c.cfg.EndsWithRefused || !slices.ContainsFunc(s.closingc.All(), refused) {
		return false
	}
	env.Cover(waitsForRefused)
	runWaits.Say(env)
	for _, k := range [...]sim.CellKind{cellRun, cellSubstreams, cellResuming, cellClosingc} {
		s.writes(env, k)
	}
	// The goroutines of the watches that are closed now come behind those that wait in closingc.
	senders := slices.Clone(s.closingc.All())
	others := slices.DeleteFunc(slices.Clone(listed), func(w int32) bool { return slices.Contains(senders, w) })
	for len(others) > 0 {
		at := env.Choose(len(others), "which watch closes next")
		s.c.watches[others[at]].drop(env)
		senders = append(senders, others[at])
		others = slices.Delete(others, at, at+1)
	}
	s.closingc.Clear()
	for i, w := range senders {
		if i < len(listed) {
			s.c.watches[w].close(env, err)
			continue
		}
		env.Writes(cellSubstream, int(w))
		s.c.watches[w].state = substreamUnserved
		s.closingc.Push(w)
	}
	s.substreams, s.resuming = s.substreams[:0], s.resuming[:0]
	s.state = streamStuck
	env.Disable(s.task())
	if err != nil {
		env.Close(s.conn)
		s.conn = sim.NoConn
	}
	return true
}

// close is watcher.closeStream. Requests that run has not taken fail if there is an
// error. Otherwise they go to a new stream.
func (s *Stream) close(env *sim.Env, err *wire.Error) {
	c, ctxKey := s.c, s.ctxKey
	// Watches whose creation was refused are in neither list.
	for _, w := range s.closingc.All() {
		env.LooksAt(cellSubstream, int(w))
		if c.watches[w].state == substreamUnserved {
			c.watches[w].close(env, cmp.Or(err, s.closeErr))
		}
	}
	env.Disable(s.task())
	env.Close(s.conn)
	waiting := slices.Clone(s.reqc.All())
	for i := range waiting {
		s.readsItem(env, cellReqc, waiting[i].item())
	}
	env.LooksAt(cellStreams, 0)
	for _, k := range [...]sim.CellKind{cellRun, cellBackoff, cellSubstreams, cellResuming, cellReqc, cellClosingc, cellCancelSet, cellCur, cellCloseErr} {
		s.writes(env, k)
	}
	s.reset()
	for _, r := range waiting {
		switch {
		case r.watch == noWatch && err == nil:
			env.Under(r.cause)
			c.RequestProgress(env, r.caller, r.progress)
		case r.watch == noWatch:
			env.Cover(progressFails)
		case err != nil:
			c.watches[r.watch].close(env, err)
		default:
			env.Cover(watchRetriesStream)
			c.watches[r.watch].request(env, ctxKey)
		}
	}
}
