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
// The package imports sim, sim/cache (for its Config) and sim/wire. It must never
// import a simulated etcd or its client.
package follower
