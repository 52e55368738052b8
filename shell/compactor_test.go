package shell_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/shell"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/wire"
)

func TestNoListAtACompactedRevision(t *testing.T) {
	design, err := cache.ForDesign("kep-4988")
	require.NoError(t, err)
	e := newEtcd()
	first := e.set(prefix+"a", "1")
	c := start(t, e, cache.Config{Options: design})
	exact := wire.ListRequest{Prefix: prefix, ResourceVersion: first, Match: wire.MatchExact}
	last := e.set(prefix+"a", "2")
	list(t, c, consistent)
	require.Equal(t, []string{"a=1"}, keysOf(list(t, c, exact).Items), "there is a snapshot of it")
	e.mu.Lock()
	e.compacted = last
	e.mu.Unlock()
	require.NoError(t, c.Compacted(last))
	require.Eventually(t, func() bool {
		_, err := c.List(t.Context(), exact)
		return err != nil
	}, 5*time.Second, time.Millisecond)
	_, err = c.List(t.Context(), exact)
	require.ErrorIs(t, err, &shell.StatusError{Code: wire.ErrCompacted})
}
