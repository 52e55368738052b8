package v3rpc

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/mvcc"
	"github.com/watchbed/watchbed/sim/wire"
)

// ServerWatchStream is v3rpc.serverWatchStream: one gRPC stream.
type ServerWatchStream struct {
	server *WatchServer `cell:"-"`
	place  int          `cell:"-"`
	// tasks is the number of the first of the stream's tasks.
	tasks sim.Task          `cell:"-"`
	watch *mvcc.WatchStream `cell:"-"`

	conn  sim.Conn
	cause sim.Cause `cell:"-"`
	from  sim.NodeID
	// requiresLeader: the stream ends when there is no leader.
	requiresLeader bool
	// closing: the client is gone, and a watcher is still a victim in flight.
	closing bool

	ctrlStream mvcc.Channel[*wire.WatchResponse]
	flags      flags
	// deferredProgress: a progress request waits until something is sent.
	deferredProgress bool
	// progressID is that of the last progress request, with EchoesID.
	progressID int64
	// mu: the ticker's requests are under way, which holds serverWatchStream.mu
	// over several steps; muWanted: recvLoop waits for it.
	mu, muWanted bool
	// period is that of the progress ticker.
	period sim.Duration

	recv recvLoop
	send sendLoop
}

// used reports whether the place holds a stream.
func (sws *ServerWatchStream) used() bool { return sws.conn != sim.NoConn }

// begin is watchServer.Watch up to where the loops run.
func (sws *ServerWatchStream) begin(env *sim.Env, m *sim.Message) {
	s := sws.server
	sws.reset()
	sws.conn, sws.cause, sws.from = m.Conn, m.Cause, m.From
	sws.requiresLeader = RequiresLeader(m.Payload)
	sws.watch.Open(s.nextName(env, m.From), sws.task(takeWatchStream))
	sws.ctrlStream.Make(s.opts.CtrlStreamBufLen, cellCtrlStream, sws.place, sws.task(takeCtrlStream))
	sws.writesAll(env)
}

// reset empties the place of a stream and keeps its memory.
func (sws *ServerWatchStream) reset() {
	sws.send.out.Clear()
	*sws = ServerWatchStream{
		server: sws.server, place: sws.place, tasks: sws.tasks, watch: sws.watch, ctrlStream: sws.ctrlStream,
		flags: sws.flags[:0],
		recv:  recvLoop{inbox: sws.recv.inbox[:0]},
		send:  sendLoop{ids: sws.send.ids[:0], pending: sws.send.pending[:0], out: sws.send.out, due: sws.send.due[:0]},
	}
}

// writesAll declares that the stream begins or ends.
func (sws *ServerWatchStream) writesAll(env *sim.Env) {
	for _, k := range streamCells {
		env.Writes(k, sws.place)
	}
	if sws.server.opts.Progress == Deferred {
		sws.deferProgress(env, false)
	}
}

// Hangup is what follows when the context of the stream is done:
// serverWatchStream.close. What either loop would still do reaches no client.
func (sws *ServerWatchStream) Hangup(env *sim.Env) {
	if sws.send.state == sending {
		env.Cover(coverHangupBlocked)
	}
	sws.closing = true
	sws.writesAll(env)
	// Nothing that is sent from here on is taken any more.
	sws.watch.Chan.Leave(env)
	sws.ctrlStream.Leave(env)
	env.Disable(sws.task(takeTicker))
	env.Disable(sws.task(continueSendLoop))
	env.Disable(sws.task(continueRecvLoop))
	env.Disarm(sws.ticker())
	sws.send.stop()
	sws.close(env)
}

// close cancels the watchers, and frees the place when none is in flight.
func (sws *ServerWatchStream) close(env *sim.Env) {
	if !sws.watch.Close(env) {
		return
	}
	env.Writes(cellPlace, sws.place)
	sws.writesAll(env)
	sws.watch.End(env)
	sws.reset()
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
	env.Reads(cellDeferredProgress, sws.place)
	return sws.deferredProgress
}

// wantsMu reports whether the ticker holds serverWatchStream.mu; if so the step
// is repeated when it lets go.
func (sws *ServerWatchStream) wantsMu(env *sim.Env) bool {
	env.LooksAt(cellMu, sws.place)
	if sws.mu {
		env.WritesItem(cellMu, sws.place, sim.NoItem)
	}
	sws.muWanted = sws.mu
	return sws.mu
}
