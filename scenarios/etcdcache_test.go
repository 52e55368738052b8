package scenarios

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

// TestLibraryInEveryScenario: etcd's cache library is asked for nothing that it has no answer for, and what is violated
// is known.
func TestLibraryInEveryScenario(t *testing.T) {
	const design = "etcd-cache"
	for _, name := range testbed.AnsweredBy(design) {
		sc, err := testbed.FindScenario(name)
		require.NoError(t, err)
		for _, version := range []string{"3.5.7", "3.6.16"} {
			p := sc.Params
			p.Cache, p.Etcd = design, version
			c := campaigns.Explored(t, sc, p, 0, testsize.Of[uint64](25, 5))
			for _, s := range c.CoveragePoints {
				assert.False(t, s.Schedules > 0 && s.CoveragePoint.String() == "etcd cache: request refused", name)
			}
			var violated []string
			for _, f := range c.Properties {
				if f.Verdict == model.Violated {
					violated = append(violated, f.Name)
				}
			}
			assert.Empty(t, known.OutcomeOf(sc, &p, violated).Unexpected, "%s on etcd %s", name, version)
		}
	}
	sc, err := testbed.FindScenario("guaranteed-updates")
	require.NoError(t, err)
	p := sc.Params
	p.Cache = design
	_, err = sc.New(p)
	require.EqualError(t, err, "the cache design etcd-cache has no answer for a write (updater-1: UPDATE /registry/pods/a adds u1.0)")
}
