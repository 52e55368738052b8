package alarms

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

// schedulesOfADraw are enough for a look at a draw. There are many others.
const schedulesOfADraw = 20

// TestNoFalseAlarmInDraws runs draws of all scenarios that have some, on fixed versions.
// What is violated must be known of the options that were drawn, and between them the
// draws put every property to the test.
func TestNoFalseAlarmInDraws(t *testing.T) {
	var all []*testbed.Scenario
	for _, sc := range testbed.Scenarios() {
		if len(sc.Draws) > 0 {
			all = append(all, sc)
		}
	}
	each := max(1, alarms()/4/schedulesOfADraw/uint64(len(all)))
	for _, sc := range all {
		of := func(n uint64) (testbed.Params, error) {
			return sc.Draw(n, func(p *testbed.Params) error {
				// One in five keeps what the scenario has, which may be about a release.
				if n%5 > 0 {
					p.Etcd, p.Cache = fixedVersions[n%5-1], fixedDesigns[n/5%4]
				}
				return nil
			})
		}
		withKnown := 0
		series := campaign.Series{
			Campaigns: each, Each: schedulesOfADraw,
			Subject: func(n uint64) (func() explore.Subject, int, error) {
				p, err := of(n)
				if err != nil {
					return nil, 0, err
				}
				subjects, err := sc.Subjects(p)
				return subjects, p.Clock.Steps, err
			},
			Ended: func(n uint64, r *campaign.Result) {
				p, err := of(n)
				require.NoError(t, err)
				if len(known.Violations(sc, &p)) > 0 {
					withKnown++
				}
				var violated []string
				for _, f := range r.Failures {
					violated = append(violated, f.Failure.Property)
				}
				o := known.OutcomeOf(sc, &p, violated)
				assert.Empty(t, o.Unexpected, "draw %d of %s on %s with %s, seeds from %d on", n, sc.Name, p.Etcd, p.Cache, r.FirstSeed)
				assert.Zero(t, r.Truncated, "draw %d of %s on %s with %s", n, sc.Name, p.Etcd, p.Cache)
			},
		}
		c, err := series.Run(context.Background(), campaign.Config{})
		require.NoError(t, err)
		if c.Schedules >= schedulesOfEveryProperty {
			for _, f := range c.Properties {
				assert.NotZero(t, f.Exercised, "%s of %s", f.Name, sc.Name)
			}
		}
		t.Logf("%s: %d schedules of %d draws, in %d of which a violation is known", sc.Name, c.Schedules, each, withKnown)
	}
}
