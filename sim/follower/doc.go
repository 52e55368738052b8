// Package follower is a cache in its simplest form, for a design of one's own: it
// lists its prefix once, watches from there on, and keeps what it is told. How a
// LIST is answered is the design's to say:
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
// A watch that breaks goes on behind the last event. One whose history etcd has
// compacted makes the follower list again. A GET is etcd's to answer. Clients
// cannot watch a follower: their watch is refused. A design that needs more is a
// sim.Node of its own, as sim/cache is.
//
// The package imports sim, sim/cache (for its Config) and sim/wire. It must never
// import a simulated etcd or its client.
package follower
