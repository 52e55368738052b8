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

// TestAWatchThatHasBegunKeepsNoCause: etcd is asked on behalf of a watch before it begins, and
// not afterwards.
func TestAWatchThatHasBegunKeepsNoCause(t *testing.T) {
	for _, first := range []sim.Payload{&wire.WatchEstablished{}, &wire.WatchEvent{Type: wire.Failed, Err: tooMany}} {
		c := newClients(nil)
		w := &Watch{cache: &Cache{clients: c}, begun: make(chan *wire.Error, 1), beginning: &call{cause: 7}}
		c.asking[7] = w.beginning
		require.True(t, w.begins(first))
		require.Empty(t, c.asking, "no call has the cause of a watch that has begun")
		require.Equal(t, []sim.Cause{7}, c.spare, "the next call may have it")
		require.False(t, w.begins(&wire.WatchEvent{}))
		require.Len(t, c.spare, 1, "it is released once")
	}
}
