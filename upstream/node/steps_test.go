package node_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/check"
	"github.com/watchbed/watchbed/sim/wire"

	"github.com/watchbed/watchbed/upstream/engine"
	"github.com/watchbed/watchbed/upstream/guests"
	"github.com/watchbed/watchbed/upstream/protocol"
)

const theTimer = "next timer of the guest"

// timerIn is a guest whose next timer is due at a time of its clock, none at 0.
func timerIn(until time.Duration) func(*scripted, engine.Host, uint32, *protocol.Reader) {
	return func(g *scripted, _ engine.Host, _ uint32, _ *protocol.Reader) { g.until = int64(until) }
}

// Without a clock a timer fires when the schedule says so, and the guest takes its time to have come.
func TestTimerOfTheGuestMovesItsClockWithoutAClock(t *testing.T) {
	b := newBed(t, sim.Untimed, guests.Schedule{}, script{protocol.Start: timerIn(5 * time.Second), protocol.Readyz: timerIn(0)})
	require.Zero(t, b.guest.clock)
	b.step(theTimer)
	require.EqualValues(t, 5*time.Second, b.guest.clock)
	b.ask(&wire.ReadyzRequest{})
	require.EqualValues(t, 5*time.Second, b.guest.clock, "a message moves no clock")
	for _, name := range b.names() {
		require.NotContains(t, name, theTimer, "the guest has none any more")
	}
}

func TestClockOfTheGuestIsThatOfTheWorld(t *testing.T) {
	b := newBed(t, sim.Timed, guests.Schedule{}, script{protocol.Start: timerIn(5 * time.Second)})
	due := func() sim.Time {
		for _, a := range b.w.Enabled() {
			if a.Kind == sim.Fire {
				return b.w.Due(a)
			}
		}
		require.Fail(t, "no timer")
		return 0
	}
	require.Equal(t, sim.Time(5*time.Second), due())
	b.w.AdvanceTo(sim.Time(2 * time.Second))
	b.ask(&wire.ReadyzRequest{})
	require.GreaterOrEqual(t, b.guest.clock, int64(2*time.Second))
	require.Less(t, b.guest.clock, int64(5*time.Second))
	require.Equal(t, sim.Time(5*time.Second), due(), "a message does not put the timer off")
	b.guest.until = int64(6 * time.Second)
	b.ask(&wire.ReadyzRequest{})
	require.Equal(t, sim.Time(6*time.Second), due(), "the guest has another one now")
}

// The comparisons of a process that crashed stay, and the one under way came to nothing. Places that the guest tells
// count from the start of its process.
func TestComparisonsOutliveTheProcess(t *testing.T) {
	b := newBed(t, sim.Untimed, guests.Schedule{}, nil)
	shows := func(from int64, comparisons ...comparison) {
		b.guest.shown = shows(0, from, comparisons...)
		b.ask(&wire.ReadyzRequest{})
	}
	outcomes := func() (all []check.Outcome) {
		for _, d := range b.node.Detections() {
			require.Equal(t, check.ConsistencyCheck, d.By)
			require.Equal(t, "/registry/pods/", d.Prefix)
			all = append(all, d.Outcome)
		}
		return all
	}
	shows(0, comparison{5, protocol.Pending})
	require.Equal(t, []check.Outcome{check.Pending}, outcomes())
	shows(0, comparison{5, protocol.Consistent}, comparison{6, protocol.Pending})
	require.Equal(t, []check.Outcome{check.Consistent, check.Pending}, outcomes())
	b.step("restart cache")
	require.Equal(t, []check.Outcome{check.Consistent, check.Error}, outcomes())
	shows(0, comparison{9, protocol.Inconsistent}, comparison{10, protocol.Pending})
	shows(1, comparison{10, protocol.CheckFailed})
	require.Equal(t, []check.Outcome{check.Consistent, check.Error, check.Inconsistent, check.Error}, outcomes())
	require.EqualValues(t, 9, b.node.Detections()[2].ResourceVersion)
}

func TestGuestThatSaysWhatNoneSaysPanics(t *testing.T) {
	babbles := func(_ *scripted, h engine.Host, conn uint32, _ *protocol.Reader) {
		h.Send(message(protocol.Kind(255), conn).Bytes)
	}
	b := newBed(t, sim.Untimed, guests.Schedule{}, script{protocol.Readyz: babbles})
	require.PanicsWithValue(t, "node: the guest sent a message of kind 255", func() { b.ask(&wire.ReadyzRequest{}) })
}
