package cache_test

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// slowFollower watches in all ways that there are. At times it takes nothing for a
// while, and then goes on or leaves.
type slowFollower struct{ follower }

func (f *slowFollower) Run(env *sim.Env, _ sim.Task) {
	env.Write(cellClient, 0)
	f.conn = env.Open(f.to)
	f.streams = append(f.streams, stream{from: f.position})
	req := &wire.WatchRequest{Prefix: prefix, ResourceVersion: f.position, AllowBookmarks: env.Choose(4, "without bookmarks") > 0}
	switch env.Choose(5, "how to watch") {
	case 0:
		req.ResourceVersion = wire.Unset
	case 1, 2:
		req.SendInitialEvents, req.Match = wire.SendInitialEventsTrue, wire.MatchNotOlderThan
		req.ResourceVersion = [...]int64{wire.Unset, 0, f.position, f.position + 2}[env.Choose(4, "from where")]
	case 3:
		req.SendInitialEvents, req.Match = wire.SendInitialEventsFalse, wire.MatchNotOlderThan
		req.ResourceVersion = [...]int64{wire.Unset, 0, f.position}[env.Choose(3, "from where")]
	}
	if env.Choose(4, "with a deadline") == 0 {
		req.TimeoutSeconds = 1
	}
	env.Send(f.conn, req)
	if env.Choose(3, "slow") == 0 {
		env.Hold(f.conn)
		env.Arm(0, 0)
	}
}

func (f *slowFollower) Receive(env *sim.Env, m *sim.Message) {
	env.Write(cellClient, 0)
	f.follower.Receive(env, m)
}

func (f *slowFollower) Fire(env *sim.Env, _ sim.Timer) {
	env.Write(cellClient, 0)
	if env.Choose(3, "leave") > 0 {
		env.Release(f.conn)
		return
	}
	env.Close(f.conn)
	if f.left--; f.left > 0 {
		env.Enable(0)
	}
}

func (f *slowFollower) TimerName(sim.Timer) string { return "go on" }

func (f *slowFollower) Clone() sim.Node { return &slowFollower{*f.follower.Clone().(*follower)} }
