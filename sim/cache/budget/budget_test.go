package budget_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/budget"
)

func TestTimeBudget(t *testing.T) {
	b := budget.New(0)
	at := func(d time.Duration) sim.Time { return sim.Time(d) }
	require.Equal(t, 50*time.Millisecond, b.TakeAvailable(at(time.Second)))
	require.Equal(t, 100*time.Millisecond, b.TakeAvailable(at(10*time.Second)), "100 ms at most")
	b.ReturnUnused(70 * time.Millisecond)
	require.Equal(t, 95*time.Millisecond, b.TakeAvailable(at(10500*time.Millisecond)))
	require.Zero(t, b.TakeAvailable(at(10500*time.Millisecond)), "what was taken is gone")
	b.ReturnUnused(70 * time.Millisecond)
	b.ReturnUnused(70 * time.Millisecond)
	b.ReturnUnused(-time.Second)
	require.Equal(t, 100*time.Millisecond, b.TakeAvailable(at(10500*time.Millisecond)))
}
