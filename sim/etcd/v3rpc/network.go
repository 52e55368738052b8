package v3rpc

import (
	"slices"
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/mvcc"
	"github.com/watchbed/watchbed/sim/wire"
)

// network keeps gRPC from sending responses although a stream has room.
type network struct {
	// clogged: nothing gets through to some clients, or to all if there are none.
	clogged bool
	clients []sim.NodeID `cell:"-"`
}

// mustWaitToSend: gRPC's Send does not go on yet. The response in hand is behind
// the answers to reads, if they share a connection, or nothing gets through to
// this client for now.
func (sws *ServerWatchStream) mustWaitToSend(env *sim.Env) bool {
	s := sws.server
	if s.HoldsBack(env, sws.from) {
		env.Cover(coverSendClogged)
		return true
	}
	if !s.opts.ReadsDelayWatches {
		return false
	}
	if sws.send.behind > *s.readsAnswered.Look(env) {
		env.Cover(coverSendBehindReads)
		return true
	}
	return false
}

// HoldsBack reports whether nothing gets through to a client.
func (s *WatchServer) HoldsBack(env *sim.Env, client sim.NodeID) bool {
	n := s.network.Look(env)
	return n.clogged && (n.clients == nil || slices.Contains(n.clients, client))
}

// Clogged reports whether nothing gets through to a client.
func (s *WatchServer) Clogged() bool { return s.network.Value().clogged }

// Clog keeps everything from these clients, or from all if there are none. Streams stay open.
func (s *WatchServer) Clog(env *sim.Env, clients []sim.NodeID) {
	s.network.Set(env, network{true, clients})
	clogs.Say(env)
}

// Unclog ends Clog.
func (s *WatchServer) Unclog(env *sim.Env) {
	s.network.Set(env, network{})
	unclogs.Say(env)
	s.resumeSends(env)
}

// ReadQueued: a read arrived before all responses from here on.
func (s *WatchServer) ReadQueued(env *sim.Env) {
	if s.opts.ReadsDelayWatches {
		s.store.ReadQueued(env)
	}
}

// ReadAnswered: a read that was queued has its answer.
func (s *WatchServer) ReadAnswered(env *sim.Env) {
	if s.opts.ReadsDelayWatches {
		*s.readsAnswered.Change(env)++
		s.resumeSends(env)
	}
}

// resumeSends lets the send loops that are blocked look again.
func (s *WatchServer) resumeSends(env *sim.Env) {
	if s.served != nil {
		s.served.Resume(env)
	}
	for _, sws := range s.streams.All() {
		if sws.send.Look(env).state == sending {
			env.Enable(sws.task(continueSendLoop))
		}
	}
}

// Drained: a stream that was full has room again, and a blocked Send goes on.
func (s *WatchServer) Drained(env *sim.Env, c sim.Conn) {
	if sws := s.Stream(c); sws != nil && sws.send.state == sending {
		env.Enable(sws.task(continueSendLoop))
	}
}

// Holds is how many streams there are, how many responses to watches wait in their
// queues, together with the watchers that are not synced, and how many watch ids the
// streams keep something for that no watcher has.
func (s *WatchServer) Holds() (streams, waiting, unknown int) {
	for sws := range s.streams.Used() {
		streams++
		waiting += sws.waiting()
		unknown += sws.unknown()
	}
	return streams, waiting + s.store.Waiting(), unknown
}

// Watches visits the watches of each stream: each with its request, under its id, and from the revision from which on
// it is served.
func (s *WatchServer) Watches(visit func(stream sim.Conn, watch wire.WatchCreateRequest)) {
	for sws := range s.streams.Used() {
		sws.watch.Watches(func(id int64, key, end string, startRev int64, filters wire.FilterType) {
			r := wire.WatchCreateRequest{Key: key, RangeEnd: end, StartRevision: startRev, WatchID: id, Filters: filters, RequireLeader: sws.requiresLeader}
			f := sws.flags.Value(id)
			r.ProgressNotify, r.PrevKv, r.Fragment = sws.progress.Value(id) != unnotified, f.prevKV, f.fragment
			visit(sws.conn, r)
		})
	}
}

// RecvLoop says where recvLoop of a stream is, empty if there is no such stream.
func (s *WatchServer) RecvLoop(stream sim.Conn) string {
	for sws := range s.streams.Used() {
		r := &sws.recv
		switch {
		case sws.conn != stream:
		case r.state == recvCancel && sws.watch.InFlight(r.cancel):
			return "waits until syncVictimsLoop has done with the watcher"
		default:
			return "is at the step " + strconv.Quote(recvStates[r.state].name)
		}
	}
	return ""
}

func (sws *ServerWatchStream) waiting() int {
	n := sws.watch.Chan.Len() + sws.ctrlStream.Len() + sws.send.out.Len() + len(sws.recv.inbox)
	for _, r := range sws.pending.All() {
		// Events of a cancelled watch stay until the stream ends: sendLoop takes it for
		// one whose Created was not sent yet.
		if sws.watch.Has(r.WatchID) {
			n++
		}
	}
	return n
}

func (sws *ServerWatchStream) unknown() int {
	n := 0
	for _, w := range sws.ids.All() {
		// A refused watch is announced with the id of none. A watch that is announced
		// in order may have ended by then.
		if w.Key != wire.InvalidWatchID && !sws.watch.Has(w.Key) && !sws.server.opts.CreatedInOrder {
			n++
		}
	}
	for _, w := range sws.flags.All() {
		if !sws.watch.Has(w.Key) {
			n++
		}
	}
	for _, w := range sws.progress.All() {
		if !sws.watch.Has(w.Key) && sws.flags.Value(w.Key) == (watchFlags{}) {
			n++
		}
	}
	return n
}

// Show shows what the two loops of each stream have between them and the client.
func (s *WatchServer) Show(visit sim.PartVisitor) {
	var ctrl, deferred, hands []sim.Entry
	for sws := range s.streams.Used() {
		label := sws.watch.Label()
		for _, r := range sws.ctrlStream.All() {
			ctrl = append(ctrl, entry(label, r))
		}
		if *sws.deferredProgress.Value() {
			deferred = append(deferred, sim.Entry{Text: label + "a progress request"})
		}
		for _, r := range sws.send.out.All() {
			hands = append(hands, entry(label, r))
		}
		for _, r := range sws.pending.All() {
			hands = append(hands, entry(label+"until created: ", r.WatchResponse))
		}
	}
	visit("ctrlStream", ctrl...)
	visit("deferred", deferred...)
	visit("sendLoop holds", hands...)
}

func entry(label string, r *wire.WatchResponse) sim.Entry {
	e := r.Entry()
	e.Text = label + e.Text
	return e
}

// Queued is a response that has events, or that says that a watch is created, on its way
// to be sent: what it says is fixed.
type Queued struct {
	WatchID, Revision int64
	Created           bool
	Events            []wire.Event
	// InChannel: it is in the watch channel, or sendLoop has just taken it from there. Responses to
	// watches that are announced are sent in the order of the channel.
	InChannel bool
}

// Queued visits the responses to watches that exist, those of one watch in the order in
// which they will be sent, and those in the watch channel in the order of the channel.
func (s *WatchServer) Queued(visit func(*Queued)) {
	for sws := range s.streams.Used() {
		sws.queued(visit)
	}
}

func (sws *ServerWatchStream) queued(visit func(*Queued)) {
	show := func(q Queued) {
		if (q.Created || len(q.Events) > 0) && sws.watch.Has(q.WatchID) {
			visit(&q)
		}
	}
	ready := func(r *wire.WatchResponse) { show(Queued{r.WatchID, r.Revision, r.Created, r.Events, false}) }
	for _, r := range sws.send.out.All() {
		ready(r)
	}
	for _, r := range sws.ctrlStream.All() {
		ready(r)
	}
	for _, r := range sws.pending.All() {
		ready(r.WatchResponse)
	}
	inChannel := func(r *mvcc.WatchResponse) { show(Queued{r.ID, r.Revision, r.Created, r.Events, true}) }
	if r := sws.send.wresp; r != nil {
		inChannel(r)
	}
	for _, r := range sws.watch.Chan.All() {
		inChannel(r)
	}
}
