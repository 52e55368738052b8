package read

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Get is CacheDelegator.Get. A GET that gives no resourceVersion is etcd's in
// every design.
func (d *Delegator) Get(env *sim.Env, m *sim.Message, req *wire.GetRequest) {
	if refused := d.resource().ValidateGet(req); refused != nil {
		env.Cover(getInvalid)
		env.Send(m.Conn, refused)
		return
	}
	r := d.newRead(env)
	r.conn, r.from, r.cause = m.Conn, m.From, m.Cause
	r.get = req
	switch {
	case req.ResourceVersion == wire.Unset || d.rules.freshness.Bypasses():
		env.Cover(getDelegated)
		r.AskEtcd(env, wire.FromEtcd)
	case !d.cfg.Surroundings.Ready(env):
		env.Cover(getDelegatedUnready)
		r.AskEtcd(env, wire.FromEtcd)
	default:
		r.WaitUntilFresh(env, req.ResourceVersion)
	}
}
