package proofs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/proof"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/testbed"
)

// Workers share what they learn of the nodes of a world. Whatever their number, a search comes to the
// same counts, to the same verdict and to the same run of each violation.
func TestResultDoesNotDependOnTheNumberOfWorkers(t *testing.T) {
	some := testsize.Of(30_000, 3_000, 1_000)
	for _, world := range []struct {
		scenario, settings string
		states             int
		verdict            prove.Verdict
	}{
		{"issue-15220", "etcd=3.5.7 cache=single-request writers=1 writes=1 readers=1 reads=1", 0, prove.Violated},
		{"issue-15220", "etcd=3.6.16 writers=1 writes=1 readers=2 reads=1 breaks=1", some, prove.Undecided},
		{"lagging-member", "writers=1 writes=1 readers=1 reads=1 noise=0 noise-writes=0 keys=1 breaks=0 restarts=0", some, prove.Undecided},
		{"quiet-range", "etcd=3.5.12 cache=kep-2340 noise-writes=1", 0, prove.Violated},
	} {
		t.Run(world.scenario+" "+world.settings, func(t *testing.T) {
			sc, err := testbed.FindScenario(world.scenario)
			require.NoError(t, err)
			p := sc.Params
			require.NoError(t, setAll(&p, world.settings))
			search := func(workers int) (*proof.Proof, string) {
				cfg := prove.Config{Bounds: prove.Bounds{Firings: 1}, States: world.states, Workers: workers}
				found, runs, err := proof.Search(t.Context(), sc, p, cfg, "watchbed")
				require.NoError(t, err)
				found.Seconds = 0
				require.Equal(t, string(world.verdict), found.Verdict)
				if len(runs) == 0 {
					return found, ""
				}
				return found, told(t, sc, found, runs)
			}
			one, story := search(1)
			for _, workers := range []int{2, 5} {
				more, other := search(workers)
				require.Equal(t, one, more)
				require.Equal(t, story, other)
			}
		})
	}
}
