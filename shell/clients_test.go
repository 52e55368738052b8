package shell

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// There are only so many numbers for connections: who comes when they are used
// up is told so, and the world does not hear of it.
func TestTooManyAtATime(t *testing.T) {
	c := newClients(nil)
	for i := range mostOpen {
		c.calls[sim.Conn(i)] = nil
	}
	k := &call{answer: make(chan sim.Payload, 1)}
	c.ask(nil, k)
	refused := statusError((<-k.answer).(*wire.Error))
	require.Equal(t, 429, refused.HTTPStatus())
	require.NotZero(t, refused.RetryAfter)

	w := &Watch{events: make(chan *wire.WatchEvent, 1)}
	c.watch(nil, w, &wire.WatchRequest{})
	require.Equal(t, wire.TooManyRequests, (<-w.events).Err.Code)
	_, open := <-w.events
	require.False(t, open)
}
