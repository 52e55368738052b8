// Package v3rpc (unstable) is the watch server of a simulated etcd server, with the original's
// parts under the original's names (v3rpc/watch.go):
//
//	WatchServer        the streams of a server
//	ServerWatchStream  one gRPC stream: recvLoop, sendLoop, ctrlStream, the maps
//	                   progress, prevKV and fragment, the progress ticker
//	sendFragments      in fragment.go
//
// Beside it key.go has what etcd refuses by looking at a request alone, size.go the sizes of messages as protobuf.
//
// Where releases run other code, the stream calls the implementation that its
// Options choose: ProgressRequests for what becomes of a progress request. Another module may register one.
//
// The package imports sim, sim/wire and mvcc. It must never import the server that
// it is part of.
package v3rpc

import (
	"slices"
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/arena"
	"github.com/watchbed/watchbed/sim/etcd/mvcc"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// WatchServer is v3rpc.watchServer: the streams of one server.
type WatchServer struct {
	opts  Options
	store *mvcc.WatchableStore
	// streams are by place. The places of streams that ended are kept for others.
	streams   state.Places[ServerWatchStream] `cell:"etcd: streams" free:"counted"`
	endpoints []endpoint
	numbers   Numbers
	// compactions counts the compactions that are committed and not applied yet.
	compactions state.Var[int]     `cell:"etcd: compactions in the raft log" digest:"-"`
	network     state.Var[network] `cell:"etcd: clogged"`
	// readsAnswered is how many reads were answered so far: with ReadsDelayWatches a
	// response is sent when all reads queued before it are answered.
	readsAnswered state.Var[uint64] `cell:"etcd: reads answered" digest:"-"`
	leaderless    state.Var[bool]   `cell:"etcd: no leader for streams"`
	// unpermitted are the clients whose next watch is refused: isWatchPermitted.
	unpermitted state.Var[[]sim.NodeID] `cell:"etcd: clients without permission to watch"`
	// header is that of each response that is made from now on.
	header *wire.Header
	// served are the streams of a program that serves watches, nil if there is none.
	served Served

	responses arena.Arena[wire.WatchResponse]
	events    arena.Arena[wire.Event]
}

// Numbers are those of the tasks and timers that the server leaves to its streams:
// Tasks tasks from Task on, and the same again every Stride tasks; every timer from
// Timer on.
type Numbers struct {
	Task   sim.Task
	Stride int
	Timer  sim.Timer
}

// NewWatchServer returns a watch server over a store.
func NewWatchServer(store *mvcc.WatchableStore, n Numbers) *WatchServer {
	s := &WatchServer{store: store, numbers: n}
	layout.Name(s, 0)
	return s
}

var layout = state.Of[WatchServer]()

// Clone is a watch server of its own in the same state, over the clone of its store.
func (s *WatchServer) Clone(store *mvcc.WatchableStore) *WatchServer {
	c := layout.Clone(s)
	c.store, c.responses, c.events, c.endpoints = store, s.responses.Clone(), s.events.Clone(), slices.Clone(s.endpoints)
	for _, sws := range c.streams.All() {
		sws.server, sws.watch = c, store.Adopt(sws.place, sws)
	}
	return c
}

// Cells visits the cells of all streams, as sim.Celled does.
func (s *WatchServer) Cells(visit sim.CellVisitor) { layout.Cells(s, visit) }

// Conns visits the connections of all streams, by place.
func (s *WatchServer) Conns(visit func(sim.Conn)) { layout.Conns(s, visit) }

// Fingerprint covers all streams, without those of the store below them. With ReadsDelayWatches each response has
// reads before it.
func (s *WatchServer) Fingerprint(d sim.Digest) sim.Digest {
	d = sim.FoldCells(d, s)
	if !s.opts.ReadsDelayWatches {
		return d
	}
	answered := *s.readsAnswered.Value()
	for sws := range s.streams.Used() {
		d = d.Word(max(sws.send.behind, answered) - answered)
		for _, r := range sws.watch.Chan.All() {
			d = d.Word(max(r.Behind, answered) - answered)
		}
	}
	return d
}

// Reset makes the watch server a new one and keeps its memory. What was sent before
// is overwritten, but for what a clone shares.
func (s *WatchServer) Reset(o Options) {
	s.responses.Rewind()
	s.events.Rewind()
	s.opts = o
	s.endpoints = s.endpoints[:0]
	layout.Clear(s)
}

// SetOptions changes how the server behaves: another release takes over, and all
// streams have ended.
func (s *WatchServer) SetOptions(o Options) { s.opts = o }

// Forget drops what a process keeps in memory. Clients are counted on.
func (s *WatchServer) Forget() {
	compactions := *s.compactions.Value()
	layout.Clear(s)
	*s.compactions.Value() = compactions
}

// Deny has the next watch refused that one of these clients asks for: its user has no permission then.
func (s *WatchServer) Deny(env *sim.Env, clients []sim.NodeID) {
	s.unpermitted.Set(env, clients)
}

// denies reports whether a watch of a client is refused, and takes the refusal.
func (s *WatchServer) denies(env *sim.Env, client sim.NodeID) bool {
	if !slices.Contains(*s.unpermitted.Look(env), client) {
		return false
	}
	s.unpermitted.Set(env, nil)
	return true
}

// Stamp gives responses another header from now on.
func (s *WatchServer) Stamp(h *wire.Header) { s.header = h }

// CompactionCommitted: a compaction waits to be applied.
func (s *WatchServer) CompactionCommitted(env *sim.Env) { *s.compactions.Change(env)++ }

// CompactionApplied: a committed compaction is applied.
func (s *WatchServer) CompactionApplied(env *sim.Env) { *s.compactions.Change(env)-- }

// Stream finds the stream of a connection, nil if there is none.
func (s *WatchServer) Stream(c sim.Conn) *ServerWatchStream {
	for _, sws := range s.streams.All() {
		if sws.conn == c {
			return sws
		}
	}
	return nil
}

// Receive takes a message of a stream; the first one opens it.
func (s *WatchServer) Receive(env *sim.Env, m *sim.Message) {
	sws := s.Stream(m.Conn)
	if sws == nil {
		if s.Refuses(env, m) {
			return
		}
		sws = s.open(env, m)
	}
	sws.receive(env, m.Payload)
}

// open is watchServer.Watch for a new stream.
func (s *WatchServer) open(env *sim.Env, m *sim.Message) *ServerWatchStream {
	sws := s.freePlace(env)
	sws.begin(env, m)
	if s.opts.SendWindow > 0 {
		env.Bound(m.Conn, s.opts.SendWindow)
	}
	sws.startTicker(env)
	return sws
}

// freePlace is the first place that no stream uses.
func (s *WatchServer) freePlace(env *sim.Env) *ServerWatchStream {
	for _, sws := range s.streams.All() {
		sws.gRPCStream.Change(env)
		if sws.Free() {
			return sws
		}
	}
	return s.newPlace()
}

// newPlace takes a place that an earlier run used, if there is one.
func (s *WatchServer) newPlace() *ServerWatchStream {
	sws := s.streams.Reach(len(s.streams.All()), func(n int) ServerWatchStream {
		return ServerWatchStream{server: s, place: n, tasks: s.numbers.Task + sim.Task(n*s.numbers.Stride)}
	})
	sws.watch = s.store.NewWatchStream(sws)
	return sws
}

// endpoint counts the streams that a client has opened.
type endpoint struct {
	node    sim.NodeID
	name    string
	streams int
}

func (s *WatchServer) nextName(env *sim.Env, n sim.NodeID) mvcc.StreamName {
	for i := range s.endpoints {
		if e := &s.endpoints[i]; e.node == n {
			e.streams++
			return mvcc.StreamName{Client: e.name, Ordinal: e.streams - 1}
		}
	}
	name := env.NodeName(n)
	s.endpoints = append(s.endpoints, endpoint{n, name, 1})
	return mvcc.StreamName{Client: name}
}

// RequiresLeader reports whether the client of a stream wants it to end when there is no
// leader (WithRequireLeader). It is metadata of the stream, which its first request
// carries here.
func RequiresLeader(p sim.Payload) bool {
	switch p := p.(type) {
	case *wire.WatchCreateRequest:
		return p.RequireLeader
	case *wire.WatchProgressRequest:
		return p.RequireLeader
	}
	return false
}

// Refuses is the stream interceptor: there is no leader, and a new stream requires one.
func (s *WatchServer) Refuses(env *sim.Env, m *sim.Message) bool {
	if !*s.leaderless.Look(env) || !RequiresLeader(m.Payload) {
		return false
	}
	env.Cover(coverStreamRefused)
	streamFailed.Say(env, errNoLeader.Message)
	env.Send(m.Conn, errNoLeader)
	env.Close(m.Conn)
	return true
}

// SetLeaderless says whether the cluster is without a leader.
func (s *WatchServer) SetLeaderless(env *sim.Env, leaderless bool) {
	s.leaderless.Set(env, leaderless)
}

// EndLeaderless is monitorLeader: streams that require a leader end.
func (s *WatchServer) EndLeaderless(env *sim.Env) {
	if s.opts.KeepsLeaderless {
		return
	}
	s.end(env, errNoLeader, func(_ sim.NodeID, requiresLeader bool) bool { return requiresLeader })
}

// EndStreams ends the streams of these clients in order.
func (s *WatchServer) EndStreams(env *sim.Env, clients []sim.NodeID) {
	s.end(env, nil, func(from sim.NodeID, _ bool) bool { return slices.Contains(clients, from) })
}

// Serves reports whether a client has a stream.
func (s *WatchServer) Serves(client sim.NodeID) bool {
	if s.served != nil {
		return s.served.Serves(client)
	}
	return slices.ContainsFunc(s.streams.All(), func(sws *ServerWatchStream) bool { return !sws.Free() && !sws.closing && sws.from == client })
}

// end ends streams from this side: with an error, or in order if there is none.
func (s *WatchServer) end(env *sim.Env, err *wire.Error, ends func(client sim.NodeID, requiresLeader bool) bool) {
	if s.served != nil {
		s.served.End(env, err, ends)
	}
	for _, sws := range s.streams.All() {
		sws.gRPCStream.Read(env)
		if sws.Free() || sws.closing || !ends(sws.from, sws.requiresLeader) {
			continue
		}
		env.Cover(coverStreamEnded)
		if err == nil {
			streamEnded.Say(env)
		} else {
			streamFailed.Say(env, err.Message)
			env.Send(sws.conn, err)
		}
		env.Close(sws.conn)
		sws.Hangup(env)
	}
}

var errNoLeader = &wire.Error{Code: wire.NoLeader, Message: "etcdserver: no leader"}

// Served are the streams of a program that serves watches in place of the server, which has none then. What befalls
// streams from outside reaches them through it.
type Served interface {
	// Serves reports whether a client has a stream.
	Serves(client sim.NodeID) bool
	// End ends streams: with an error, or in order if there is none.
	End(env *sim.Env, err *wire.Error, ends func(client sim.NodeID, requiresLeader bool) bool)
	// Resume lets streams go on to send that were held back.
	Resume(env *sim.Env)
}

// ServedBy has a program serve the streams.
func (s *WatchServer) ServedBy(p Served) { s.served = p }

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

// Tasks is how many tasks a stream has.
const Tasks = int(streamTasks)

func (sws *ServerWatchStream) task(t streamTask) sim.Task { return sws.tasks + sim.Task(t) }

func (sws *ServerWatchStream) ticker() sim.Timer {
	return sws.server.numbers.Timer + sim.Timer(sws.place)
}

// streamTaskOf are the steps of the tasks, and what they are called. A task that continues a loop is called as its
// state.
var streamTaskOf = [...]struct {
	name string
	step func(*ServerWatchStream, *sim.Env)
}{
	takeWatchStream:  {"takes watchStream", (*ServerWatchStream).takeWatchStream},
	takeCtrlStream:   {"takes ctrlStream", (*ServerWatchStream).takeCtrlStream},
	takeTicker:       {"takes progressTicker", (*ServerWatchStream).takeTick},
	continueSendLoop: {"", (*ServerWatchStream).runSendLoop},
	continueRecvLoop: {"", (*ServerWatchStream).runRecvLoop},
}

// Run takes a step of the loop of a stream, by its place and the number of the task
// there.
func (s *WatchServer) Run(env *sim.Env, place, task int) {
	streamTaskOf[task].step(s.streams.At(place), env)
}

// Fire: the progress ticker of the stream at a place ticks.
func (s *WatchServer) Fire(env *sim.Env, place int) { s.streams.At(place).tick(env) }

// TaskName names the task of a stream for people.
func (s *WatchServer) TaskName(place, task int) string {
	sws, loop, does := s.streams.At(place), "sendLoop ", streamTaskOf[task].name
	switch streamTask(task) {
	case continueSendLoop:
		does = sendStates[sws.send.state].name
	case continueRecvLoop:
		loop, does = "recvLoop ", recvStates[sws.recv.state].name
	}
	return loop + sws.title() + " " + does
}

// TimerName names the ticker of a stream for people.
func (s *WatchServer) TimerName(place int) string {
	return "progressTicker " + s.streams.At(place).title()
}

// title names the stream for people: "cache.0".
func (sws *ServerWatchStream) title() string {
	return sws.watch.Name.Client + "." + strconv.Itoa(sws.watch.Name.Ordinal)
}
