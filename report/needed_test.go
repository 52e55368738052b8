package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/recorded"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/testbed"
)

// fewSeeds is in how many schedules a failure is looked for without a fault: a
// diagnosis.Finder looks in more.
func fewSeeds() uint64 { return testsize.Of[uint64](250, 100, 20) }

// TestEveryFaultIsNeeded: a committed recording in which faults strike has none that the
// failure can do without, and no more of a kind than one if one will do.
func TestEveryFaultIsNeeded(t *testing.T) {
	for _, c := range storyCases(t) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rec, err := recording.Open(c.recording())
			require.NoError(t, err)
			struck := 0
			for _, choice := range rec.Choices {
				if strings.HasPrefix(choice, "inject ") {
					struck++
				}
			}
			if struck == 0 {
				return
			}
			p, err := recorded.Params(c.scenario, rec)
			require.NoError(t, err)
			for _, fault := range p.Faults.Set() {
				fewer := p
				fewer.Faults, err = p.Faults.Without(fault.Name)
				require.NoError(t, err)
				assert.Zero(t, c.fails(t, fewer, rec), "%s: seed that fails without %s", c.name, fault)
				once, less := p.Faults.Once(fault.Name)
				if !less || struck == 1 {
					continue
				}
				fewer.Faults = once
				assert.Zero(t, c.fails(t, fewer, rec), "%s: seed that fails with one of %s", c.name, fault)
			}
		})
	}
}

// fails is a seed with which the recorded failure of the case comes about with these
// parameters, 0 if it does not.
func (c *storyCase) fails(t *testing.T, p testbed.Params, rec *recording.Recording) uint64 {
	t.Helper()
	system, err := c.scenario.New(p)
	require.NoError(t, err)
	runner := explore.NewRunner(system, p.Clock.Steps)
	s, err := strategy.Find(rec.Strategy)
	require.NoError(t, err)
	chooser := s.For(runner)
	failures := rec.Violations()
	at := slices.IndexFunc(failures, func(f explore.Failure) bool { return f.Property == c.property.Name })
	for seed := uint64(1); seed <= fewSeeds(); seed++ {
		chooser.Begin(seed)
		result := runner.Run(chooser)
		if result.Find(failures[at]) != nil {
			return seed
		}
	}
	return 0
}
