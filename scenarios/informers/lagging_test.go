package informers_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
	_ "github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/scenarios/informers"
)

// TestWaitingStreamsSlowTheCache: while streams wait the cache asks for progress ten times a second, and each
// notification takes a slot of the decoder. So the cache that they wait for falls behind. It does not if nothing waits,
// or if it asks seldom.
func TestWaitingStreamsSlowTheCache(t *testing.T) {
	waiting := behind(t, "")
	seldom := behind(t, "progress-period=3s")
	nothing := behind(t, "informer-rv=0")
	t.Logf("revisions behind in the mean: %d, %d with a request every 3 s, %d if no stream waits", waiting, seldom, nothing)
	require.Greater(t, waiting, 2*nothing)
	require.Less(t, seldom, nothing*3/2)
}

// behind is how many revisions the cache is behind etcd at the end of a run, in the mean of twenty.
func behind(t *testing.T, settings string) int {
	t.Helper()
	p := informers.NeverSyncs.Params
	for _, s := range strings.Fields(settings) {
		name, value, _ := strings.Cut(s, "=")
		require.NoError(t, p.Set(name, value))
	}
	system, err := informers.NeverSyncs.New(p)
	require.NoError(t, err)
	runner := explore.NewRunner(system, p.Clock.Steps)
	chooser := strategy.Default().For(runner)
	const runs = 20
	var sum int64
	for seed := range uint64(runs) {
		chooser.Begin(seed)
		runner.Run(chooser)
		sum += system.Truth().Revision() - system.Caches()[0].Mirror.ResourceVersion()
	}
	return int(sum / runs)
}
