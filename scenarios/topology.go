package scenarios

import (
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/sim"
)

// apiServer is one process: a client library, and a cache of each resource on
// top of it.
type apiServer struct {
	client sim.NodeID
	caches []sim.NodeID
	// compactor is who compacts etcd, 0 for nobody.
	compactor sim.NodeID
}

// nodes are what goes down with the process, in the order in which it starts
// them again.
func (a *apiServer) nodes() []sim.NodeID {
	all := append([]sim.NodeID{a.client}, a.caches...)
	if a.compactor != 0 {
		all = append(all, a.compactor)
	}
	return all
}

// place numbers the nodes, in the order in which Build adds them.
func (s *System) place() {
	next := s.etcdNode + 1
	if s.params.Lagging {
		s.follower = next
		next++
	}
	for range s.params.Caches {
		server := apiServer{client: next}
		next++
		for range s.params.resources() {
			server.caches = append(server.caches, next)
			next++
		}
		if s.params.Compactors {
			server.compactor = next
			next++
		}
		s.servers = append(s.servers, server)
	}
}

// cacheNode is the cache of a resource in the API server that the i-th client
// talks to.
func (s *System) cacheNode(i, resource int) sim.NodeID {
	return s.servers[i%len(s.servers)].caches[resource%s.params.resources()]
}

// cacheName names the cache of a resource for people.
func (s *System) cacheName(server, resource int) string {
	name := "cache"
	if s.params.resources() > 1 {
		name += "-" + resourceName(resource)
	}
	return numbered(name, server, len(s.servers))
}

// resources is how many kinds of objects there are, each with a cache of its own
// in every API server.
func (p *Params) resources() int { return max(1, p.Resources) }

// prefixOf is where the objects of a resource live.
func prefixOf(resource int) string { return "/registry/" + resourceName(resource) + "/" }

func resourceName(resource int) string {
	names := []string{"pods", "configmaps", "secrets", "nodes"}
	if resource < len(names) {
		return names[resource]
	}
	return "kind" + strconv.Itoa(resource)
}

// watched is the i-th of the watched keys: resources take turns.
func (p *Params) watched(i int) string {
	n := p.resources()
	if p.Namespaces > 0 {
		return prefixOf(i%n) + namespace(i%p.Namespaces) + "/" + key(i/n)
	}
	return prefixOf(i%n) + key(i/n)
}

// namespace names the i-th: "team", "team-b", "team-b-b" ... each begins like the
// one before.
func namespace(i int) string { return "team" + strings.Repeat("-b", i) }

// metadata is the gRPC context metadata under which the cache of a resource
// watches and asks for progress. Equal metadata means one stream, on which a
// progress request of one cache is answered to all of them
// (kubernetes/kubernetes#114458).
func (p *Params) metadata(resource int) string {
	if p.SharedStream || p.resources() == 1 {
		return "source=cache"
	}
	return "source=cache-" + resourceName(resource)
}
