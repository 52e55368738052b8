package moments

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/testbed"
)

// TestNothingIsKnownOfAHiddenCache: of a cache that was hidden while a client waited nothing is known, neither that it was ready and trusted etcd all
// the time nor the opposite.
func TestNothingIsKnownOfAHiddenCache(t *testing.T) {
	const asked, hidden, answered = 5, 7, 9
	shown := &testbed.Cache{}
	of := cacheRecord{ready: true, trusts: true}
	call := &Call{}

	of.hidden = true
	of.now(&call.Asked.Cache, asked, shown)
	call.Asked.Step = asked
	of.now(&call.Answered.Cache, hidden, shown)
	require.False(t, call.WasReady(), "it is hidden when it answers")

	of.look(nil, hidden+1, shown, 0)
	of.now(&call.Answered.Cache, answered, shown)
	require.False(t, call.WasReady(), "it was hidden in between")
	require.False(t, call.WasCurrent())
	require.False(t, call.TrustedEtcd())
	require.False(t, call.DistrustedEtcd())

	call.Asked.Step = hidden + 1
	require.True(t, call.WasReady(), "it has been shown since it was asked")
	require.True(t, call.TrustedEtcd())
}
