package clientv3

import (
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// unaryCall is the place of a call.
type unaryCall struct {
	n    int32
	call state.Var[call] `cell:"clientv3: unary call"`
}

func (u *unaryCall) Free() bool { return u.call.Value().state == callFree }

// call is one call through clientv3's unaryClientInterceptor. The zero
// value is none.
type call struct {
	state callState
	// caller is the connection to answer on. It is NoConn if the call belongs to a
	// watch of the subscriber.
	caller sim.Conn
	watch  int32
	from   sim.NodeID
	// conn is the attempt that is under way.
	conn    sim.Conn
	request sim.Payload
	cause   sim.Cause `cell:"-"`
	// attempts made so far.
	attempts int
	// nth distinguishes calls of one name that wait at the same time.
	nth int32 `cell:"-"`
}

type callState uint8

const (
	callFree callState = iota
	// callUnderWay: the request was sent to etcd.
	callUnderWay
	// callBackingOff: the next attempt waits for its time.
	callBackingOff
)

func (u *call) name() string {
	name := u.request.Label()
	if u.nth > 0 {
		name += " #" + strconv.Itoa(int(u.nth)+1)
	}
	return name
}

// Invoke passes a request on to etcd. The answer goes back on the connection on
// which the request came.
func (c *Client) Invoke(env *sim.Env, caller sim.Conn, from sim.NodeID, p sim.Payload) {
	c.begin(env, call{caller: caller, watch: int32(noWatch), from: from, request: p, cause: env.Cause()})
}

// Ask sends a request on behalf of a watch of the subscriber, which hears of the
// answer by Answered. From is the node for which the watch is.
func (c *Client) Ask(env *sim.Env, watch int32, from sim.NodeID, p sim.Payload, cause sim.Cause) {
	c.begin(env, call{watch: watch, from: from, request: p, cause: cause})
}

func (c *Client) begin(env *sim.Env, x call) {
	u := c.calls.Free(env, func(n int) unaryCall { return unaryCall{n: int32(n)} })
	*u.call.Value() = x
	c.attempt(env, u)
}

func (c *Client) attempt(env *sim.Env, u *unaryCall) {
	x := u.call.Change(env)
	x.state = callUnderWay
	x.attempts++
	env.Under(x.cause)
	x.conn = env.Call(c.unaryEndpoint(env, x.request), x.request)
}

// callThat is the call of which something holds, nil if there is none.
func (c *Client) callThat(holds func(u *call) bool) *unaryCall {
	for _, u := range c.calls.All() {
		if x := u.call.Value(); x.state != callFree && holds(x) {
			return u
		}
	}
	return nil
}

// answered is what the interceptor does when an attempt has ended. Only reads
// are repeatable, and only while etcd is unavailable (isSafeRetryImmutableRPC): a
// write that was interrupted may have taken effect (isSafeRetryMutableRPC).
func (c *Client) answered(env *sim.Env, conn sim.Conn, p sim.Payload) {
	of := c.callThat(func(u *call) bool { return u.state == callUnderWay && u.conn == conn })
	if of == nil {
		return
	}
	of.call.Read(env)
	u := of.call.Change(env)
	if e, refused := p.(*wire.Error); refused && e.Code == wire.Unavailable {
		again, answer := c.afterOutage(env, u, e)
		if again {
			callRepeated.Say(env, u.request, e.Message)
			c.backOff(env, of)
			return
		}
		if answer == e {
			callFailed.Say(env, e.Message, u.request)
		} else {
			callReworded.Say(env, e.Message, u.request, answer.Message)
		}
		p = answer
	}
	watch, caller := u.watch, u.caller
	c.calls.Forget(env, of)
	if watch != int32(noWatch) {
		c.subscriber.Answered(env, watch, p)
		return
	}
	env.Send(caller, c.subscriber.DecodeAnswer(env, p))
}

// afterOutage reports whether a call is tried again after an attempt that found etcd
// unavailable, and else what its caller is answered.
func (c *Client) afterOutage(env *sim.Env, u *call, e *wire.Error) (again bool, answer *wire.Error) {
	if !isRepeatable(u.request) {
		env.Cover(writeUnknown)
		if c.cfg.UnknownWrite == WriteRefused && strings.HasSuffix(e.Message, "leader failure") {
			e = &wire.Error{Code: wire.TooManyRequests, Message: "the write is refused"}
		}
		return c.cfg.UnknownWrite == WriteRepeated, e
	}
	givesUp := c.cfg.GivesUpReads && strings.HasPrefix(e.Message, "etcdserver: ")
	if u.attempts < c.cfg.MaxUnaryRetries && !givesUp {
		env.Cover(readRetried)
		return true, nil
	}
	env.Cover(readGivenUp)
	return false, e
}

// isRepeatable reports whether a request only reads.
func isRepeatable(p sim.Payload) bool {
	switch p.(type) {
	case *wire.RangeRequest, *wire.StatusRequest:
		return true
	}
	return false
}

func (c *Client) backOff(env *sim.Env, of *unaryCall) {
	u := of.call.Value()
	u.conn, u.nth = sim.NoConn, 0
	label := u.request.Label()
	for c.callThat(func(o *call) bool { return o.state == callBackingOff && o.nth == u.nth && o.request.Label() == label }) != nil {
		u.nth++
	}
	u.state = callBackingOff
	env.Under(u.cause)
	env.Arm(c.retryTimer(of), c.cfg.BackoffWaitBetween)
}

func (c *Client) retryTimer(u *unaryCall) sim.Timer { return sim.Timer(c.cfg.RetryTimer.Of(u.n)) }

// CallerGone drops the call of a caller whose connection has ended. The request may
// have taken effect, or take effect later.
func (c *Client) CallerGone(env *sim.Env, caller sim.Conn) {
	if u := c.callThat(func(u *call) bool { return u.caller == caller }); u != nil {
		env.Cover(callerGone)
		c.drop(env, u)
	}
}

// GiveUp drops the calls that belong to a watch of the subscriber.
func (c *Client) GiveUp(env *sim.Env, watch int32) {
	for _, u := range c.calls.Look(env) {
		if !u.Free() && u.call.Value().watch == watch {
			c.drop(env, u)
		}
	}
}

func (c *Client) drop(env *sim.Env, of *unaryCall) {
	u := of.call.Change(env)
	if u.state == callBackingOff {
		env.Disarm(c.retryTimer(of))
	}
	env.Close(u.conn)
	if !c.cfg.KeepsCalls {
		c.calls.Forget(env, of)
		return
	}
	callKept.Say(env, u.request)
	u.state, u.conn, u.caller, u.watch = callUnderWay, sim.NoConn, sim.NoConn, int32(noWatch)
}

// GetStream is kv.GetStream: a Range whose answer comes in chunks, each of which the subscriber
// is handed as Streamed. It is tried once, whatever it ends with: the interceptor of unary calls
// repeats Ranges, that of streams does not. The caller stops a stream by closing it.
func (c *Client) GetStream(env *sim.Env, p *wire.RangeRequest, cause sim.Cause) sim.Conn {
	env.Under(cause)
	conn := env.Open(c.unaryEndpoint(env, p))
	env.Send(conn, &wire.RangeStreamRequest{Range: p})
	return conn
}

// streamHangup hands on how a stream ended: in order, which closes the channel, or not.
func (c *Client) streamHangup(env *sim.Env, conn sim.Conn, h *sim.Hangup) bool {
	if h.Broken {
		return c.subscriber.Streamed(env, conn, errInterrupted)
	}
	return c.subscriber.Streamed(env, conn, h)
}

// Outage is the time between a break of a watch stream and its next opening, in a timed
// run. Properties judge how long it is; the client library does not read it, so it is
// part of no cell.
type Outage struct {
	// Breaks is how often the stream had broken by then, this time included.
	Breaks          int
	Broke, Reopened sim.Time
	// Over is false if the stream was not opened again: its last watch was closed, or the
	// process ended.
	Over bool
}

// broke notes that a stream has broken.
func (s *Stream) broke(env *sim.Env) {
	if env.Mode() != sim.Timed {
		return
	}
	l := s.loop.Value()
	l.breaks++
	l.outage = len(s.c.outages)
	s.c.outages = append(s.c.outages, Outage{Breaks: l.breaks, Broke: env.Now()})
}

// reopened notes that a stream is opened again.
func (s *Stream) reopened(env *sim.Env) {
	if env.Mode() == sim.Timed {
		o := &s.c.outages[s.loop.Value().outage]
		o.Reopened, o.Over = env.Now(), true
	}
}

// Outages are those of all streams since the run began, in the order of their breaks.
// They must not be changed.
func (c *Client) Outages() []Outage { return c.outages }
