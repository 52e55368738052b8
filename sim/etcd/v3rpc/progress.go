package v3rpc

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/mvcc"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// ProgressRequests is what becomes of the progress requests of one stream. An
// implementation with state of its own declares the cells that it reads and
// writes, with ServerWatchStream.Place as their index.
type ProgressRequests interface {
	// Request is what recvLoop does with a WatchProgressRequest.
	Request(env *sim.Env, sws *ServerWatchStream)
	// Sent is what sendLoop does once it has sent a response from the watch channel,
	// under serverWatchStream.mu.
	Sent(env *sim.Env, sws *ServerWatchStream)
	// Rule is when a watcher may be sent progress.
	Rule() mvcc.ProgressRule
	// Deferred reports whether a request waits for something to be sent.
	Deferred() bool
	// Reset forgets everything: a stream begins or ends.
	Reset(env *sim.Env, sws *ServerWatchStream)
	// Clone is another one in the same state.
	Clone() ProgressRequests
	// Fingerprint mixes the state in.
	Fingerprint(d sim.Digest) sim.Digest
}

// Progress is a value of the option progress.
type Progress uint8

// ProgressSeam is the option progress: how a stream's ProgressRequests are made. The
// values are in the order of the releases that brought them, but for the last.
var ProgressSeam = option.NewSeam[Progress, func() ProgressRequests]("progress", "what becomes of a WatchProgressRequest")

var (
	// ControlQueue is that of the releases before #15220 was fixed.
	ControlQueue = ProgressSeam.Register("control-queue",
		"recvLoop answers it through ctrlStream, past events and whether or not watchers are synced (#15220)",
		func() ProgressRequests { return progressControlQueue{} })
	// Deferred brought #17507.
	Deferred = ProgressSeam.Register("deferred",
		"answered through the watch channel; with an unsynced watcher it waits until sendLoop has sent something (#17507)",
		func() ProgressRequests { return new(progressDeferred) })
	// Dropped fixed that.
	Dropped = ProgressSeam.Register("dropped",
		"answered through the watch channel; with an unsynced watcher it is forgotten",
		func() ProgressRequests { return progressDropped{rule: mvcc.IfSynced} })
	// DroppedBelowStart is what is shipped (#20221).
	DroppedBelowStart = ProgressSeam.Register("dropped-below-start",
		"answered through the watch channel; with an unsynced watcher, or one that starts at a revision that does not exist yet, it is forgotten",
		func() ProgressRequests { return progressDropped{rule: mvcc.IfStarted} })
	// Ignored is that of the releases before 3.3.14. It is not the first value, since
	// ControlQueue is that of options that name none.
	Ignored = ProgressSeam.Register("ignored",
		"recvLoop knows no such request and goes on with the next: nothing comes of it",
		func() ProgressRequests { return progressIgnored{} })
)

// stateless is the part of ProgressRequests that keeps nothing.
type stateless struct{}

func (stateless) Sent(*sim.Env, *ServerWatchStream)   {}
func (stateless) Rule() mvcc.ProgressRule             { return mvcc.IfSynced }
func (stateless) Deferred() bool                      { return false }
func (stateless) Reset(*sim.Env, *ServerWatchStream)  {}
func (stateless) Fingerprint(d sim.Digest) sim.Digest { return d }

// progressDropped asks for progress through the watch channel, and forgets the
// request if a watcher is in the way.
type progressDropped struct {
	stateless
	rule mvcc.ProgressRule
}

func (p progressDropped) Request(env *sim.Env, sws *ServerWatchStream) {
	if sws.WaitsForTicker(env) {
		return
	}
	if !sws.RequestProgressAll(env) {
		progressDroppedAt.Say(env, sws.watch.Name, sws.watch.InTheWay(sws.progress.Rule()))
	}
}

func (p progressDropped) Rule() mvcc.ProgressRule { return p.rule }
func (p progressDropped) Clone() ProgressRequests { return p }

// progressControlQueue has recvLoop answer by itself: with the current revision
// through ctrlStream, past the events in the watch channel and whether or not
// watchers are synced.
type progressControlQueue struct{ stateless }

func (p progressControlQueue) Clone() ProgressRequests { return p }

func (progressControlQueue) Request(env *sim.Env, sws *ServerWatchStream) {
	if sws.watch.AnyUnsynced() {
		env.Cover(coverProgressIgnoresUnsynced)
	}
	sws.SendProgress(env)
}

// progressIgnored is the default case of recvLoop's switch: the request's field is
// unknown to the protobuf messages of these releases, and a request without a known one
// must not end the stream.
type progressIgnored struct{ stateless }

func (p progressIgnored) Clone() ProgressRequests { return p }

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
	return sws.watch.RequestProgressAll(env, sws.readProgressID(env), sws.progress.Rule())
}

// readProgressID is the id that a notification echoes, 0 if it echoes none.
func (sws *ServerWatchStream) readProgressID(env *sim.Env) int64 {
	if sws.server.opts.EchoesID {
		env.Reads(cellProgressID, sws.place)
	}
	return sws.progressID
}
