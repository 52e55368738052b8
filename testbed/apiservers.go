package testbed

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/client"
	"github.com/watchbed/watchbed/sim/compactor"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// apiServer is one process: a client library, a cache of each resource on top of
// it, and what compacts etcd.
type apiServer struct {
	topology.APIServer
	client       *client.Client
	clientConfig client.Config
	caches       []*Cache
	// compactor is nil if this process does not compact etcd.
	compactor       *compactor.Compactor
	compactorConfig compactor.Config
}

// configureServers makes the API servers.
func (s *System) configureServers() {
	for i, nodes := range s.topology.APIServers {
		server := &apiServer{APIServer: nodes}
		server.clientConfig = s.clientConfig()
		server.client = client.New(server.clientConfig)
		kv := s.topology.Etcd
		if s.topology.ClientKV {
			kv = nodes.Client
		}
		for resource, id := range nodes.Caches {
			c := &Cache{ID: id, Name: s.topology.CacheName(i, resource), design: s.design, config: s.cacheConfig(&nodes, resource, kv)}
			c.make()
			server.caches = append(server.caches, c)
			s.caches = append(s.caches, c)
		}
		if nodes.Compactor != 0 {
			server.compactorConfig = compactor.Config{KV: kv, Watch: nodes.Client, Options: s.topology.Compactor}
			server.compactor = compactor.New(server.compactorConfig)
		}
		s.servers = append(s.servers, server)
	}
}

func (s *System) clientConfig() client.Config {
	c := client.Config{Options: s.nodes.Client, Etcd: s.topology.Etcd}
	if s.topology.Lagging {
		c.WatchMember = s.topology.Watches
	}
	c.Watcher.SyncPageSize = s.nodes.Cache.ListPageSize
	return c
}

func (s *System) cacheConfig(server *topology.APIServer, resource int, kv sim.NodeID) cache.Config {
	c := cache.Config{
		Options: s.nodes.Cache, Prefix: topology.Prefix(resource),
		KV: kv, Watch: server.Client, Metadata: s.topology.Metadata(resource),
		Compactor: server.Compactor, Process: server.Nodes(), Endpoints: 1 + len(s.topology.OtherMembers()),
	}
	if s.params.Workload.Drawn.Selectors {
		c.Fields = fields
	}
	c.RequestTimeout = s.params.Workload.Polling.Patience
	return c
}

// fields are those by which clients select objects.
var fields = store.Fields{
	{Name: workload.IndexedField, Value: writerOf, Indexed: true},
	{Name: workload.UnindexedField, Value: writerOf},
}

func writerOf(kv *wire.KeyValue) string { return workload.WriterOf(kv.Value) }

func (a *apiServer) build(s *System, w *sim.World, i int) {
	a.client.Reset(a.clientConfig)
	w.Add(topology.Numbered("client", i, len(s.servers)), a.client)
	for _, c := range a.caches {
		c.build(w)
	}
	if a.compactor != nil {
		a.compactor.Reset(a.compactorConfig)
		w.Add(topology.Numbered("compactor", i, len(s.servers)), a.compactor)
	}
}
