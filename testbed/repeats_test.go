package testbed_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/testbed"
)

// A run with more rounds than its steps have room for does not try the same for ever: nothing is said of it.
func TestManyRoundsAreNoRepetition(t *testing.T) {
	for scenario, set := range map[string]string{
		"informer-handlers": "informer-resyncs=10000000", "refused-watches": "list-rounds=100000",
	} {
		t.Run(scenario, func(t *testing.T) {
			sc, err := testbed.FindScenario(scenario)
			require.NoError(t, err)
			p := sc.Params.But(set)
			s, err := sc.New(p)
			require.NoError(t, err)
			r := explore.NewRunner(s, p.Clock.Steps)
			chooser := strategy.Default().For(r)
			chooser.Begin(0)
			res := r.Run(chooser)
			require.True(t, res.NeverAtRest)
			for i := range res.Findings {
				if f := &res.Findings[i]; f.Property == testbed.ComingToRest.Name {
					require.Equal(t, model.Vacuous, f.Verdict)
				}
			}
		})
	}
}
