package proofs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/proof"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/testbed"
)

// A search goes on once from states with one fingerprint, and ends with an error if the same steps lead to others. What a node holds two
// equal connections for is in its fingerprint by their order (sim.Connected).
func TestStatesWithOneFingerprintGoOnAlike(t *testing.T) {
	const few = " writers=0 writes=0 deletes=false noise=0 noise-writes=0 "
	for scenario, settings := range map[string]string{
		// Two Ranges with one text wait in etcd, each on behalf of another reader.
		"issue-15220": "etcd=3.6.16 writers=0 readers=2 reads=1",
		// Two wait in clientv3.
		"errors-at-rest": "etcd=3.6.16 cache=kep-2340 writers=0 writes=0 deletes=false readers=2 reads=1 watchers=0 keys=1 items=1 list-watchers=0 list-rounds=0 call-breaks=0 client-kv=true leave=0 drawn-watchers=0 drawn-requests=0 resources=1 client-writes=false leader-losses=0 stream-ends=0 breaks=0 recreations=0 at-rest=true timeouts=0 leader-changes=0",
		// An informer has two watches with one text, and one of them has the broken connection.
		"informer-moves": "etcd=3.5.13 caches=1 informers=1 informer-breaks=1 restarts=0 informer-restarts=0 at-rest=true" + few,
		// Two compactors ask for equal transactions, and a search keeps one of these.
		"rollout-pages": "",
	} {
		t.Run(scenario, func(t *testing.T) {
			sc, err := testbed.FindScenario(scenario)
			require.NoError(t, err)
			p := sc.Params
			require.NoError(t, setAll(&p, settings))
			_, _, err = proof.Search(t.Context(), sc, p, prove.Config{Bounds: prove.Bounds{Firings: 1}, States: 5_000}, "test")
			require.NoError(t, err)
		})
	}
}
