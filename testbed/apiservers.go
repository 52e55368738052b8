package testbed

import (
	"iter"
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/client"
	"github.com/watchbed/watchbed/sim/client/clientv3"
	"github.com/watchbed/watchbed/sim/client/etcd3"
	"github.com/watchbed/watchbed/sim/compactor"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// Server is what one API server is made of. It does not change.
type Server struct {
	// Name is also that of its faults.
	Name string
	// Nodes are the options of its client library and its caches, and those of etcd.
	Nodes
	// Design is that of its caches.
	Design    *cache.Design
	Compactor compactor.Options
}

// Servers are the API servers in order: the parameters of all of them, with the settings
// of each on top.
func (p *Params) Servers() ([]Server, error) {
	n, err := p.Nodes()
	if err != nil {
		return nil, err
	}
	var all []Server
	for _, name := range p.Topology.ServerNames() {
		s, err := p.server(name)
		if err != nil {
			return nil, err
		}
		s.Etcd = n.Etcd
		all = append(all, s)
	}
	return all, nil
}

// LaterServers are the replacements of Servers, nil if there are none. They have
// no settings of their own.
func (p *Params) LaterServers() ([]Server, error) {
	if p.Faults.Replacements == 0 {
		return nil, nil
	}
	n, err := p.Nodes()
	if err != nil {
		return nil, err
	}
	later := *p
	later.Topology.ServerSettings = nil
	all, err := later.Servers()
	for i := range all {
		all[i].Etcd = n.Etcd
	}
	return all, err
}

// server is an API server by its name. Its options of etcd are those of all servers.
func (p *Params) server(name string) (Server, error) {
	s := Server{Name: name, Compactor: p.Topology.Compactor}
	own := p.Topology.SettingsOf(name)
	of := *p
	for _, x := range own {
		switch x.Name {
		case topology.DesignOfServer:
			of.Cache = x.Value
		case topology.ClientOfServer:
			of.Client = x.Value
		}
	}
	var err error
	if s.Nodes, err = of.equalNodes(); err != nil {
		return s, err
	}
	if s.Design, err = cache.FindDesign(of.Cache); err != nil {
		return s, err
	}
	o := topology.ServerOptions{Client: s.Client, Cache: s.Cache, Compactor: s.Compactor, Compacts: s.Compactors}
	for _, x := range own {
		if x.Name == topology.DesignOfServer || x.Name == topology.ClientOfServer || ignores(s.Design, x.Name, x.Value) {
			continue
		}
		if err := topology.ServerGroup.Set(&o, x.Name, x.Value); err != nil {
			return s, err
		}
	}
	s.Client, s.Cache, s.Compactor, s.Compactors = o.Client, o.Cache, o.Compactor, o.Compacts
	return s, nil
}

// apiServer is one process: a client library, a cache of each resource on top of
// it, and what compacts etcd.
type apiServer struct {
	topology.APIServer
	client *client.Client
	caches []*Cache
	// compactor is nil if this process does not compact etcd.
	compactor *compactor.Compactor
	// generations are the options of the nodes: at first, and after a replacement
	// of the process.
	generations []generation
}

// generation is what the nodes of an API server are made of.
type generation struct {
	client    client.Config
	caches    []cache.Config
	compactor compactor.Config
}

// ClientLibraries are those of the API servers, in their order.
func (s *System) ClientLibraries() []*client.Client {
	var all []*client.Client
	for _, a := range s.servers {
		all = append(all, a.client)
	}
	return all
}

// Libraries are the clientv3 of the API servers and of caches that bring one of their own, with the nodes that have
// them.
func (s *System) Libraries() iter.Seq2[sim.NodeID, *clientv3.Client] {
	return func(yield func(sim.NodeID, *clientv3.Client) bool) {
		for _, a := range s.servers {
			if !yield(a.Client, a.client.Library()) {
				return
			}
			for _, c := range a.caches {
				if own, ok := c.Node.(interface{ Library() *clientv3.Client }); ok && !yield(c.ID, own.Library()) {
					return
				}
			}
		}
	}
}

// configureServers makes the API servers.
func (s *System) configureServers() error {
	first, err := s.params.Servers()
	if err != nil {
		return err
	}
	later, err := s.params.LaterServers()
	if err != nil {
		return err
	}
	for i, nodes := range s.topology.APIServers {
		options := []*Server{&first[i]}
		if later != nil {
			options = append(options, &later[i])
		}
		server := &apiServer{APIServer: nodes}
		for _, of := range options {
			server.generations = append(server.generations, s.generation(of, &nodes))
		}
		made := &server.generations[0]
		server.client = client.New(made.client)
		for resource, id := range nodes.Caches {
			c := &Cache{ID: id, Name: s.topology.CacheName(i, resource), servers: options, config: made.caches[resource]}
			c.make()
			server.caches = append(server.caches, c)
			s.caches = append(s.caches, c)
		}
		if nodes.Compactor != 0 {
			server.compactor = compactor.New(made.compactor)
		}
		s.servers = append(s.servers, server)
	}
	return nil
}

func (s *System) generation(of *Server, nodes *topology.APIServer) generation {
	t := s.topology
	g := generation{client: s.clientConfig(of, nodes)}
	kv := t.Etcd
	switch {
	case t.ClientKV, t.Spread() && !of.Design.OwnNode():
		kv = nodes.Client
	case t.ReadsLag:
		kv = t.Watches
	}
	for resource := range nodes.Caches {
		g.caches = append(g.caches, s.cacheConfig(of, nodes, resource, kv))
	}
	g.compactor = compactor.Config{KV: kv, Watch: nodes.Client, Options: of.Compactor, Deviations: of.Compactors}
	return g
}

func (s *System) clientConfig(of *Server, nodes *topology.APIServer) client.Config {
	c := client.Config{
		Options: of.Client, Etcd: s.topology.Etcd, WatchEndpoints: s.watchEndpoints(nodes), CallsTakeTurns: s.topology.Spread(), Storage: nodes.Caches,
	}
	c.Watcher.SyncPageSize = of.Cache.ListPageSize
	return c
}

// watchEndpoints are those of an API server.
func (s *System) watchEndpoints(of *topology.APIServer) []sim.NodeID {
	return s.topology.WatchEndpoints(s.roles[of.Client].Place)
}

func (s *System) cacheConfig(of *Server, server *topology.APIServer, resource int, kv sim.NodeID) cache.Config {
	c := cache.Config{
		Options: of.Cache, Prefix: topology.Prefix(resource),
		KV: kv, Etcd: s.topology.Etcd, Storage: etcd3.Group.Expand(&of.Client.Watcher), Watch: server.Client, WatchEndpoints: s.watchEndpoints(server), CallsTakeTurns: s.topology.Spread(), Metadata: s.topology.Metadata(resource), DelegatedMetadata: s.topology.DelegatedMetadata(resource),
		Compactor: server.Compactor, Process: server.Nodes(), Endpoints: 1 + len(s.topology.OtherMembers()),
	}
	if s.topology.Spread() {
		c.Endpoints = len(c.WatchEndpoints)
	}
	if s.params.Workload.Select() || s.params.Informers.Shards.By == ByWriter {
		c.Fields = fields
	}
	c.RequestTimeout = s.params.Workload.Polling.Patience
	return c
}

// fields are those by which clients select objects.
var fields = store.Fields{
	{Name: workload.IndexedField, Value: writerOf, Indexed: true},
	{Name: workload.UnindexedField, Value: writerOf},
	{Name: workload.WriteLabel, IsLabel: true, Value: func(kv *wire.KeyValue) string { return workload.WriteOf(kv.Value) }},
}

func writerOf(kv *wire.KeyValue) string { return workload.WriterOf(kv.Value) }

func (a *apiServer) build(s *System, w *sim.World, i int) {
	made := &a.generations[0]
	a.client.Reset(made.client)
	w.Add(topology.Numbered("client", i, len(s.servers)), a.client)
	for _, c := range a.caches {
		c.build(w, s.params.Clock.Transfer)
	}
	if a.compactor != nil {
		a.compactor.Reset(made.compactor)
		w.Add(topology.Numbered("compactor", i, len(s.servers)), a.compactor)
	}
}

func (a *apiServer) WatchClients() []sim.NodeID {
	all := []sim.NodeID{a.Client}
	for _, c := range a.caches {
		if slices.ContainsFunc(c.servers, func(of *Server) bool { return of.Design.OwnNode() }) {
			all = append(all, c.ID)
		}
	}
	return all
}

// Generation implements faults.Replaceable. Its first cache counts them.
func (a *apiServer) Generation(in faults.Nodes) int { return generationOf(in.Node(a.Caches[0])) }

func (a *apiServer) Ready(in faults.Nodes) bool {
	return !slices.ContainsFunc(a.Caches, func(id sim.NodeID) bool {
		c, known := in.Node(id).(cache.Readiness)
		return known && !c.Ready()
	})
}

func (a *apiServer) Reconfigure(in faults.Nodes) {
	next := &a.generations[(a.Generation(in)+1)%len(a.generations)]
	in.Node(a.Client).(*client.Client).Reconfigure(next.client)
	for i, id := range a.Caches {
		in.Node(id).(*cache.Cache).Reconfigure(next.caches[i])
	}
	if a.Compactor != 0 {
		in.Node(a.Compactor).(*compactor.Compactor).Reconfigure(next.compactor)
	}
}

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
