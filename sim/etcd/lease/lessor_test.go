package lease

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
)

// TestTheNextLeaderExpiresWhatHadRunOut: the revocation that a leader has proposed may be lost
// with it. The next leader does not know of it: the lease has its time again, and is found when
// that has run out (lessor.Promote).
func TestTheNextLeaderExpiresWhatHadRunOut(t *testing.T) {
	const ttl, extend = 5, time.Second
	var l Lessor
	l.Promote(0, extend)
	l.Grant(1, ttl, 0)
	l.Lookup(1).Expired = true
	require.False(t, l.Lookup(1).Queued(), "its revocation is under way")
	l.Demote()
	now := sim.Time(time.Minute)
	l.Promote(now, extend)
	require.True(t, l.Lookup(1).Queued())
	require.Equal(t, now+sim.Time(ttl*time.Second+extend), l.Lookup(1).Expiry)
}
