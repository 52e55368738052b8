package clusterbed

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// scripted is a member that answers each watch in the same way.
type scripted struct {
	sim.Idle
	responses []*wire.WatchResponse
}

func (m *scripted) Receive(env *sim.Env, r *sim.Message) {
	if _, creates := r.Payload.(*wire.WatchCreateRequest); creates {
		for _, p := range m.responses {
			env.Send(r.Conn, p)
		}
	}
}

// TestProgressBeforeCreated: a watcher takes progress for its watch once the watch is created, as clientv3 does.
func TestProgressBeforeCreated(t *testing.T) {
	w := sim.NewWorld(sim.Options{Mode: sim.Timed})
	progress := &wire.WatchResponse{WatchID: -1, Revision: 4}
	w.Add(memberName(0), &scripted{responses: []*wire.WatchResponse{progress, {Revision: 3, Created: true}, progress}})
	c := new(watcher)
	c.reset(watcherName(0), 0, 0, 0, 1, 0)
	w.Add(c.name, c)
	by := strategy.Random().New(strategy.Profile{})
	by.Begin(0)
	w.Start(by)
	for w.Now() < sim.Time(time.Second) && w.Step(by) {
	}
	require.Len(t, c.streams, 1)
	require.Len(t, c.streams[0].Responses, 2)
	require.True(t, c.streams[0].Responses[0].Created)
	require.EqualValues(t, 4, c.streams[0].Responses[1].Revision)
	require.EqualValues(t, 5, c.next)
}
