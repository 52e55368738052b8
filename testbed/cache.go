package testbed

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
)

// Cache is a cache of a system: a node of the design under test. What else the node
// can do is in the fields below; each is nil if it cannot.
type Cache struct {
	ID   sim.NodeID
	Name string
	// Node is the one of this run.
	Node sim.Node
	// Mirror shows the contents, Remembering its past states, Compacting the compaction
	// below which no past state is served, Detecting what came of comparisons with etcd,
	// Trusting whether reads rely on etcd's progress, Waiting how many of them wait, Timed
	// what its timers are for.
	Mirror      cache.Mirror
	Remembering cache.Remembering
	Compacting  cache.Compacting
	Detecting   cache.Detecting
	Trusting    cache.Trusting
	Waiting     cache.Waiting
	Timed       cache.Timed

	resetter  cache.Resetter
	readiness cache.Readiness
	hiding    cache.Hiding
	// servers are what its API server is made of, generation by generation.
	servers []*Server
	config  cache.Config
}

// Caches are those of the first API server, then those of the second, and so on.
func (s *System) Caches() []*Cache { return s.caches }

// Cache is the cache of a node, nil if it is none.
func (s *System) Cache(id sim.NodeID) *Cache {
	if role := s.roles[id]; role.Part == CacheNode {
		return s.caches[role.Place]
	}
	return nil
}

// Prefix is that of the keys which the cache holds.
func (c *Cache) Prefix() string { return c.config.Prefix }

// Ready reports whether the cache serves. One that cannot say so always does.
func (c *Cache) Ready() bool { return c.readiness == nil || c.readiness.Ready() }

// Hidden reports whether what the node shows is out of date (cache.Hiding).
func (c *Cache) Hidden() bool { return c.hiding != nil && c.hiding.Hidden() }

// Server is what its API server is made of at present.
func (c *Cache) Server() *Server {
	if len(c.servers) == 1 {
		return c.servers[0]
	}
	return c.servers[generationOf(c.Node)%len(c.servers)]
}

// Servers are what its API server may be made of in the run: at first, and if it is
// replaced after that.
func (c *Cache) Servers() []*Server { return c.servers }

// generationOf is how often the process of a cache was replaced. Only a cache.Cache can
// be.
func generationOf(n sim.Node) int {
	if c, ok := n.(*cache.Cache); ok {
		return c.Generation()
	}
	return 0
}

// make makes the node.
func (c *Cache) make() {
	c.use(c.Server().Design.New(c.config))
}

// use has the cache be this node.
func (c *Cache) use(n sim.Node) {
	c.Node = n
	c.Mirror, _ = c.Node.(cache.Mirror)
	c.Remembering, _ = c.Node.(cache.Remembering)
	c.Compacting, _ = c.Node.(cache.Compacting)
	c.Detecting, _ = c.Node.(cache.Detecting)
	c.Trusting, _ = c.Node.(cache.Trusting)
	c.Waiting, _ = c.Node.(cache.Waiting)
	c.Timed, _ = c.Node.(cache.Timed)
	c.hiding, _ = c.Node.(cache.Hiding)
	c.resetter, _ = c.Node.(cache.Resetter)
	c.readiness, _ = c.Node.(cache.Readiness)
}

// build puts the node into the world of a run. One that cannot be used again is
// made anew.
func (c *Cache) build(w *sim.World, transfer sim.Duration) {
	if c.resetter != nil {
		c.resetter.Reset(c.config)
	} else {
		c.make()
	}
	w.Pace(w.Add(c.Name, c.Node), transfer)
}
