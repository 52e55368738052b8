package cache_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/cache/read"
)

// timers-owned names a timer that was left behind. The read or the watch that it was for is over then.
func TestWhatIsOverHasAName(t *testing.T) {
	require.Equal(t, "read 0: over", new(read.Read).String())
	require.Equal(t, "watcher 0: over", new(dispatch.Watcher).String())
}
