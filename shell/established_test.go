package shell_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/shell"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/wire"
)

// fromNow is a watch whose beginning is etcd's revision, which the cache has to ask for.
var fromNow = wire.WatchRequest{
	Prefix: prefix, ResourceVersion: wire.Unset, Match: wire.MatchNotOlderThan, SendInitialEvents: wire.SendInitialEventsFalse,
}

func TestNoWriteAfterWatchHasReturnedIsLost(t *testing.T) {
	for _, served := range []dispatch.Delegation{0, dispatch.DelegateWatches} {
		e := newEtcd()
		e.set(prefix+"a", "0")
		c := start(t, e, cache.Config{Options: cache.Options{Watches: dispatch.Options{Delegation: served}}})
		for i := range 50 {
			w, err := c.Watch(t.Context(), fromNow)
			require.NoError(t, err)
			written := e.set(prefix+"a", fmt.Sprint(i))
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			got, err := w.Next(ctx)
			cancel()
			require.NoError(t, err, "watch %d, written at %d", i, written)
			require.Equal(t, written, got.ResourceVersion)
			w.Stop()
		}
	}
}

// What an API server refuses with a status of its own is an error of Watch; what it finds out
// later is one of Next (TestWatchTooOld).
func TestWatchFailsLikeARequest(t *testing.T) {
	e := newEtcd()
	e.set(prefix+"a", "0")
	c := start(t, e, cache.Config{})
	_, err := c.Watch(t.Context(), wire.WatchRequest{Prefix: prefix, ResourceVersion: -2})
	require.ErrorIs(t, err, &shell.StatusError{Code: wire.BadRequest})

	e.hang(true)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = c.Watch(ctx, fromNow)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}
