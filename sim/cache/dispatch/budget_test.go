package dispatch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
)

func TestTimeBudget(t *testing.T) {
	var b timeBudget
	at := func(d time.Duration) sim.Time { return sim.Time(d) }
	require.Equal(t, 50*time.Millisecond, b.takeAvailable(at(time.Second)))
	require.Equal(t, 100*time.Millisecond, b.takeAvailable(at(10*time.Second)), "100 ms at most")
	b.returnUnused(70 * time.Millisecond)
	require.Equal(t, 95*time.Millisecond, b.takeAvailable(at(10500*time.Millisecond)))
	require.Zero(t, b.takeAvailable(at(10500*time.Millisecond)), "what was taken is gone")
	b.returnUnused(70 * time.Millisecond)
	b.returnUnused(70 * time.Millisecond)
	b.returnUnused(-time.Second)
	require.Equal(t, 100*time.Millisecond, b.takeAvailable(at(10500*time.Millisecond)))
}
