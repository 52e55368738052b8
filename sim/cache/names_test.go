package cache_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/cache/read"
)

// Who finds a timer that was left behind names it, and what it was for is over.
func TestWhatIsOverHasAName(t *testing.T) {
	require.Equal(t, "read 0: over", new(read.Read).String())
	require.Equal(t, "watcher 0: over", new(dispatch.Watcher).String())
}
