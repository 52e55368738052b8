package topology_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed/topology"
)

func TestNodesOfTwoServersWithTwoResources(t *testing.T) {
	top := topology.New(topology.Options{Servers: 2, Resources: 2, Lagging: true, Compactors: true})
	assert.Equal(t, sim.NodeID(1), top.Etcd)
	assert.Equal(t, sim.NodeID(2), top.Watches, "the follower comes behind etcd")
	assert.Equal(t, []topology.APIServer{
		{Client: 3, Caches: []sim.NodeID{4, 5}, Compactor: 6},
		{Client: 7, Caches: []sim.NodeID{8, 9}, Compactor: 10},
	}, top.APIServers)
	assert.Equal(t, []sim.NodeID{7, 8, 9, 10}, top.APIServers[1].Nodes())
	assert.Equal(t, sim.NodeID(11), top.Next)
	assert.Equal(t, sim.NodeID(9), top.Cache(3, 1))
	assert.Equal(t, "cache-configmaps-2", top.CacheName(1, 1))
}

func TestOneServerNeedsNoNumbers(t *testing.T) {
	top := topology.New(topology.Options{Servers: 1})
	assert.Equal(t, top.Etcd, top.Watches)
	assert.Equal(t, "cache", top.CacheName(0, 0))
	assert.Equal(t, []sim.NodeID{2, 3}, top.APIServers[0].Nodes())
	assert.Equal(t, sim.NodeID(4), top.Next)
}

func TestKeysTakeTurns(t *testing.T) {
	top := topology.New(topology.Options{Servers: 1, Resources: 2})
	assert.Equal(t, "/registry/pods/a", top.Key(0))
	assert.Equal(t, "/registry/configmaps/a", top.Key(1))
	assert.Equal(t, "/registry/pods/b", top.Key(2))
	spaces := topology.New(topology.Options{Servers: 1, Namespaces: 2})
	assert.Equal(t, "/registry/pods/team/a", spaces.Key(0))
	assert.Equal(t, "/registry/pods/team-b/b", spaces.Key(1))
	assert.Equal(t, "z", topology.ObjectName(25))
	assert.Equal(t, "aa", topology.ObjectName(26))
	assert.Equal(t, "kind9", topology.ResourceName(9))
}

func TestStreamsAreSharedIfMetadataIsEqual(t *testing.T) {
	apart := topology.New(topology.Options{Servers: 1, Resources: 2})
	assert.NotEqual(t, apart.Metadata(0), apart.Metadata(1))
	shared := topology.New(topology.Options{Servers: 1, Resources: 2, SharedStream: true})
	assert.Equal(t, shared.Metadata(0), shared.Metadata(1))
}
