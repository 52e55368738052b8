package native

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestNextIsTheFirstTimer: what is read out of the runtime is when the clock goes on to.
func TestNextIsTheFirstTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubble()
		next := func() int64 {
			synctest.Wait()
			first, err := b.next()
			require.NoError(t, err)
			return first
		}
		require.Zero(t, next())
		stop := time.AfterFunc(time.Hour, func() {})
		require.Equal(t, int64(time.Hour), next())
		woken := false
		go func() {
			time.Sleep(time.Minute)
			woken = true
		}()
		require.Equal(t, int64(time.Minute), next())
		b.advance(int64(time.Minute) - 1)
		require.False(t, woken)
		b.advance(int64(time.Minute))
		synctest.Wait()
		require.True(t, woken)
		require.Equal(t, int64(time.Hour), next())
		stop.Stop()
	})
}
