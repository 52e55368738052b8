package v3rpc

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/mvcc"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

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

// Free implements state.Placed.
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

// ProgressDeferred implements mvcc.Owner.
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

// Item implements state.Numbered.
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
