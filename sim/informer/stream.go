package informer

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// stream is the watch that is open: that of a WatchList first, which stays the
// same for the events that follow.
type stream struct {
	conn sim.Conn
	// began and events tell a watch that ended at once from one that worked.
	began  sim.Time
	events int
	// failed: this ListAndWatch has given up streaming.
	failed bool
}

// veryShortWatch: a watch that ended earlier, without an event, is taken for a
// failure (VeryShortWatchError).
const veryShortWatch = time.Second

// timeoutSteps is how finely a watch's timeout is chosen when timed.
const timeoutSteps = 5

func (r *Informer) openWatch(env *sim.Env, req *wire.WatchRequest) {
	s := &r.stream
	s.events = 0
	if env.Noting() {
		env.Say("asks " + env.NodeName(r.to()) + ": " + req.Label())
	}
	s.conn = env.Open(r.to())
	env.Send(s.conn, req)
	if r.timed {
		least := r.cfg.MinWatchTimeout
		env.Arm(timerWatchTimeout, least+least*sim.Duration(env.Choose(timeoutSteps+1, "watch timeout"))/timeoutSteps)
	}
}

// leave ends the stream at this end, if it is still one.
func (r *Informer) leave(env *sim.Env) {
	env.Close(r.stream.conn)
	r.stream.conn = sim.NoConn
	env.Disarm(timerWatchTimeout)
}

// watchEvent is one turn of handleAnyWatch.
func (r *Informer) watchEvent(env *sim.Env, e *wire.WatchEvent) {
	if e.Type == wire.Failed {
		r.watchFailed(env, e.Err)
		return
	}
	r.stream.events++
	if r.state == stateWatchList {
		r.collect(env, e)
	} else {
		r.take(env, e)
	}
}

// watchFailed: the server refused the watch, or ended it and said why. A first
// message that names a time to come back is a refusal below the Reflector; the
// cache answers everything but 429 on the stream.
func (r *Informer) watchFailed(env *sim.Env, err *wire.Error) {
	r.leave(env)
	if r.stream.events == 0 && err.Code == wire.TooManyRequests && r.retry(env, err) {
		return
	}
	if env.Noting() {
		env.Say("is refused the watch: " + err.Code.String())
	}
	if r.state == stateWatchList {
		r.watchListFailed(env, err)
	} else {
		r.watchEnded(env, err)
	}
}

// watchClosed: the watch ended without saying why.
func (r *Informer) watchClosed(env *sim.Env) {
	env.Disarm(timerWatchTimeout)
	short := r.stream.events == 0 && !env.Elapsed(r.stream.began, veryShortWatch)
	if short {
		env.Cover(watchVeryShort)
	}
	if r.state == stateWatchList {
		r.watchListClosed(env, short)
	} else {
		r.watchResumed(env, short)
	}
}

// timeOut: the time is up that the client gave the watch. Who is not reading
// finds out when it reads again.
func (r *Informer) timeOut(env *sim.Env) {
	env.Cover(watchTimedOut)
	r.leave(env)
	if r.state != stateChecking {
		r.watchClosed(env)
	}
}
