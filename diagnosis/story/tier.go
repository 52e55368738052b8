package story

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed/topology"
)

// Tier is how far a node is from the clients, as reads travel.
type Tier int

// Clients and whatever else is not named ask the caches, these ask etcd through a
// client library.
const (
	ClientTier Tier = iota
	CacheTier
	LibraryTier
	EtcdTier
)

var tierNames = [...]string{ClientTier: "client", CacheTier: "cache", LibraryTier: "client library", EtcdTier: "etcd"}

func (t Tier) String() string { return tierNames[t] }

// Tiers lists them as reads travel.
func Tiers() []Tier { return []Tier{ClientTier, CacheTier, LibraryTier, EtcdTier} }

// tiersOf places the nodes that are not clients.
func tiersOf(t *topology.Topology) map[sim.NodeID]Tier {
	tiers := map[sim.NodeID]Tier{t.Etcd: EtcdTier, t.Watches: EtcdTier}
	for _, server := range t.APIServers {
		tiers[server.Client] = LibraryTier
		for _, c := range server.Caches {
			tiers[c] = CacheTier
		}
	}
	return tiers
}
