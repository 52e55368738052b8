// Package v3rpc (unstable) is the watch server of a simulated etcd server, with the original's
// parts under the original's names (v3rpc/watch.go):
//
//	WatchServer        the streams of a server
//	ServerWatchStream  one gRPC stream: recvLoop, sendLoop, ctrlStream, the maps
//	                   progress, prevKV and fragment, the progress ticker
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
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/arena"
	"github.com/watchbed/watchbed/sim/etcd/mvcc"
	"github.com/watchbed/watchbed/sim/option"
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

// recvState is where the receive loop of a stream stands.
type recvState uint8

const (
	// recvIdle: in Recv.
	recvIdle recvState = iota
	// recvNext: about to call Recv again; messages that came while it was
	// blocked lie in the inbox.
	recvNext
	// recvWatch: about to register a watcher.
	recvWatch
	// recvFlags: about to store the options of its request.
	recvFlags
	// recvCreated: about to answer with Created.
	recvCreated
	// recvCancel: about to cancel a watcher, or waiting for a victim in flight.
	recvCancel
	// recvForget: about to remove it from the stream's watchers.
	recvForget
	// recvCanceled: about to answer with Canceled.
	recvCanceled
	// recvDropFlags: about to remove the options of the watch's request.
	recvDropFlags
	// recvProgress: about to request progress; it waits for the ticker's turn to
	// end.
	recvProgress
	// recvBlocked: ctrlStream is full.
	recvBlocked
	// recvChannelFull: the watch channel is full, and Created goes through it.
	recvChannelFull
)

// recvLoop is what serverWatchStream.recvLoop keeps from one step to the next.
type recvLoop struct {
	state.Cell[recvLoop] `cell:"etcd: recvLoop"`

	state recvState
	// create and cancel are the request in hand, id the watch's.
	create *wire.WatchCreateRequest
	cancel int64
	id     int64
	// wsrev is the revision behind which a watch from "now on" starts.
	wsrev   int64
	refusal string
	// blocked waits for room in ctrlStream; after that the loop is in then.
	blocked *wire.WatchResponse
	then    recvState
	inbox   []sim.Payload
}

// receive is what recvLoop does with a message up to its first yield.
func (sws *ServerWatchStream) receive(env *sim.Env, p sim.Payload) {
	r := sws.recv.Change(env)
	if r.state != recvIdle {
		// Only a blocked loop leaves its lane open: to hear of a hang-up.
		r.inbox = append(r.inbox, p)
		return
	}
	sws.recvRequest(env, p)
	if st := r.state; st != recvIdle && st != recvBlocked && st != recvChannelFull {
		env.Hold(sws.conn)
	}
}

// runRecvLoop is one step of recvLoop after Recv.
func (sws *ServerWatchStream) runRecvLoop(env *sim.Env) {
	sws.recv.Read(env)
	if step := recvStates[sws.recv.Change(env).state].step; step != nil {
		step(sws, env)
	}
}

// recvStates are what the loop is called in each state, and its step from there. Where it has none, another loop wakes
// it.
var recvStates = [...]struct {
	name string
	step func(*ServerWatchStream, *sim.Env)
}{
	recvIdle: {"receives", nil}, recvNext: {"receives", (*ServerWatchStream).recvNext}, recvWatch: {"watches", (*ServerWatchStream).recvWatch},
	recvFlags: {"stores flags", (*ServerWatchStream).recvFlags}, recvCreated: {"answers created", (*ServerWatchStream).recvCreated},
	recvCancel: {"cancels", (*ServerWatchStream).recvCancel}, recvForget: {"forgets watcher", (*ServerWatchStream).recvForget},
	recvCanceled: {"answers canceled", (*ServerWatchStream).recvCanceled}, recvDropFlags: {"drops flags", (*ServerWatchStream).recvDropFlags},
	recvProgress: {"requests progress", (*ServerWatchStream).recvProgress}, recvBlocked: {"blocked", nil}, recvChannelFull: {"blocked", nil},
}

// goesOn ends a step of recvLoop.
func (sws *ServerWatchStream) goesOn(env *sim.Env, next recvState) {
	r := &sws.recv
	r.state = next
	if next == recvIdle {
		r.cancel, r.id, r.wsrev, r.refusal = 0, 0, 0, ""
		if len(r.inbox) == 0 {
			env.Release(sws.conn)
			return
		}
		r.state = recvNext
	}
	env.Enable(sws.task(continueRecvLoop))
}

// recvNext takes the next message of the inbox.
func (sws *ServerWatchStream) recvNext(env *sim.Env) {
	r := &sws.recv
	p := r.inbox[0]
	r.inbox = append(r.inbox[:0], r.inbox[1:]...)
	r.state = recvIdle
	sws.recvRequest(env, p)
	if r.state == recvIdle {
		sws.goesOn(env, recvIdle)
	}
}

func (sws *ServerWatchStream) recvRequest(env *sim.Env, p sim.Payload) {
	switch p := p.(type) {
	case *wire.WatchCreateRequest:
		sws.recvCreate(env, p)
	case *wire.WatchCancelRequest:
		sws.recv.cancel = p.WatchID
		sws.recvCancel(env)
	case *wire.WatchProgressRequest:
		if sws.server.opts.EchoesID {
			sws.progressID.Set(env, p.ID)
		}
		sws.progressRequests().Request(env, sws)
	}
}

// recvCreate begins a create request.
func (sws *ServerWatchStream) recvCreate(env *sim.Env, req *wire.WatchCreateRequest) {
	r, o := &sws.recv, &sws.server.opts
	reason := ""
	switch {
	case req.StartRevision < 0 && o.RefusesNegative:
		reason = errCompacted
	case sws.server.denies(env, sws.from):
		env.Cover(coverDenied)
		denied.Say(env, sws.watch.Name)
		reason = errPermissionDenied
	}
	if reason != "" {
		sws.pushCtrl(env, &wire.WatchResponse{
			Revision: sws.server.store.VisibleRev(env), WatchID: sws.refusedID(env, req),
			Created: true, Canceled: true, CancelReason: reason,
		}, recvIdle)
		return
	}
	r.create = req
	if !o.PassesZero {
		r.wsrev = sws.server.store.VisibleRev(env)
	}
	sws.goesOn(env, recvWatch)
}

// refusedID is the id in the answer to a create request that is refused.
func (sws *ServerWatchStream) refusedID(env *sim.Env, req *wire.WatchCreateRequest) int64 {
	if sws.server.opts.RefusesAsAsked {
		refusedAs.Say(env, req.WatchID)
		return req.WatchID
	}
	return wire.InvalidWatchID
}

// errCompacted is the error of a watch from a revision below 0, errPermissionDenied of one whose user may not read the
// keys.
const (
	errCompacted        = "etcdserver: mvcc: required revision has been compacted"
	errPermissionDenied = "etcdserver: permission denied"
)

// recvWatch registers the watcher.
func (sws *ServerWatchStream) recvWatch(env *sim.Env) {
	r, o := &sws.recv, &sws.server.opts
	now := sws.server.store.Rev(env)
	rev := r.create.StartRevision
	if rev == 0 && !o.PassesZero {
		rev = r.wsrev + 1
	}
	if o.PassesZero {
		r.wsrev = now
	}
	r.id, r.refusal = sws.watch.Watch(env, r.create, rev)
	if r.refusal != "" {
		sws.goesOn(env, recvCreated)
		return
	}
	if r.create.StartRevision == 0 && 0 < rev && rev <= now {
		env.Cover(coverCreateLate)
	}
	if *sws.deferredProgress.Value() {
		env.Cover(coverCreateDeferred)
	}
	if o.StoresWithWatch {
		sws.storeFlags(env, r.id, r.create)
	}
	sws.goesOn(env, recvFlags)
}

// recvFlags stores the options of the watch's request, under serverWatchStream.mu.
func (sws *ServerWatchStream) recvFlags(env *sim.Env) {
	if sws.wantsMu(env) {
		return
	}
	if r := &sws.recv; !sws.server.opts.StoresWithWatch {
		sws.storeFlags(env, r.id, r.create)
	}
	sws.goesOn(env, recvCreated)
}

// isToStorePrevKV reports whether the loop has registered a watch and is about to store
// its prevKV option.
func (r *recvLoop) isToStorePrevKV(id int64) bool {
	return r.state == recvFlags && r.id == id && r.create.PrevKv
}

// recvCreated answers the create request.
func (sws *ServerWatchStream) recvCreated(env *sim.Env) {
	r := &sws.recv
	rev := r.wsrev
	if sws.server.opts.PassesZero {
		rev = sws.server.store.VisibleRev(env)
	}
	if r.refusal != "" {
		resp := sws.server.responses.New()
		resp.Revision, resp.WatchID, resp.Created = rev, sws.refusedID(env, r.create), true
		resp.Canceled = true
		if !sws.server.opts.RefusesSilently {
			resp.CancelReason = r.refusal
		}
		r.create = nil
		sws.pushCtrl(env, resp, recvIdle)
		return
	}
	ahead := r.create.StartRevision == 0 && rev > r.wsrev
	switch {
	case !sws.server.opts.CreatedInOrder:
		resp := sws.server.responses.New()
		resp.Revision, resp.WatchID, resp.Created = rev, r.id, true
		sws.pushCtrl(env, resp, recvIdle)
	case sws.watch.Chan.Full(env):
		r.state = recvChannelFull
		env.Release(sws.conn)
		return
	default:
		sws.watch.Post(env, &mvcc.WatchResponse{ID: r.id, Revision: rev, Created: true})
		sws.goesOn(env, recvIdle)
	}
	r.create = nil
	if ahead {
		env.Cover(coverCreatedAhead)
	}
}

// recvCancel is watchStream.Cancel up to where it lets go of the watcher.
func (sws *ServerWatchStream) recvCancel(env *sim.Env) {
	switch sws.watch.Cancel(env, sws.recv.cancel) {
	case mvcc.NoWatcher:
		sws.goesOn(env, recvIdle)
	case mvcc.Waits:
		sws.recv.state = recvCancel
	case mvcc.Taken:
		sws.goesOn(env, recvForget)
	}
}

// recvForget is the end of watchStream.Cancel.
func (sws *ServerWatchStream) recvForget(env *sim.Env) {
	sws.watch.Remove(env, sws.recv.cancel)
	sws.goesOn(env, recvCanceled)
}

// recvCanceled answers the cancel request.
func (sws *ServerWatchStream) recvCanceled(env *sim.Env) {
	sws.pushCtrl(env, &wire.WatchResponse{
		Revision: sws.server.store.VisibleRev(env), WatchID: sws.recv.cancel, Canceled: true,
	}, recvDropFlags)
}

// recvDropFlags removes the options of the watch's request, under serverWatchStream.mu.
func (sws *ServerWatchStream) recvDropFlags(env *sim.Env) {
	if sws.wantsMu(env) {
		return
	}
	sws.flags.Set(env, sws.recv.cancel, watchFlags{})
	sws.progress.Set(env, sws.recv.cancel, unnotified)
	sws.goesOn(env, recvIdle)
}

// recvProgress tries a progress request again that had to wait for the ticker.
func (sws *ServerWatchStream) recvProgress(env *sim.Env) {
	r := &sws.recv
	r.state = recvIdle
	sws.progressRequests().Request(env, sws)
	if r.state == recvIdle {
		sws.goesOn(env, recvIdle)
	}
}

// pushCtrl puts a response on ctrlStream; the loop is blocked while that is
// full.
func (sws *ServerWatchStream) pushCtrl(env *sim.Env, resp *wire.WatchResponse, next recvState) {
	r := &sws.recv
	resp.Stamp(sws.server.header)
	if sws.ctrlStream.Full(env) {
		env.Cover(coverCtrlFull)
		r.blocked, r.then, r.state = resp, next, recvBlocked
		env.Release(sws.conn)
		return
	}
	sws.ctrlStream.Send(env, resp)
	if next == recvIdle && r.state == recvIdle {
		return
	}
	sws.goesOn(env, next)
}

// ctrlHasRoom is what the Go runtime does when a receiver takes from a full
// channel: the blocked sender's value goes in at once, the sender runs later.
func (sws *ServerWatchStream) ctrlHasRoom(env *sim.Env) {
	r := &sws.recv
	if r.state != recvBlocked {
		return
	}
	sws.recv.Read(env)
	sws.recv.Change(env)
	sws.ctrlStream.Send(env, r.blocked)
	env.Hold(sws.conn)
	then := r.then
	r.blocked, r.then = nil, recvIdle
	sws.goesOn(env, then)
}

// channelHasRoom wakes a loop that waits to put Created into the watch channel.
func (sws *ServerWatchStream) channelHasRoom(env *sim.Env) {
	if sws.recv.state == recvChannelFull {
		sws.recv.Change(env)
		env.Hold(sws.conn)
		sws.goesOn(env, recvCreated)
	}
}

// ProgressRequests is what becomes of progress requests. It keeps nothing.
type ProgressRequests interface {
	// Request is what recvLoop does with a WatchProgressRequest.
	Request(env *sim.Env, sws *ServerWatchStream)
	// Sent is what sendLoop does once it has sent a response from the watch channel,
	// under serverWatchStream.mu.
	Sent(env *sim.Env, sws *ServerWatchStream)
	// Rule is when a watcher may be sent progress.
	Rule() mvcc.ProgressRule
}

// Progress is a value of the option progress.
type Progress uint8

// ProgressSeam is the option progress. The values are in the order of the releases that brought them, but for the last.
var ProgressSeam = option.NewSeam[Progress, ProgressRequests]("progress", "what becomes of a WatchProgressRequest")

var (
	// ControlQueue is that of the releases before #15220 was fixed.
	ControlQueue = ProgressSeam.Register("control-queue",
		"recvLoop answers it through ctrlStream, past events and whether or not watchers are synced (#15220)",
		progressControlQueue{})
	// Deferred brought #17507.
	Deferred = ProgressSeam.Register("deferred",
		"answered through the watch channel; with an unsynced watcher it waits until sendLoop has sent something (#17507)",
		progressDeferred{})
	// Dropped fixed that.
	Dropped = ProgressSeam.Register("dropped",
		"answered through the watch channel; with an unsynced watcher it is forgotten",
		progressDropped{})
	// DroppedBelowStart is what is shipped (#20221).
	DroppedBelowStart = ProgressSeam.Register("dropped-below-start",
		"answered through the watch channel; with an unsynced watcher, or one that starts at a revision that does not exist yet, it is forgotten",
		progressDroppedBelowStart{})
	// Ignored is that of the releases before 3.3.14. It is not the first value, since
	// ControlQueue is that of options that name none.
	Ignored = ProgressSeam.Register("ignored",
		"recvLoop knows no such request and goes on with the next: nothing comes of it",
		progressIgnored{})
	_ = ProgressSeam.Off(Ignored)
)

// plain is the part of ProgressRequests for the implementations that do nothing beside Request.
type plain struct{}

func (plain) Sent(*sim.Env, *ServerWatchStream) {}
func (plain) Rule() mvcc.ProgressRule           { return mvcc.IfSynced }

// progressDropped asks for progress through the watch channel, and forgets the
// request if a watcher is in the way.
type progressDropped struct{ plain }

func (progressDropped) Request(env *sim.Env, sws *ServerWatchStream) {
	if sws.WaitsForTicker(env) {
		return
	}
	if !sws.RequestProgressAll(env) {
		progressDroppedAt.Say(env, sws.watch.Name, sws.watch.InTheWay(sws.progressRule()))
	}
}

// progressDroppedBelowStart does the same. A watcher that starts at a later revision is in the way, too.
type progressDroppedBelowStart struct{ progressDropped }

func (progressDroppedBelowStart) Rule() mvcc.ProgressRule { return mvcc.IfStarted }

// progressDeferred asks for progress through the watch channel. A request that meets
// an unsynced watcher is remembered, and tried again once sendLoop has sent
// something from that channel: if nothing comes, never (#17507).
type progressDeferred struct{ plain }

func (progressDeferred) Request(env *sim.Env, sws *ServerWatchStream) {
	if sws.WaitsForTicker(env) {
		return
	}
	switch {
	case sws.deferredProgress.Get(env):
		env.Cover(coverProgressStillDeferred)
		progressStillDeferred.Say(env, sws.watch.Name)
	case sws.RequestProgressAll(env):
	default:
		env.Cover(coverProgressDeferred)
		sws.deferredProgress.Set(env, true)
		progressDeferredAt.Say(env, sws.watch.Name, sws.watch.InTheWay(sws.progressRule()))
	}
}

func (progressDeferred) Sent(env *sim.Env, sws *ServerWatchStream) {
	if sws.deferredProgress.Get(env) && sws.RequestProgressAll(env) {
		env.Cover(coverProgressRetried)
		sws.deferredProgress.Set(env, false)
	}
}

// progressControlQueue has recvLoop answer by itself: with the current revision
// through ctrlStream, past the events in the watch channel and whether or not
// watchers are synced.
type progressControlQueue struct{ plain }

func (progressControlQueue) Request(env *sim.Env, sws *ServerWatchStream) {
	if sws.watch.AnyUnsynced() {
		env.Cover(coverProgressIgnoresUnsynced)
	}
	sws.SendProgress(env)
}

// progressIgnored is the default case of recvLoop's switch: the request's field is
// unknown to the protobuf messages of these releases, and a request without a known one
// must not end the stream.
type progressIgnored struct{ plain }

func (progressIgnored) Request(env *sim.Env, sws *ServerWatchStream) {
	env.Cover(coverProgressUnknown)
	progressUnknown.Say(env, sws.watch.Name)
}

// SendProgress answers a progress request through ctrlStream: with the current
// revision, whatever is in the watch channel.
func (sws *ServerWatchStream) SendProgress(env *sim.Env) {
	resp := sws.server.responses.New()
	resp.Revision, resp.WatchID, resp.ProgressID = sws.server.store.VisibleRev(env), wire.InvalidWatchID, sws.readProgressID(env)
	if env.Noting() {
		if missing := sws.watch.Missing(env, resp.Revision); missing != 0 {
			progressPast.Say(env, sws.watch.Name, resp.Revision, missing)
		} else {
			progressAnswered.Say(env, sws.watch.Name, resp.Revision)
		}
	}
	sws.pushCtrl(env, resp, recvIdle)
}

// WaitsForTicker reports whether the ticker holds serverWatchStream.mu. Then the
// request is tried again when it lets go.
func (sws *ServerWatchStream) WaitsForTicker(env *sim.Env) bool {
	if !sws.wantsMu(env) {
		return false
	}
	sws.recv.state = recvProgress
	return true
}

// RequestProgressAll asks for one notification for all watches of the stream. It
// returns false if a watcher is in the way.
func (sws *ServerWatchStream) RequestProgressAll(env *sim.Env) bool {
	return sws.watch.RequestProgressAll(env, sws.readProgressID(env), sws.progressRule())
}

// progressRequests is what the option chooses.
func (sws *ServerWatchStream) progressRequests() ProgressRequests {
	return ProgressSeam.Of(sws.server.opts.Progress)
}

func (sws *ServerWatchStream) progressRule() mvcc.ProgressRule { return sws.progressRequests().Rule() }

// readProgressID is the id that a notification echoes, 0 if it echoes none.
func (sws *ServerWatchStream) readProgressID(env *sim.Env) int64 {
	if !sws.server.opts.EchoesID {
		return 0
	}
	return sws.progressID.Get(env)
}

// jitterSteps is how finely a timed run chooses a ticker's jitter.
const jitterSteps = 10

const (
	// defaultWatchProgressInterval is DefaultProgressReportInterval.
	defaultWatchProgressInterval = 10 * time.Minute
	// minWatchProgressInterval is what etcd raises a shorter interval to, with a
	// warning (NewWatchServer).
	minWatchProgressInterval = 100 * time.Millisecond
)

// startTicker is GetProgressReportInterval and NewTicker: the period is drawn
// once for a stream.
func (sws *ServerWatchStream) startTicker(env *sim.Env) {
	interval := sws.server.opts.ProgressNotifyInterval
	if interval == 0 {
		if env.Mode() == sim.Untimed {
			return
		}
		interval = defaultWatchProgressInterval
	}
	interval = max(interval, minWatchProgressInterval)
	period := interval
	if env.Mode() == sim.Timed {
		period += interval / 10 * sim.Duration(env.Choose(jitterSteps, "jitter of the progress ticker")) / jitterSteps
	}
	sws.progressTicker.Value().period = period
	env.Arm(sws.ticker(), period)
}

// ticker is progressTicker. Its channel holds one tick at most.
type ticker struct {
	period sim.Duration
	ticked bool
}

func (sws *ServerWatchStream) tick(env *sim.Env) {
	t := sws.progressTicker.Change(env)
	env.Arm(sws.ticker(), t.period)
	t.ticked = true
	if sws.send.state == selecting {
		env.Enable(sws.task(takeTicker))
	}
}

// takeTick is the case of progressTicker.C: a notification is requested for every
// watch with ProgressNotify that was sent no events since the last tick.
func (sws *ServerWatchStream) takeTick(env *sim.Env) {
	l := &sws.send
	sws.leavesSelect(env, ticking)
	sws.progressTicker.Read(env)
	sws.progressTicker.Change(env).ticked = false
	l.due = l.due[:0]
	for _, w := range sws.progress.Entries(env) {
		if w.Value == notifyTrue {
			sws.progress.Get(env, w.Key)
			l.due = append(l.due, w.Key)
		} else {
			env.Cover(coverTickElided)
			if sws.server.opts.ElidedTicks == ElidedForGood {
				continue
			}
		}
		sws.progress.Set(env, w.Key, notifyTrue)
	}
	sws.mu.Change(env).held = true
	sws.requestDue(env)
}

// elideOthers lets the next tick leave out the watches that were sent nothing, too.
func (sws *ServerWatchStream) elideOthers(env *sim.Env, sent int64) {
	for _, w := range sws.progress.Entries(env) {
		if w.Key != sent && w.Value == notifyTrue {
			sws.progress.Set(env, w.Key, notifyFalse)
		}
	}
}

// requestDue requests the progress of one watch, any of the remaining ones:
// upstream goes over a Go map. The store moves on in between.
func (sws *ServerWatchStream) requestDue(env *sim.Env) {
	l := &sws.send
	if len(l.due) > 0 {
		i := env.Choose(len(l.due), "next watch of the tick")
		id := l.due[i]
		l.due = append(l.due[:i], l.due[i+1:]...)
		env.Cover(coverTick)
		sws.watch.RequestProgress(env, id, sws.progressRule())
	}
	if len(l.due) > 0 {
		env.Enable(sws.task(continueSendLoop))
		return
	}
	mu := sws.mu.Change(env)
	wanted := mu.wanted
	*mu = mutex{}
	if wanted {
		env.Enable(sws.task(continueRecvLoop))
	}
	sws.enterSelect(env)
}

// sendState is where the send loop of a stream stands.
type sendState uint8

const (
	// selecting: in its select, which takes any of the sources that has
	// something: a task each.
	selecting sendState = iota
	// readingPrevKV: about to read one more previous value.
	readingPrevKV
	// sending: gRPC's Send is blocked.
	sending
	// afterSend: about to do what follows on a response from the watch channel,
	// under serverWatchStream.mu.
	afterSend
	// ticking: the ticker's requests are under way.
	ticking
	// stopped: the stream is closing.
	stopped
)

// sendLoop is what serverWatchStream.sendLoop keeps from one step to the next.
type sendLoop struct {
	state.Cell[sendLoop] `cell:"etcd: sendLoop"`

	state sendState
	// wresp was taken from the watch channel. events are its events if the watch
	// has prevKV; their previous values are read up to next.
	wresp  *mvcc.WatchResponse
	events []wire.Event
	next   int
	// out is what is left to send; fromWatchStream says what follows.
	out             arena.Queue[*wire.WatchResponse]
	fromWatchStream bool
	// sentID and sentEvents describe the last response from the watch channel.
	sentID     int64
	sentEvents bool
	// behind is how many reads have to be answered before what is in out is sent.
	behind uint64 `cell:"-"`

	// due are the ids whose progress a tick still has to request.
	due []int64
}

// Clear makes it a new one, and keeps its memory.
func (l *sendLoop) Clear() {
	l.out.Clear()
	*l = sendLoop{Cell: l.Cell, out: l.out, due: l.due[:0]}
}

// stop ends the loop. What it has in its hands is lost.
func (l *sendLoop) stop() {
	l.Clear()
	l.state = stopped
}

// enterSelect puts the loop back into its select.
func (sws *ServerWatchStream) enterSelect(env *sim.Env) {
	l := sws.send.Change(env)
	l.state, l.fromWatchStream, l.sentID, l.sentEvents = selecting, false, 0, false
	sws.watch.Chan.Select(env)
	sws.ctrlStream.Select(env)
	if sws.progressTicker.Value().ticked {
		env.Enable(sws.task(takeTicker))
	}
}

// leavesSelect: the loop has taken from one source and has something to do.
func (sws *ServerWatchStream) leavesSelect(env *sim.Env, next sendState) {
	sws.send.Change(env).state = next
	sws.watch.Chan.Leave(env)
	sws.ctrlStream.Leave(env)
	env.Disable(sws.task(takeTicker))
}

// runSendLoop is one step of sendLoop outside of its select.
func (sws *ServerWatchStream) runSendLoop(env *sim.Env) {
	sws.send.Read(env)
	if step := sendStates[sws.send.Change(env).state].step; step != nil {
		step(sws, env)
	}
}

// sendStates are what the loop is called in each state, and its step from there.
var sendStates = [...]struct {
	name string
	step func(*ServerWatchStream, *sim.Env)
}{
	selecting: {"selects", nil}, readingPrevKV: {"reads prevKV", (*ServerWatchStream).readPrevKV}, sending: {"sends", (*ServerWatchStream).transmit},
	afterSend: {"after Send", (*ServerWatchStream).afterSend}, ticking: {"requests progress", (*ServerWatchStream).requestDue}, stopped: {"stopped", nil},
}

// takeWatchStream is the case of watchStream.Chan().
func (sws *ServerWatchStream) takeWatchStream(env *sim.Env) {
	l := &sws.send
	if sws.ctrlStream.Len() > 0 {
		env.Cover(coverEventsFirst)
	}
	sws.leavesSelect(env, sending)
	l.wresp = sws.watch.Chan.Receive(env)
	sws.channelHasRoom(env)
	if f := sws.flags.Get(env, l.wresp.ID); !f.prevKV || len(l.wresp.Events) == 0 {
		if len(l.wresp.Events) > 0 && sws.recv.isToStorePrevKV(l.wresp.ID) {
			optionsUnknown.Say(env, mvcc.RevisionsOf(l.wresp.Events), sws.watch.Name)
		}
		sws.forward(env, l.wresp.Events)
		return
	}
	l.events, l.next = sws.server.events.Take(len(l.wresp.Events)), 0
	copy(l.events, l.wresp.Events)
	sws.readPrevKV(env)
}

// readPrevKV reads the previous values of the response in hand. Each is a read
// transaction of its own, but nothing except a compaction changes what they
// find: while no compaction waits to be applied they are one step.
func (sws *ServerWatchStream) readPrevKV(env *sim.Env) {
	l := &sws.send
	compactions := *sws.server.compactions.Look(env)
	for l.next < len(l.events) {
		sws.readPrevKVOf(env, &l.events[l.next])
		l.next++
		if compactions > 0 {
			l.state = readingPrevKV
			env.Enable(sws.task(continueSendLoop))
			return
		}
	}
	events := l.events
	l.events, l.next = nil, 0
	sws.forward(env, events)
}

func (sws *ServerWatchStream) readPrevKVOf(env *sim.Env, e *wire.Event) {
	if e.Type == wire.Put && e.Kv.CreateRevision == e.Kv.ModRevision {
		return
	}
	prev, compacted := sws.server.store.Before(env, e.Kv.Key, e.Kv.ModRevision)
	if compacted {
		env.Cover(coverPrevKVCompacted)
		return
	}
	e.PrevKv = prev
}

// forward sends the response in hand with its events, or keeps it if its watch is
// not announced yet.
func (sws *ServerWatchStream) forward(env *sim.Env, events []wire.Event) {
	l := &sws.send
	r, wresp := sws.server.responses.New(), l.wresp
	r.Stamp(sws.server.header)
	events = sws.server.opts.SentEvents.Send(env, events)
	r.WatchID, r.Revision, r.Events = wresp.ID, wresp.Revision, events
	if wresp.CompactRevision != 0 {
		r.CompactRevision = wresp.CompactRevision
		if sws.server.opts.NamesAfterLast {
			r.CompactRevision++
			altered.Say(env, "ends a watch and names a compaction that it has not made", r.CompactRevision, "")
		}
	}
	r.Canceled, r.Created = r.CompactRevision != 0, wresp.Created
	r.ProgressID = wresp.ProgressID
	l.behind = wresp.Behind
	l.wresp = nil
	if r.Created {
		l.fromWatchStream = false
		l.out.Push(r)
		sws.announce(env, r.WatchID)
		sws.transmit(env)
		return
	}
	if r.WatchID != wire.InvalidWatchID && !sws.ids.Get(env, r.WatchID) {
		env.Cover(coverPending)
		kept.Say(env, response{r}, r.WatchID, sws.watch.Name)
		sws.pending.Add(env, pendingResponse{r})
		sws.enterSelect(env)
		return
	}
	l.fromWatchStream, l.sentID, l.sentEvents = true, r.WatchID, len(r.Events) > 0
	if sws.flags.Look(env, r.WatchID).fragment {
		sws.sendFragments(env, r)
	} else {
		l.out.Push(r)
	}
	sws.transmit(env)
}

// takeCtrlStream is the case of ctrlStream.
func (sws *ServerWatchStream) takeCtrlStream(env *sim.Env) {
	l := &sws.send
	overtakes := sws.watch.Chan.Len() > 0
	sws.leavesSelect(env, sending)
	c := sws.ctrlStream.Receive(env)
	sws.ctrlHasRoom(env)
	l.fromWatchStream = false
	l.behind = sws.server.store.ReadsQueued(env)
	l.out.Push(c)
	switch {
	case c.Canceled && c.WatchID != wire.InvalidWatchID:
		sws.ids.Set(env, c.WatchID, false)
		if overtakes {
			env.Cover(coverCanceledFirst)
		}
	case c.Created:
		if overtakes && speaksForAll(sws.watch.Chan.All()) {
			env.Cover(coverCreatedFirst)
		}
		sws.announce(env, c.WatchID)
	default:
		// Only a progress notification of its own is neither.
		if overtakes {
			env.Cover(coverProgressOvertakes)
		}
	}
	sws.transmit(env)
}

// speaksForAll reports whether a watch channel holds a response to all watches
// of the stream.
func speaksForAll(queued []*mvcc.WatchResponse) bool {
	return slices.ContainsFunc(queued, func(r *mvcc.WatchResponse) bool { return r.ID == wire.InvalidWatchID })
}

// transmit is gRPC's Send for everything in out, as far as there is room. That ids
// and pending were changed before makes no difference: no other loop sees them.
func (sws *ServerWatchStream) transmit(env *sim.Env) {
	l := &sws.send
	env.Under(sws.cause)
	for l.out.Len() > 0 {
		if !env.CanSend(sws.conn) || sws.mustWaitToSend(env) {
			env.Cover(coverSendBlocked)
			l.state = sending
			return
		}
		r := l.out.Pop()
		sws.noteSent(env, r)
		countSent(env, r)
		env.Send(sws.conn, r)
	}
	if !l.fromWatchStream {
		sws.enterSelect(env)
		return
	}
	l.state = afterSend
	env.Enable(sws.task(continueSendLoop))
}

// afterSend is what sendLoop does under serverWatchStream.mu once a response
// from the watch channel was sent.
func (sws *ServerWatchStream) afterSend(env *sim.Env) {
	l := &sws.send
	notifies := sws.progress.Look(env, l.sentID)
	if l.sentEvents && notifies != unnotified {
		// The next tick leaves out a watch that was sent events.
		sws.progress.Set(env, l.sentID, notifyFalse)
	}
	if l.sentEvents && sws.server.opts.ElidedTicks == ElidedStream {
		sws.elideOthers(env, l.sentID)
	}
	sws.progressRequests().Sent(env, sws)
	sws.enterSelect(env)
}

// sendFragments is the function of that name: a response that is too large is split
// between events.
func (sws *ServerWatchStream) sendFragments(env *sim.Env, r *wire.WatchResponse) {
	out, limit := &sws.send.out, sws.server.opts.FragmentBytes
	bare := *r
	bare.Events = nil
	head := responseSize(&bare)
	if sws.server.opts.Fragments == FragmentsNone || len(r.Events) < 2 || responseSize(r) < limit {
		out.Push(r)
		return
	}
	env.Cover(coverFragmented)
	// The flag counts.
	head += 2
	for from := 0; from < len(r.Events); {
		to, size := from, head
		for to < len(r.Events) {
			size += eventSize(&r.Events[to])
			if to > from && (size >= limit || sws.server.opts.Fragments == FragmentsSingle) {
				break
			}
			to++
		}
		f := sws.server.responses.New()
		*f = bare
		f.Events, f.Fragment = r.Events[from:to:to], to < len(r.Events)
		out.Push(f)
		from = to
	}
}

// ServerWatchStream is v3rpc.serverWatchStream: one gRPC stream.
type ServerWatchStream struct {
	server *WatchServer
	place  int
	// tasks is the number of the first of the stream's tasks.
	tasks sim.Task
	watch *mvcc.WatchStream

	gRPCStream
	ctrlStream state.Chan[*wire.WatchResponse] `cell:"etcd: ctrlStream"`
	// flags are the maps prevKV and fragment.
	flags    state.Map[watchFlags] `cell:"etcd: prevKV and fragment"`
	progress state.Map[notify]     `cell:"etcd: progress"`
	// progressID is that of the last progress request, with EchoesID.
	progressID state.Var[int64] `cell:"etcd: id of the last progress request"`
	// deferredProgress: a progress request waits until something is sent.
	deferredProgress state.Var[bool]   `cell:"etcd: deferredProgress"`
	mu               state.Var[mutex]  `cell:"etcd: serverWatchStream.mu"`
	progressTicker   state.Var[ticker] `cell:"etcd: progressTicker"`

	recv recvLoop
	send sendLoop
	// ids are the watches whose Created was sent, pending the responses to the
	// others.
	ids     state.Map[bool]             `cell:"etcd: ids of sendLoop"`
	pending state.List[pendingResponse] `cell:"etcd: pending of sendLoop"`
}

// gRPCStream is what there is of a stream from its first request on.
type gRPCStream struct {
	state.Cell[gRPCStream] `cell:"etcd: place of a stream"`

	conn  sim.Conn
	cause sim.Cause `cell:"-"`
	from  sim.NodeID
	// requiresLeader: the stream ends when there is no leader.
	requiresLeader bool
	// closing: the client is gone, and a watcher is still a victim in flight.
	closing bool
}

func (sws *ServerWatchStream) Free() bool { return sws.conn == sim.NoConn }

// mutex is serverWatchStream.mu. The ticker's requests hold it over several steps; wanted: recvLoop waits for it.
type mutex struct{ held, wanted bool }

// begin is watchServer.Watch up to where the loops run.
func (sws *ServerWatchStream) begin(env *sim.Env, m *sim.Message) {
	s := sws.server
	s.streams.Write(env, sws)
	sws.conn, sws.cause, sws.from = m.Conn, m.Cause, m.From
	sws.requiresLeader = RequiresLeader(m.Payload)
	sws.watch.Open(s.nextName(env, m.From), sws.task(takeWatchStream))
	sws.ctrlStream.Make(s.opts.CtrlStreamBufLen, sws.task(takeCtrlStream))
}

// Hangup is what follows when the context of the stream is done:
// serverWatchStream.close. What either loop would still do reaches no client.
func (sws *ServerWatchStream) Hangup(env *sim.Env) {
	if sws.send.state == sending {
		env.Cover(coverHangupBlocked)
	}
	sws.server.streams.Write(env, sws)
	sws.closing = true
	// Nothing that is sent from here on is taken any more.
	sws.watch.Chan.Leave(env)
	sws.ctrlStream.Leave(env)
	env.Disable(sws.task(takeTicker))
	env.Disable(sws.task(continueSendLoop))
	env.Disable(sws.task(continueRecvLoop))
	env.Disarm(sws.ticker())
	sws.send.stop()
	sws.progressTicker.Value().ticked = false
	sws.close(env)
}

// close cancels the watchers, and frees the place when none is in flight.
func (sws *ServerWatchStream) close(env *sim.Env) {
	if !sws.watch.Close(env) {
		return
	}
	sws.server.streams.Clear(env, sws)
	sws.watch.End(env)
}

// VictimsLanded implements mvcc.Owner: a cancel that waited goes on. Upstream tries
// once a millisecond; a try that finds the victim still in flight changes nothing.
func (sws *ServerWatchStream) VictimsLanded(env *sim.Env) {
	switch {
	case sws.closing:
		sws.close(env)
	case sws.recv.state == recvCancel && !sws.watch.InFlight(sws.recv.cancel):
		env.Enable(sws.task(continueRecvLoop))
	}
}

func (sws *ServerWatchStream) ProgressDeferred(env *sim.Env) bool {
	return sws.server.opts.Progress == Deferred && sws.deferredProgress.Get(env)
}

// wantsMu reports whether the ticker holds serverWatchStream.mu; if so the step
// is repeated when it lets go.
func (sws *ServerWatchStream) wantsMu(env *sim.Env) bool {
	mu := sws.mu.Look(env)
	if mu.held {
		sws.mu.ChangeItem(env, sim.NoItem)
	}
	mu.wanted = mu.held
	return mu.held
}

// pendingResponse waits until Created of its watch was sent.
type pendingResponse struct{ *wire.WatchResponse }

func (r *pendingResponse) Item() int64 { return r.WatchID + 1 }

// announce notes that Created goes out and what waited for it follows.
func (sws *ServerWatchStream) announce(env *sim.Env, id int64) {
	sws.ids.Set(env, id, true)
	for r := range sws.pending.Take(env, func(r *pendingResponse) bool { return r.WatchID == id }) {
		env.Cover(coverPendingFlushed)
		sws.send.out.Push(r.WatchResponse)
	}
}

// watchFlags is what the maps prevKV and fragment of serverWatchStream have for a watch.
type watchFlags struct{ prevKV, fragment bool }

// notify is what the map progress has for a watch: false is that the next tick leaves it out.
type notify uint8

const (
	unnotified notify = iota
	notifyFalse
	notifyTrue
)

// storeFlags adds what a create request asks for.
func (sws *ServerWatchStream) storeFlags(env *sim.Env, id int64, req *wire.WatchCreateRequest) {
	f, p := sws.flags.Value(id), sws.progress.Value(id)
	f.prevKV, f.fragment = f.prevKV || req.PrevKv, f.fragment || req.Fragment
	if req.ProgressNotify {
		p = notifyTrue
	}
	sws.flags.Set(env, id, f)
	sws.progress.Set(env, id, p)
}
