package client

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/fifo"
	"github.com/watchbed/watchbed/sim/wire"
)

// watchGrpcStream is one stream to etcd and the watches that share it.
type watchGrpcStream struct {
	state  streamState
	ctxKey string
	conn   sim.Conn
	// substreams are the watches that are registered on the stream, resuming
	// those that are to be: the first one's create request is under way. An
	// entry noWatch was abandoned and still waits for its Created.
	substreams, resuming []int32
	reqc                 fifo.Queue[watchStreamRequest]
	closingc             fifo.Queue[int32]
	cancelSet            []int64
	// cur collects the fragments of a response.
	cur     *wire.WatchResponse
	backoff sim.Duration
	// closeErr, once set, is told to every watch that closes.
	closeErr *wire.Error
}

type streamState uint8

const (
	streamFree streamState = iota
	// streamSelecting: run waits for whatever comes.
	streamSelecting
	// streamBackingOff: run sleeps after a break and takes nothing.
	streamBackingOff
)

// noWatch is where upstream has a nil *watcherStream.
const noWatch int32 = -1

// watchStreamRequest is a request that waits until run takes it.
type watchStreamRequest struct {
	// watch is noWatch for a progress request.
	watch int32
	// progress is a progress request, with its caller and cause.
	progress *wire.ProgressRequest
	caller   sim.Conn
	cause    sim.Cause
}

var watchProgressRequest = &wire.WatchProgressRequest{}

func (s *watchGrpcStream) reset() {
	s.reqc.Clear()
	s.closingc.Clear()
	*s = watchGrpcStream{substreams: s.substreams[:0], resuming: s.resuming[:0], cancelSet: s.cancelSet[:0],
		reqc: s.reqc, closingc: s.closingc}
}

func (s *watchGrpcStream) name() string {
	if s.ctxKey == "" {
		return ""
	}
	return " " + s.ctxKey
}

func (c *Client) streamOn(conn sim.Conn) int32 {
	for i := range c.streams {
		if c.streams[i].conn == conn && c.streams[i].state != streamFree {
			return int32(i)
		}
	}
	return -1
}

// stream finds the stream for a context's metadata, or opens it.
func (c *Client) stream(env *sim.Env, ctxKey string) (i int32, opened bool) {
	free := -1
	for i := range c.streams {
		s := &c.streams[i]
		if s.state == streamFree {
			free = i
		} else if s.ctxKey == ctxKey {
			env.LooksAt(cellStreams, 0)
			return int32(i), false
		}
	}
	if free < 0 {
		free = len(c.streams)
		if free < cap(c.streams) {
			c.streams = c.streams[:free+1]
		} else {
			c.streams = append(c.streams, watchGrpcStream{})
		}
	}
	s := &c.streams[free]
	env.Writes(cellStreams, 0)
	env.Writes(cellRun, free)
	env.Writes(cellBackoff, free)
	s.state, s.ctxKey, s.backoff = streamSelecting, ctxKey, c.cfg.WatchBackoff
	s.conn = env.Open(c.watchMember())
	return int32(free), true
}

// requestProgress is Watcher.RequestProgress.
func (c *Client) requestProgress(env *sim.Env, caller sim.Conn, p *wire.ProgressRequest) {
	i, opened := c.stream(env, p.Metadata)
	s := &c.streams[i]
	switch {
	case opened:
		env.Cover(progressOpensStream)
	case len(s.substreams) == 0:
		env.Cover(progressWithoutWatch)
	}
	env.LooksAt(cellRun, int(i))
	env.LooksAt(cellReqc, int(i))
	if s.state == streamBackingOff || s.reqc.Len() > 0 {
		env.Reads(cellRun, int(i))
		if slices.ContainsFunc(s.reqc.All(), func(r watchStreamRequest) bool { return r.caller == caller }) {
			env.Cover(progressCallerBlocked)
			return
		}
		env.Cover(progressWhileAsleep)
		r := watchStreamRequest{watch: noWatch, caller: caller, cause: env.Cause(), progress: p}
		env.WritesItem(cellReqc, int(i), requestItem(r))
		s.reqc.Push(r)
		return
	}
	env.Send(s.conn, progressRequest(p))
}

// progressRequest is what goes to etcd: the same every time, unless it has an
// id.
func progressRequest(p *wire.ProgressRequest) *wire.WatchProgressRequest {
	if p.ID == 0 {
		return watchProgressRequest
	}
	return &wire.WatchProgressRequest{ID: p.ID}
}

// wakeRun lets run look at its channels, unless it sleeps.
func (c *Client) wakeRun(env *sim.Env, i int32) {
	s := &c.streams[i]
	env.LooksAt(cellRun, int(i))
	env.LooksAt(cellReqc, int(i))
	env.LooksAt(cellClosingc, int(i))
	if s.state == streamSelecting && s.reqc.Len()+s.closingc.Len() > 0 {
		env.Enable(sim.Task(i*tasksEach + taskRun))
	}
}

// run is what run's select does with a request or a closing substream that had
// to wait.
func (c *Client) run(env *sim.Env, i int32) {
	s := &c.streams[i]
	env.LooksAt(cellReqc, int(i))
	env.LooksAt(cellClosingc, int(i))
	takeRequest := s.reqc.Len() > 0
	if takeRequest && s.closingc.Len() > 0 {
		takeRequest = env.Choose(2, "select reqc or closingc") == 0
	}
	if takeRequest {
		c.takeRequest(env, i)
	} else {
		watch := s.closingc.Pop()
		env.ReadsItem(cellClosingc, int(i), watchItem(watch))
		env.WritesItem(cellClosingc, int(i), watchItem(watch))
		c.closeSubstream(env, i, watch)
	}
	c.wakeRun(env, i)
}

// takeRequest takes one request from reqc.
func (c *Client) takeRequest(env *sim.Env, i int32) {
	s := &c.streams[i]
	r := s.reqc.Pop()
	env.ReadsItem(cellReqc, int(i), requestItem(r))
	env.WritesItem(cellReqc, int(i), requestItem(r))
	if r.watch != noWatch {
		c.requested(env, i, r.watch)
		return
	}
	env.Under(r.cause)
	env.Send(s.conn, progressRequest(r.progress))
}

// withdraw takes back a request that run has not taken.
func (c *Client) withdraw(env *sim.Env, i, watch int32) {
	s := &c.streams[i]
	env.WritesItem(cellReqc, int(i), watchItem(watch))
	env.LooksAt(cellClosingc, int(i))
	s.reqc.Delete(func(r watchStreamRequest) bool { return r.watch == watch })
	if s.reqc.Len()+s.closingc.Len() == 0 {
		env.Disable(sim.Task(i*tasksEach + taskRun))
	}
}

// requested queues a watch up for creation.
func (c *Client) requested(env *sim.Env, i, watch int32) {
	s := &c.streams[i]
	env.Writes(cellSubstream, int(watch))
	c.watches[watch].substream.state = substreamServed
	env.WritesItem(cellResuming, int(i), watchItem(watch))
	s.resuming = append(s.resuming, watch)
	if len(s.resuming) > 1 {
		env.Cover(createWaits)
		return
	}
	c.sendCreate(env, s, watch)
}

func (c *Client) sendCreate(env *sim.Env, s *watchGrpcStream, watch int32) {
	w := &c.watches[watch]
	env.Reads(cellNextRev, int(watch))
	if w.substream.created && env.Noting() {
		env.Note(watchResumes{key: w.substream.key, rev: w.substream.rev, progressed: w.substream.progressed})
	}
	env.Under(w.cause)
	env.Send(s.conn, w.substream.create())
}

// nextResume sends the create request of the next watch in the queue. Entries
// that were abandoned are dropped.
func (c *Client) nextResume(env *sim.Env, i int32) {
	s := &c.streams[i]
	env.WritesItem(cellResuming, int(i), sim.NoItem)
	n := 0
	for n < len(s.resuming) && s.resuming[n] == noWatch {
		n++
	}
	s.resuming = slices.Delete(s.resuming, 0, n)
	if len(s.resuming) > 0 {
		env.ReadsItem(cellResuming, int(i), watchItem(s.resuming[0]))
		c.sendCreate(env, s, s.resuming[0])
	}
}

// respc is what run does with a response.
func (c *Client) respc(env *sim.Env, i int32, p *wire.WatchResponse) {
	s := &c.streams[i]
	env.LooksAt(cellRun, int(i))
	env.Writes(cellCur, int(i))
	switch {
	case s.cur == nil || p.Created || p.Canceled:
		s.cur = p
	case s.cur.WatchID == p.WatchID:
		env.Reads(cellCur, int(i))
		// The first fragment may be shared with others: extend a copy.
		merged := *s.cur
		merged.Events = append(merged.Events[:len(merged.Events):len(merged.Events)], p.Events...)
		merged.Fragment = p.Fragment
		s.cur = &merged
		env.Cover(fragmentMerged)
	default:
		env.Cover(lostBetweenFragments)
	}
	switch {
	case p.Created:
		if len(s.resuming) > 0 {
			if w := s.resuming[0]; w != noWatch {
				env.ReadsItem(cellResuming, int(i), watchItem(w))
				env.WritesItem(cellResuming, int(i), watchItem(w))
				c.addSubstream(env, i, p, w)
				s.resuming[0] = noWatch
			} else {
				env.Cover(createdForNobody)
			}
		}
		c.nextResume(env, i)
		s.cur = nil

	case p.Canceled && p.CompactRevision == 0:
		env.WritesItem(cellCancelSet, int(i), idItem(p.WatchID))
		if at := slices.Index(s.cancelSet, p.WatchID); at >= 0 {
			s.cancelSet = slices.Delete(s.cancelSet, at, at+1)
		}
		if w := c.substream(env, i, p.WatchID); w != noWatch {
			env.Cover(canceledByServer)
			c.stopServing(env, w)
		}
		s.cur = nil

	case s.cur.Fragment:
		env.Cover(fragmentHeld)

	default:
		cur := s.cur
		s.cur = nil
		if c.dispatchEvent(env, i, cur) {
			return
		}
		env.ReadsItem(cellCancelSet, int(i), idItem(p.WatchID))
		if slices.Contains(s.cancelSet, p.WatchID) {
			env.Cover(unexpectedAgain)
			return
		}
		env.Cover(unexpectedWatchID)
		c.cancelOnServer(env, i, p.WatchID)
	}
}

func (c *Client) cancelOnServer(env *sim.Env, i int32, id int64) {
	s := &c.streams[i]
	env.WritesItem(cellCancelSet, int(i), idItem(id))
	if !slices.Contains(s.cancelSet, id) {
		s.cancelSet = append(s.cancelSet, id)
	}
	env.Send(s.conn, &wire.WatchCancelRequest{WatchID: id})
}

// substream finds the watch that is registered under an id.
func (c *Client) substream(env *sim.Env, i int32, id int64) int32 {
	env.LooksAt(cellSubstreams, int(i))
	for _, w := range c.streams[i].substreams {
		if c.watches[w].substream.id == id {
			env.ReadsItem(cellSubstreams, int(i), watchItem(w))
			return w
		}
	}
	return noWatch
}

// addSubstream registers a watch under the id that the server gave it.
func (c *Client) addSubstream(env *sim.Env, i int32, p *wire.WatchResponse, watch int32) {
	s := &c.streams[i]
	if p.WatchID == wire.InvalidWatchID || p.Canceled && p.CancelReason != "" {
		env.Cover(createRefused)
		env.Writes(cellCloseErr, int(i))
		s.closeErr = &wire.Error{Code: wire.Internal, Message: p.CancelReason}
		c.stopServing(env, watch)
		return
	}
	env.Cover(created)
	env.WritesItem(cellSubstreams, int(i), watchItem(watch))
	s.substreams = append(s.substreams, watch)
	c.register(env, watch, p)
}

// dispatchEvent hands a response to the watch that it is for, or to all. It
// returns false if there is none.
func (c *Client) dispatchEvent(env *sim.Env, i int32, p *wire.WatchResponse) bool {
	if p.WatchID == wire.InvalidWatchID && p.IsProgressNotify() {
		c.broadcastResponse(env, i, p)
		return true
	}
	w := c.substream(env, i, p.WatchID)
	return w != noWatch && c.recvc(env, w, p)
}

func (c *Client) broadcastResponse(env *sim.Env, i int32, p *wire.WatchResponse) {
	s := &c.streams[i]
	env.LooksAt(cellSubstreams, int(i))
	env.Cover(broadcast)
	if len(s.resuming) > 0 {
		env.Cover(broadcastMisses)
	}
	for _, w := range s.substreams {
		env.ReadsItem(cellSubstreams, int(i), watchItem(w))
		c.recvc(env, w, p)
	}
	if c.cfg.Behaviour.ProgressScope == ProgressScopeClient {
		c.broadcastElsewhere(env, i, p)
	}
}

// broadcastElsewhere hands a progress notification to the watches of the other
// streams (ProgressScopeClient).
func (c *Client) broadcastElsewhere(env *sim.Env, from int32, p *wire.WatchResponse) {
	env.LooksAt(cellStreams, 0)
	for i := range c.streams {
		if int32(i) != from {
			env.LooksAt(cellSubstreams, i)
			for _, w := range c.streams[i].substreams {
				env.ReadsItem(cellSubstreams, i, watchItem(w))
				c.recvc(env, w, p)
			}
		}
	}
}

// errc is what run does when the stream to etcd ends.
func (c *Client) errc(env *sim.Env, i int32, h *sim.Hangup) {
	s := &c.streams[i]
	if !h.Broken {
		env.Cover(streamEnded)
		c.halt(env, i, errEndOfStream)
		return
	}
	env.Cover(streamBroke)
	if s.cur != nil {
		env.Cover(brokeBetweenFragments)
	}
	// Without a clock the waiting time makes no difference, and should make none
	// between states.
	if env.Mode() == sim.Timed && s.backoff < c.cfg.WatchBackoffMax {
		env.Writes(cellBackoff, int(i))
		s.backoff = min(s.backoff+s.backoff/4, c.cfg.WatchBackoffMax)
	}
	env.Writes(cellRun, int(i))
	s.state, s.conn = streamBackingOff, sim.NoConn
	env.Disable(sim.Task(i*tasksEach + taskRun))
	env.Arm(sim.Timer(i*timersEach+timerBackoff), s.backoff)
}

// newWatchClient opens the stream again and has all watches created anew, one
// after the other: those that were in the queue already, then those that were
// registered, in the random order of a map.
func (c *Client) newWatchClient(env *sim.Env, i int32) {
	s := &c.streams[i]
	env.WritesItem(cellResuming, int(i), sim.NoItem)
	env.LooksAt(cellSubstreams, int(i))
	s.resuming = slices.DeleteFunc(s.resuming, func(w int32) bool { return w == noWatch })
	for n := len(s.substreams); n > 0; n-- {
		at := env.Choose(n, "which watch resumes next")
		w := s.substreams[at]
		env.ReadsItem(cellSubstreams, int(i), watchItem(w))
		env.WritesItem(cellSubstreams, int(i), watchItem(w))
		env.WritesItem(cellResuming, int(i), watchItem(w))
		s.substreams = slices.Delete(s.substreams, at, at+1)
		c.watches[w].substream.id = wire.InvalidWatchID
		s.resuming = append(s.resuming, w)
	}
	for _, w := range s.resuming {
		c.watches[w].substream.coverResume(env)
	}
	env.Writes(cellRun, int(i))
	s.state = streamSelecting
	s.conn = env.Open(c.watchMember())
	env.Writes(cellCancelSet, int(i))
	s.cancelSet = s.cancelSet[:0]
	c.nextResume(env, i)
	c.wakeRun(env, i)
}

// closeSubstream is what run does when a substream's goroutine has ended.
func (c *Client) closeSubstream(env *sim.Env, i, watch int32) {
	s := &c.streams[i]
	sub := &c.watches[watch].substream
	id := sub.id
	env.LooksAt(cellSubstreams, int(i))
	env.LooksAt(cellResuming, int(i))
	if s.closeErr != nil {
		env.Reads(cellCloseErr, int(i))
	}
	switch at := slices.Index(s.resuming, watch); {
	case id != wire.InvalidWatchID:
		if at := slices.Index(s.substreams, watch); at >= 0 {
			env.ReadsItem(cellSubstreams, int(i), watchItem(watch))
			env.WritesItem(cellSubstreams, int(i), watchItem(watch))
			s.substreams = slices.Delete(s.substreams, at, at+1)
		}
	case at >= 0:
		env.Cover(abandonedInQueue)
		if at == 0 {
			env.Cover(abandonedBeforeCreated)
		}
		env.WritesItem(cellResuming, int(i), watchItem(watch))
		s.resuming[at] = noWatch
	}
	cause := c.watches[watch].cause
	c.closeOutc(env, watch, s.closeErr)
	if len(s.substreams)+len(s.resuming) == 0 {
		env.Cover(lastWatchClosesStream)
		c.closeStream(env, i, nil)
		return
	}
	if id != wire.InvalidWatchID {
		env.Cover(cancelSent)
		env.Under(cause)
		c.cancelOnServer(env, i, id)
	}
	if len(s.substreams) == 0 && !slices.ContainsFunc(s.resuming, func(w int32) bool { return w != noWatch }) {
		env.Cover(streamWithoutWatches)
	}
}

// halt ends run with an error that no new stream can mend: every watch on it
// is told.
func (c *Client) halt(env *sim.Env, i int32, err *wire.Error) {
	s := &c.streams[i]
	if env.Noting() {
		env.Note(streamEnds{err})
	}
	env.LooksAt(cellSubstreams, int(i))
	env.LooksAt(cellResuming, int(i))
	env.LooksAt(cellClosingc, int(i))
	for _, w := range s.substreams {
		c.dropBuf(env, w)
		c.closeOutc(env, w, err)
	}
	for _, w := range s.resuming {
		if w != noWatch {
			c.dropBuf(env, w)
			c.closeOutc(env, w, err)
		}
	}
	// Refused creations are in neither list.
	for _, w := range s.closingc.All() {
		env.LooksAt(cellSubstream, int(w))
		if c.watches[w].substream.state == substreamUnserved {
			c.closeOutc(env, w, err)
		}
	}
	c.closeStream(env, i, err)
}

// closeStream is watcher.closeStream. Who was waiting for run to take a request
// finds it gone: with an error if it had one, else there is a new stream.
func (c *Client) closeStream(env *sim.Env, i int32, err *wire.Error) {
	s := &c.streams[i]
	env.Disable(sim.Task(i*tasksEach + taskRun))
	env.Close(s.conn)
	ctxKey := s.ctxKey
	waiting := slices.Clone(s.reqc.All())
	env.LooksAt(cellStreams, 0)
	for _, r := range waiting {
		env.ReadsItem(cellReqc, int(i), requestItem(r))
	}
	for _, k := range [...]sim.CellKind{cellRun, cellBackoff, cellSubstreams, cellResuming, cellReqc, cellClosingc, cellCancelSet, cellCur, cellCloseErr} {
		env.Writes(k, int(i))
	}
	s.reset()
	for _, r := range waiting {
		switch {
		case r.watch == noWatch && err == nil:
			env.Under(r.cause)
			c.requestProgress(env, r.caller, r.progress)
		case r.watch == noWatch:
			env.Cover(progressFails)
		case err != nil:
			c.closeOutc(env, r.watch, err)
		default:
			env.Cover(watchRetriesStream)
			c.request(env, r.watch, ctxKey)
		}
	}
}
