package clientv3

import (
	"slices"
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// unaryCall is one call through clientv3's unaryClientInterceptor. The zero
// value is none.
type unaryCall struct {
	state callState
	// caller is the connection to answer on. It is NoConn if the call belongs to a
	// watch of the subscriber.
	caller sim.Conn
	watch  int32
	from   sim.NodeID
	// conn is the attempt that is under way.
	conn    sim.Conn
	request sim.Payload
	cause   sim.Cause
	// attempts made so far.
	attempts int
	// nth distinguishes calls of one name that wait at the same time.
	nth int32
}

type callState uint8

const (
	callFree callState = iota
	// callUnderWay: the request was sent to etcd.
	callUnderWay
	// callBackingOff: the next attempt waits for its time.
	callBackingOff
)

func (u *unaryCall) name() string {
	name := u.request.Label()
	if u.nth > 0 {
		name += " #" + strconv.Itoa(int(u.nth)+1)
	}
	return name
}

// Invoke passes a request on to etcd. The answer goes back on the connection on
// which the request came.
func (c *Client) Invoke(env *sim.Env, caller sim.Conn, from sim.NodeID, p sim.Payload) {
	c.begin(env, unaryCall{caller: caller, watch: noWatch, from: from, request: p, cause: env.Cause()})
}

// Ask sends a request on behalf of a watch of the subscriber, which hears of the
// answer by Answered. From is the node for which the watch is.
func (c *Client) Ask(env *sim.Env, watch int32, from sim.NodeID, p sim.Payload, cause sim.Cause) {
	c.begin(env, unaryCall{watch: watch, from: from, request: p, cause: cause})
}

func (c *Client) begin(env *sim.Env, call unaryCall) {
	i := slices.IndexFunc(c.calls, func(u unaryCall) bool { return u.state == callFree })
	if i < 0 {
		i = len(c.calls)
		c.calls = append(c.calls, unaryCall{})
	}
	env.Writes(cellCalls, 0)
	c.calls[i] = call
	c.attempt(env, i)
}

func (c *Client) attempt(env *sim.Env, i int) {
	u := &c.calls[i]
	env.Writes(cellCall, i)
	u.state = callUnderWay
	u.attempts++
	env.Under(u.cause)
	u.conn = env.Call(c.unaryEndpoint(env, u.request), u.request)
}

// answered is what the interceptor does when an attempt has ended. Only reads
// are repeatable, and only while etcd is unavailable (isSafeRetryImmutableRPC): a
// write that was interrupted may have taken effect (isSafeRetryMutableRPC).
func (c *Client) answered(env *sim.Env, conn sim.Conn, p sim.Payload) {
	i := slices.IndexFunc(c.calls, func(u unaryCall) bool { return u.state == callUnderWay && u.conn == conn })
	if i < 0 {
		return
	}
	env.Reads(cellCall, i)
	env.Writes(cellCall, i)
	u := &c.calls[i]
	if e, refused := p.(*wire.Error); refused && e.Code == wire.Unavailable {
		again, answer := c.afterOutage(env, u, e)
		if again {
			callRepeated.Say(env, u.request, e.Message)
			c.backOff(env, i)
			return
		}
		if answer == e {
			callFailed.Say(env, e.Message, u.request)
		} else {
			callReworded.Say(env, e.Message, u.request, answer.Message)
		}
		p = answer
	}
	env.LooksAt(cellCalls, 0)
	call := *u
	*u = unaryCall{}
	if call.watch != noWatch {
		c.subscriber.Answered(env, call.watch, p)
		return
	}
	env.Send(call.caller, c.subscriber.DecodeAnswer(env, p))
}

// afterOutage reports whether a call is tried again after an attempt that found etcd
// unavailable, and else what its caller is answered.
func (c *Client) afterOutage(env *sim.Env, u *unaryCall, e *wire.Error) (again bool, answer *wire.Error) {
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

func (c *Client) backOff(env *sim.Env, i int) {
	u := &c.calls[i]
	u.conn, u.nth = sim.NoConn, 0
	label := u.request.Label()
	for slices.ContainsFunc(c.calls, func(o unaryCall) bool {
		return o.state == callBackingOff && o.nth == u.nth && o.request.Label() == label
	}) {
		u.nth++
	}
	u.state = callBackingOff
	env.Under(u.cause)
	env.Arm(c.retryTimer(i), c.cfg.BackoffWaitBetween)
}

func (c *Client) retryTimer(i int) sim.Timer { return sim.Timer(c.cfg.RetryTimer.Of(int32(i))) }

// CallerGone drops the call of a caller whose connection has ended. The request may
// have taken effect, or take effect later.
func (c *Client) CallerGone(env *sim.Env, caller sim.Conn) {
	i := slices.IndexFunc(c.calls, func(u unaryCall) bool { return u.state != callFree && u.caller == caller })
	if i < 0 {
		return
	}
	env.Cover(callerGone)
	c.drop(env, i)
}

// GiveUp drops the calls that belong to a watch of the subscriber.
func (c *Client) GiveUp(env *sim.Env, watch int32) {
	env.LooksAt(cellCalls, 0)
	for i := range c.calls {
		if u := &c.calls[i]; u.state != callFree && u.watch == watch {
			c.drop(env, i)
		}
	}
}

func (c *Client) drop(env *sim.Env, i int) {
	env.LooksAt(cellCalls, 0)
	env.Writes(cellCall, i)
	if c.calls[i].state == callBackingOff {
		env.Disarm(c.retryTimer(i))
	}
	env.Close(c.calls[i].conn)
	if c.cfg.KeepsCalls {
		callKept.Say(env, c.calls[i].request)
		c.calls[i].conn, c.calls[i].caller, c.calls[i].watch = sim.NoConn, sim.NoConn, noWatch
		c.calls[i].state = callUnderWay
		return
	}
	c.calls[i] = unaryCall{}
}
