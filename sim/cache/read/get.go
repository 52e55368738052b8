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
	case req.ResourceVersion == wire.Unset || d.freshness.Bypasses:
		env.Cover(getDelegated)
		r.AskEtcd(env, wire.FromEtcd)
	case !d.cfg.Ready.IsSet(env):
		env.Cover(getDelegatedUnready)
		r.AskEtcd(env, wire.FromEtcd)
	default:
		r.WaitUntilFresh(env, req.ResourceVersion)
	}
}

func (r *Read) serveGet(env *sim.Env) {
	d := r.d
	if env.Noting() {
		env.Note(r.answering(d.cfg.Store.Version(), 0))
	}
	r.finish(env, d.responses.get(r.object(env, r.get.Key), d.cfg.Store.ResourceVersion(env), wire.FromCache))
}

// object is that of a key as it is now, nil if there is none.
func (r *Read) object(env *sim.Env, key string) *wire.KeyValue {
	d := r.d
	d.key.Key = key
	return d.cfg.Store.Get(env, &d.key)
}
