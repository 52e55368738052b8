package clientv3

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

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
