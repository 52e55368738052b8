package informer

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// rest is rest.Request with its withRetry, below the Reflector: a request that a
// server refused with Retry-After is sent again after that time.
type rest struct {
	// call is the LIST under way, or the question whether the server is ready.
	call sim.Conn
	// exchange is the number of that.
	exchange int `cell:"-"`
	// request is the LIST or WATCH that is sent again if it has to be.
	request sim.Payload
	// retries is how often it was.
	retries int
}

// lostRetryAfter is how long a request waits whose connection broke before an
// answer came (retryAfterResponse).
const lostRetryAfter = time.Second

// ask sends a LIST or WATCH for the first time.
func (r *Informer) ask(env *sim.Env, req sim.Payload) {
	r.rest.Set(env, rest{request: req})
	r.send(env)
}

func (r *Informer) send(env *sim.Env) {
	to, q := r.toOf(env), r.rest.Change(env)
	r.asked++
	switch req := q.request.(type) {
	case *wire.ListRequest:
		if req.Continue == "" {
			listSent.Say(env, to, req)
		} else {
			pageSent.Say(env, to, req)
		}
		q.call, q.exchange = env.Call(to, req), r.noteRequest(env, req)
		if r.cfg.ListTimeout > 0 {
			env.Arm(timerListTimeout, r.cfg.ListTimeout)
		}
	case *wire.WatchRequest:
		watchSent.Say(env, to, req)
		r.openWatch(env, req)
	}
}

// sendAgain: the time that the server named has passed.
func (r *Informer) sendAgain(env *sim.Env) {
	r.rest.Read(env)
	env.Under(r.cause)
	r.send(env)
}

// retry waits for as long as a refusal says, and reports whether it does. Only
// 429 and 5xx are worth another try, and only if the server said when.
func (r *Informer) retry(env *sim.Env, err *wire.Error) bool {
	status := err.Code.Status()
	if err.RetryAfter == 0 || status != 429 && status < 500 {
		return false
	}
	return r.retryAfter(env, sim.Duration(err.RetryAfter)*time.Second)
}

// maxRetries is rest.Request.maxRetries.
const maxRetries = 10

func (r *Informer) retryAfter(env *sim.Env, d sim.Duration) bool {
	if r.rest.Value().retries >= maxRetries && !r.cfg.Deviations.RetriesForever {
		env.Cover(retriesExhausted)
		return false
	}
	env.Cover(retriedAfter)
	r.rest.Change(env).retries++
	env.Arm(timerRetryAfter, d)
	return true
}

// listAnswered takes the answer to a LIST of the pager or of the detector.
func (r *Informer) listAnswered(env *sim.Env, p sim.Payload) {
	q := r.rest.Change(env)
	q.call = sim.NoConn
	if r.cfg.ListTimeout > 0 {
		env.Disarm(timerListTimeout)
	}
	switch p := p.(type) {
	case *wire.ListResponse:
		r.listed(env, p)
		p = r.ofShard(env, p)
		if *r.state.Value() == stateChecking {
			r.compare(env, p)
		} else {
			r.page(env, p)
		}
		return
	case *wire.Error:
		r.refused(env, q.exchange, p)
		if r.retry(env, p) {
			return
		}
		r.listRefused(env, p)
	default:
		env.Cover(connectionLost)
		r.hangsUp(env, q.exchange, p)
		if h, ok := p.(*sim.Hangup); ok && h.Broken {
			r.move(env)
		}
		if !r.retryAfter(env, lostRetryAfter) {
			r.listRefused(env, lost)
		}
	}
}

// listTimedOut: the API server has ended the LIST. What had come of the answer is of no
// use.
func (r *Informer) listTimedOut(env *sim.Env) {
	if r.rest.Look(env).call == sim.NoConn {
		return
	}
	env.Cover(listTimedOut)
	q := r.rest.Change(env)
	env.Close(q.call)
	q.call = sim.NoConn
	r.refused(env, q.exchange, ended)
	r.listRefused(env, ended)
}

func (r *Informer) listRefused(env *sim.Env, err *wire.Error) {
	if *r.state.Value() == stateChecking {
		r.checkFailed(env)
	} else {
		r.listFailed(env, err)
	}
}

var lost = &wire.Error{Code: wire.Unavailable, Message: "connection lost"}

// ended is what client-go makes of half an answer.
var ended = &wire.Error{Code: wire.Internal, Message: "stream error: the server ended the answer"}

var readyz wire.ReadyzRequest

// awaitReady waits for the API server to be ready, as behind a load balancer
// that asks /readyz and sends no client to a server that is not ready.
func (r *Informer) awaitReady(env *sim.Env) {
	r.state.Set(env, stateAwaiting)
	q := r.rest.Change(env)
	q.call, q.exchange = env.Call(r.toOf(env), &readyz), r.noteRequest(env, &readyz)
}

// readyAnswered: the API server is ready, or its process has ended.
func (r *Informer) readyAnswered(env *sim.Env, p sim.Payload) {
	q := r.rest.Change(env)
	q.call = sim.NoConn
	if _, ready := p.(*wire.ReadyzResponse); ready {
		r.ends(env, q.exchange, Answered)
		r.begin(env)
		return
	}
	if err, refused := p.(*wire.Error); refused {
		r.refused(env, q.exchange, err)
	} else {
		r.hangsUp(env, q.exchange, p)
	}
	r.move(env)
	r.awaitReady(env)
}
