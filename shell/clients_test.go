package shell

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// TestRequestsAboveTheConnectionLimitFail: a request above the limit does not
// reach the world.
func TestRequestsAboveTheConnectionLimitFail(t *testing.T) {
	c := newClients(nil)
	for i := range maxOpen {
		c.calls[sim.Conn(i)] = nil
	}
	k := &call{answer: make(chan sim.Payload, 1)}
	c.ask(nil, k)
	refused := statusError((<-k.answer).(*wire.Error))
	require.Equal(t, 429, refused.HTTPStatus())
	require.NotZero(t, refused.RetryAfter)

	w := &Watch{begun: make(chan *wire.Error, 1)}
	c.watch(nil, w, &wire.WatchRequest{})
	require.Equal(t, wire.TooManyRequests, (<-w.begun).Code)
}
