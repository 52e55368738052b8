package clientv3

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Progress requests without an id, the same every time.
var (
	progressOfLeader    = &wire.WatchProgressRequest{RequireLeader: true}
	progressOfAnyMember = &wire.WatchProgressRequest{}
)

// RequestProgress is Watcher.RequestProgress. The caller is the connection on which
// the request came.
func (c *Client) RequestProgress(env *sim.Env, caller sim.Conn, p *wire.ProgressRequest) {
	s, opened := c.stream(env, p.Metadata)
	switch {
	case opened:
		env.Cover(progressOpensStream)
	case len(s.substreams.All()) == 0:
		env.Cover(progressWithoutWatch)
	}
	reqc, loop := s.reqc.Look(env), s.loop.Look(env)
	if loop.state == streamSelecting && len(reqc) == 0 {
		env.Send(loop.conn, c.progressRequest(p))
		return
	}
	s.loop.Read(env)
	if slices.ContainsFunc(reqc, func(r request) bool { return r.watch == noWatch && r.caller == caller }) {
		env.Cover(progressCallerBlocked)
		return
	}
	env.Cover(progressWhileAsleep)
	s.reqc.Add(env, request{watch: noWatch, caller: caller, cause: env.Cause(), progress: p})
}

// progressRequest is what goes to etcd: the same every time, unless it has an
// id.
func (c *Client) progressRequest(p *wire.ProgressRequest) *wire.WatchProgressRequest {
	switch {
	case p.ID != 0:
		return &wire.WatchProgressRequest{ID: p.ID, RequireLeader: !c.cfg.LeaderNotRequired}
	case !c.cfg.LeaderNotRequired:
		return progressOfLeader
	}
	return progressOfAnyMember
}
