package etcd

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/fifo"
	"github.com/watchbed/watchbed/sim/wire"
)

// serverWatchStream is v3rpc.serverWatchStream with the mvcc.watchStream below
// it: one gRPC stream.
type serverWatchStream struct {
	slot int32
	conn sim.Conn
	// closing: the client is gone, and a watcher is still a victim in flight.
	closing bool
	cause   sim.Cause
	from    sim.NodeID
	// client and ordinal name the stream: the ordinal counts the streams that
	// this client opened.
	client  string
	ordinal int

	// ch is watchStream.ch, the channel that the watchers share.
	ch fifo.Queue[watchResponse]
	// watchers is watchStream.watchers, by place.
	watchers []int32
	nextID   int64

	ctrlStream fifo.Queue[*wire.WatchResponse]
	// flags are the maps progress, prevKV and fragment.
	flags []watchFlags
	// deferredProgress: a requested progress notification is outstanding.
	deferredProgress bool
	// progressID is that of the last progress request, with Echoed.
	progressID int64
	// mu: the ticker's requests are under way, which holds serverWatchStream.mu
	// over several steps; muWanted: recvLoop waits for it.
	mu, muWanted bool

	// period is that of the progress ticker.
	period sim.Duration

	recv recvLoop
	send sendLoop
}

// watchFlags is what was asked for one watch id.
type watchFlags struct {
	id int64
	// progressNotify: the id is in the map progress, with the value progress.
	progressNotify, progress bool
	prevKV, fragment         bool
}

// streamTask numbers the tasks of a stream.
type streamTask int

const (
	takeWatchStream streamTask = iota
	takeCtrlStream
	takeTicker
	continueSendLoop
	continueRecvLoop
	streamTasks
)

func (sws *serverWatchStream) task(t streamTask) sim.Task {
	return firstStreamTask + sim.Task(int(sws.slot)*slotTasks+int(t))
}

func (sws *serverWatchStream) ticker() sim.Timer { return firstTicker + sim.Timer(sws.slot) }

// writesAll: the stream begins or ends.
func (sws *serverWatchStream) writesAll(env *sim.Env) {
	for _, k := range streamCells {
		env.Writes(k, int(sws.slot))
	}
}

func (sws *serverWatchStream) name() streamName { return streamName{sws.client, sws.ordinal} }

// title names the stream for people: "cache.0".
func (sws *serverWatchStream) title() string { return sws.client + "." + strconv.Itoa(sws.ordinal) }

// used reports whether the place holds a stream.
func (sws *serverWatchStream) used() bool { return sws.conn != sim.NoConn }

// stream finds the stream of a connection, nil if there is none.
func (s *Server) stream(c sim.Conn) *serverWatchStream {
	for _, sws := range s.streams {
		if sws.conn == c {
			return sws
		}
	}
	return nil
}

// openStream is watchServer.Watch for a new stream.
func (s *Server) openStream(env *sim.Env, m *sim.Message) *serverWatchStream {
	var sws *serverWatchStream
	for _, x := range s.streams {
		if !x.used() {
			sws = x
			break
		}
	}
	if sws == nil {
		sws = s.newStreamSlot()
	}
	for i := range int(sws.slot) + 1 {
		// The first free place depends on all before it.
		env.Writes(cellStreamPlace, i)
	}
	sws.writesAll(env)
	sws.conn, sws.cause, sws.from = m.Conn, m.Cause, m.From
	sws.client, sws.ordinal = s.nextOrdinal(env, m.From)
	if s.cfg.SendWindow > 0 {
		env.Bound(m.Conn, s.cfg.SendWindow)
	}
	sws.startTicker(env, s.cfg.ProgressNotifyInterval)
	return sws
}

// newStreamSlot takes a place that an earlier run used, if there is one.
func (s *Server) newStreamSlot() *serverWatchStream {
	n := len(s.streams)
	if n < cap(s.streams) {
		s.streams = s.streams[:n+1]
		if s.streams[n] != nil {
			s.streams[n].reset()
			return s.streams[n]
		}
	} else {
		s.streams = append(s.streams, nil)
	}
	s.streams[n] = &serverWatchStream{slot: int32(n)}
	return s.streams[n]
}

func (sws *serverWatchStream) reset() {
	sws.ch.Clear()
	sws.ctrlStream.Clear()
	sws.send.out.Clear()
	*sws = serverWatchStream{
		slot: sws.slot, ch: sws.ch, ctrlStream: sws.ctrlStream,
		watchers: sws.watchers[:0], flags: sws.flags[:0],
		recv: recvLoop{inbox: sws.recv.inbox[:0]},
		send: sendLoop{ids: sws.send.ids[:0], pending: sws.send.pending[:0], out: sws.send.out, due: sws.send.due[:0]},
	}
}

// endpoint counts the streams that a client has opened.
type endpoint struct {
	node    sim.NodeID
	name    string
	streams int
}

func (s *Server) nextOrdinal(env *sim.Env, n sim.NodeID) (string, int) {
	for i := range s.endpoints {
		if e := &s.endpoints[i]; e.node == n {
			e.streams++
			return e.name, e.streams - 1
		}
	}
	name := env.NodeName(n)
	s.endpoints = append(s.endpoints, endpoint{n, name, 1})
	return name, 0
}

// hangup is what follows when the context of the stream is done:
// serverWatchStream.close. What either loop would still do reaches nobody.
func (s *Server) hangup(env *sim.Env, sws *serverWatchStream) {
	if sws.send.state == sending {
		env.Cover(coverHangupBlocked)
	}
	sws.closing = true
	sws.writesAll(env)
	for t := streamTask(0); t < streamTasks; t++ {
		env.Disable(sws.task(t))
	}
	env.Disarm(sws.ticker())
	// Nothing that is sent from here on is taken any more.
	sws.send.state = stopped
	s.closeStream(env, sws)
}

// closeStream is watchStream.Close: it cancels the watchers, which has to wait
// for those that are victims in flight.
func (s *Server) closeStream(env *sim.Env, sws *serverWatchStream) {
	left := sws.watchers[:0]
	for _, wi := range sws.watchers {
		if s.cancelWatcher(env, wi) {
			s.freeWatcher(env, wi)
		} else {
			left = append(left, wi)
		}
	}
	sws.watchers = left
	env.Writes(cellStreamWatchers, int(sws.slot))
	if len(left) == 0 {
		env.Writes(cellStreamPlace, int(sws.slot))
		sws.writesAll(env)
		sws.reset()
	}
}

// retryCancels lets go on who waited for victims in flight. Upstream tries once
// a millisecond; a try that finds the victim still in flight changes nothing.
func (s *Server) retryCancels(env *sim.Env) {
	for _, sws := range s.streams {
		switch {
		case sws.closing:
			s.closeStream(env, sws)
		case sws.recv.state == recvCancel:
			if wi, ok := s.find(sws, sws.recv.cancel); ok && s.watchers[wi].group != inFlight {
				env.Enable(sws.task(continueRecvLoop))
			}
		}
	}
}

// find is the watcher with an id on this stream.
func (s *Server) find(sws *serverWatchStream, id int64) (wi int32, ok bool) {
	for _, wi := range sws.watchers {
		if s.watchers[wi].id == id {
			return wi, true
		}
	}
	return 0, false
}

func (sws *serverWatchStream) flagsOf(id int64) *watchFlags {
	for i := range sws.flags {
		if sws.flags[i].id == id {
			return &sws.flags[i]
		}
	}
	return nil
}

func (sws *serverWatchStream) dropFlags(id int64) {
	for i := range sws.flags {
		if sws.flags[i].id == id {
			sws.flags = append(sws.flags[:i], sws.flags[i+1:]...)
			return
		}
	}
}

// watchID is watchStream.Watch's choice of the id of a new watcher. The text is
// the reason of a refusal.
func (s *Server) watchID(sws *serverWatchStream, req *wire.WatchCreateRequest) (id int64, refusal string) {
	// The end "\x00" is everything from the key on.
	if req.RangeEnd != "" && req.RangeEnd != "\x00" && req.Key >= req.RangeEnd {
		return wire.InvalidWatchID, errEmptyWatcherRange
	}
	if req.WatchID != wire.AutoWatchID {
		if _, taken := s.find(sws, req.WatchID); taken {
			return wire.InvalidWatchID, errWatcherDuplicateID
		}
		return req.WatchID, ""
	}
	for {
		id = sws.nextID
		sws.nextID++
		if _, taken := s.find(sws, id); !taken {
			return id, ""
		}
	}
}

const (
	errEmptyWatcherRange  = "mvcc: watcher range is empty"
	errWatcherDuplicateID = "mvcc: duplicate watch ID provided on the WatchStream"
)
