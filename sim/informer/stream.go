package informer

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// stream is the watch that is open. The stream of a WatchList goes on with the
// events that follow.
type stream struct {
	conn sim.Conn
	// exchange is the number of its request.
	exchange int `cell:"-"`
	// began and heard distinguish a watch that ended at once, without an event, from others.
	began sim.Time
	heard bool
	// failed: this ListAndWatch has given up streaming.
	failed bool
}

// veryShortWatch: a watch that ends earlier, without an event, counts as a failure
// (VeryShortWatchError).
const veryShortWatch = time.Second

// timeoutSteps is how finely a watch's timeout is chosen when timed.
const timeoutSteps = 5

func (r *Informer) openWatch(env *sim.Env, req *wire.WatchRequest) {
	s := r.stream.Change(env)
	s.heard = false
	s.conn, s.exchange = env.Open(r.to()), r.noteRequest(env, req)
	env.Send(s.conn, req)
	if r.timed {
		d := r.cfg.MinWatchTimeout
		env.Arm(timerWatchTimeout, d+d*sim.Duration(env.Choose(timeoutSteps+1, "watch timeout"))/timeoutSteps)
	}
}

// Conn is the connection of the watch that is open, sim.NoConn if none is.
func (r *Informer) Conn() sim.Conn { return r.stream.Value().conn }

// leave ends the stream at this end, if it is still open.
func (r *Informer) leave(env *sim.Env) {
	s := r.stream.Change(env)
	if s.conn != sim.NoConn {
		r.ends(env, s.exchange, Left)
	}
	env.Close(s.conn)
	s.conn = sim.NoConn
	env.Disarm(timerWatchTimeout)
}

// watchEvent is one turn of handleAnyWatch.
func (r *Informer) watchEvent(env *sim.Env, e *wire.WatchEvent) {
	if e.Type == wire.Failed {
		r.watchFailed(env, e.Err)
		return
	}
	if !r.passes(env, e) {
		return
	}
	r.watched(e)
	if !r.stream.Value().heard {
		r.stream.Change(env).heard = true
	}
	if *r.state.Value() == stateWatchList {
		r.collect(env, e)
	} else {
		r.take(env, e)
	}
}

// watchFailed: the server refused the watch, or ended it with an error. A 429 with
// Retry-After as the first message is a refusal below the Reflector. The cache
// answers everything else on the stream.
func (r *Informer) watchFailed(env *sim.Env, err *wire.Error) {
	r.refused(env, r.stream.Value().exchange, err)
	r.leave(env)
	if !r.stream.Value().heard && err.Code == wire.TooManyRequests && r.retry(env, err) {
		return
	}
	watchRefused.Say(env, err.Code)
	if *r.state.Value() == stateWatchList {
		r.watchListFailed(env, err)
	} else {
		r.watchEnded(env, err)
	}
}

// watchClosed: the watch ended without an error.
func (r *Informer) watchClosed(env *sim.Env) {
	at, s := *r.state.Look(env), r.stream.Value()
	env.Disarm(timerWatchTimeout)
	short := !s.heard && !env.Elapsed(s.began, veryShortWatch)
	if short {
		env.Cover(watchVeryShort)
		r.stream.Read(env)
	}
	r.stream.Change(env)
	if at == stateWatchList {
		r.watchListClosed(env, short)
	} else {
		r.watchResumed(env, short)
	}
}

// timeOut: the watch has lasted as long as the client wanted. During a consistency
// check the Reflector does not read, and finds out later.
func (r *Informer) timeOut(env *sim.Env) {
	at := *r.state.Look(env)
	env.Cover(watchTimedOut)
	r.leave(env)
	if at != stateChecking {
		r.watchClosed(env)
	}
}
