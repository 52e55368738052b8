package proofs_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/answers"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// A search goes on once from states with one fingerprint. Random schedules come to each of them in other ways, and every step out of it
// leads to the same states.
func TestStatesWithOneFingerprintGoOnAlike(t *testing.T) {
	for scenario, settings := range map[string]string{
		// Two Ranges with one text wait in etcd, each on behalf of another reader.
		"issue-15220": "etcd=3.6.16 writers=0 readers=2 reads=1",
		// Two wait in clientv3.
		"errors-at-rest": "etcd=3.6.16 cache=kep-2340 writers=0 writes=0 deletes=false readers=2 reads=1 watchers=0 keys=1 items=1 list-watchers=0 list-rounds=0 call-breaks=0 client-kv=true leave=0 drawn-watchers=0 drawn-requests=0 resources=1 client-writes=false leader-losses=0 stream-ends=0 breaks=0 recreations=0 at-rest=true timeouts=0 leader-changes=0",
	} {
		t.Run(scenario, func(t *testing.T) {
			sc, err := testbed.FindScenario(scenario)
			require.NoError(t, err)
			p := sc.Params
			require.NoError(t, setAll(&p, settings))
			subject, _, err := sc.Provable(p)
			require.NoError(t, err)
			next := map[sim.Digest][]sim.Digest{}
			again := 0
			random := rand.New(rand.NewPCG(1, 1))
			for range 150 {
				w := sim.NewWorld(subject.Options())
				explore.Begin(subject, w, &answers.Combination{})
				for range 40 {
					key, worlds := behaviourOf(t, w), successors(t, w, subject)
					var keys []sim.Digest
					for _, x := range worlds {
						keys = append(keys, behaviourOf(t, x))
					}
					slices.SortFunc(keys, sim.Digest.Compare)
					if before, known := next[key]; known {
						again++
						require.Equal(t, before, keys)
					}
					if next[key] = keys; len(worlds) == 0 {
						break
					}
					w = worlds[random.IntN(len(worlds))]
				}
			}
			require.Greater(t, again, len(next))
			t.Logf("%d states, %d times again", len(next), again)
		})
	}
}

func behaviourOf(t *testing.T, w *sim.World) sim.Digest {
	d, err := w.Behaviour()
	require.NoError(t, err)
	return d
}

// successors are the worlds behind each step but the firing of a timer that no client has planned.
func successors(t *testing.T, w *sim.World, subject *testbed.System) (all []*sim.World) {
	for _, a := range slices.Clone(w.Enabled()) {
		if a.Kind == sim.Fire && subject.Endless(a.Node) {
			continue
		}
		var given answers.Combination
		for more := true; more; more = given.Next() {
			c, err := w.Clone()
			require.NoError(t, err)
			c.Do(&given, a)
			all = append(all, c)
		}
	}
	return all
}
