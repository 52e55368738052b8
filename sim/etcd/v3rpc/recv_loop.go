package v3rpc

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/mvcc"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

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
