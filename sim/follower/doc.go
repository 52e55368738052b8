// Package follower is a cache in its simplest form, to build another design on:
// it lists its prefix once, watches from there on, and keeps the objects. The
// design decides how a LIST is answered:
//
//	cache.RegisterDesign(cache.Design{
//		Preset: option.Preset{Name: "naive", Doc: "answers every LIST at once"},
//		New: func(c cache.Config) sim.Node {
//			return follower.New(c, func(f *follower.Follower, _ *sim.Env, l *wire.ListRequest) sim.Payload {
//				return f.Contents(l.Prefix)
//			})
//		},
//	})
//
// After a watch breaks, the follower watches from the last event on. If etcd has
// compacted that history, it lists again. It passes a GET on to etcd. Clients
// cannot watch a follower: their watch is refused. A design that needs more is a
// sim.Node of its own, as sim/cache is.
//
// The function must keep nothing between two calls: what it captures is in no state. A design that keeps
// something is a type that embeds *Follower, with fields, and with methods of its own where the promoted ones leave
// out these fields:
//
//	Clone        a copy of the type itself, with Follower.Clone() in it and copies of what its fields point to
//	Fingerprint  Follower.Fingerprint(d) and then each field on which depends what the node does. States with
//	             the same fingerprint are searched once.
//	Conns        if the type holds connections: Follower.Conns(visit), and then these in a fixed order
//	Restart      sets the fields back, and calls Follower.Restart
//
// The search over states refuses a wrapper of which Clone, Fingerprint, Behaviour or Cells is promoted, and the search
// of schedules one without a Clone of its own; to the latter all steps of a wrapper conflict. The former takes the same
// steps out of states that it found twice, for a sample, and ends with an error if they lead to different ones.
//
// The package imports sim, sim/cache (for its Config) and sim/wire. It must never
// import a simulated etcd or its client.
package follower
