package designs

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios/informers"
)

// TestShardsReachTheGuest: informers that divide the objects have them all together, in front of a server with the gate
// ShardedListAndWatch. In front of one without it they keep objects that a change has moved to another shard
// (KEP-5866).
func TestShardsReachTheGuest(t *testing.T) {
	got := explored(t, informers.Shards, 24, "etcd=3.6.16", "shards=honoured")["shards-are-whole"]
	require.Equal(t, model.Holds, got.Verdict)
	require.NotZero(t, got.Exercised)
	require.Equal(t, model.Violated, explored(t, informers.Shards, 24, "etcd=3.6.16", "shards=ignored")["shards-are-whole"].Verdict)
}
