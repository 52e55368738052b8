package scenarios

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/scenarios/draws"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

// drawing are the scenarios that have draws.
func drawing(t *testing.T) (all []*testbed.Scenario) {
	for _, sc := range testbed.Scenarios() {
		if len(sc.Draws) > 0 {
			all = append(all, sc)
		}
	}
	require.NotEmpty(t, all)
	return all
}

// TestEveryValueOfADrawFits: each value alone makes a system, so that a draw leaves
// nothing out but what does not fit together.
func TestEveryValueOfADrawFits(t *testing.T) {
	for _, sc := range drawing(t) {
		named := map[string]bool{}
		for _, r := range sc.Draws {
			assert.False(t, named[r.Name], "%s draws %s twice", sc.Name, r.Name)
			named[r.Name] = true
			for _, value := range r.Values {
				p := sc.Params
				require.NoError(t, p.Set(r.Name, value), sc.Name)
				_, err := sc.New(p)
				assert.NoError(t, err, "%s with %s=%s", sc.Name, r.Name, value)
			}
		}
	}
}

// TestDrawIsAFunctionOfItsNumber: and its parameters name all that was drawn.
func TestDrawIsAFunctionOfItsNumber(t *testing.T) {
	const many = 50
	for _, sc := range drawing(t) {
		different := map[string]bool{}
		for n := range uint64(many) {
			p, err := draws.Of(sc, n, nil)
			require.NoError(t, err)
			again, err := draws.Of(sc, n, nil)
			require.NoError(t, err)
			require.Equal(t, p, again)
			var restored testbed.Params
			require.NoError(t, restored.Restore(p.Expand()))
			assert.Equal(t, p.Expand(), restored.Expand(), "draw %d of %s", n, sc.Name)
			text := ""
			for _, s := range p.Expand() {
				text += s.String() + " "
			}
			different[text] = true
		}
		// Of two draws a range is left alone in both, or has one of its values in both.
		alike := 1.
		for _, r := range sc.Draws {
			alike *= 0.25 + 0.25/float64(len(r.Values))
		}
		pairs := int(alike * many * (many - 1) / 2)
		assert.Greater(t, len(different), 45-pairs, "%s draws the same again and again", sc.Name)
	}
}

// TestWhatIsAskedForIsNotDrawn: a change comes on top of a draw, and settings that make no
// system with it are left out.
func TestWhatIsAskedForIsNotDrawn(t *testing.T) {
	for n := range uint64(20) {
		p, err := draws.Of(AnyRequests, n, func(p *testbed.Params) error { return p.Set("ring", "7") })
		require.NoError(t, err)
		nodes, err := p.Nodes()
		require.NoError(t, err)
		assert.Equal(t, "7", nodes.Value("ring"))
	}
}

// schedulesOfADraw are enough for a look at a draw. There are many others.
const schedulesOfADraw = 20

// TestNoFalseAlarmInDraws runs draws of all scenarios that have some, on fixed versions.
// What is violated must be known of the options that were drawn, and between them the
// draws put every property to the test.
func TestNoFalseAlarmInDraws(t *testing.T) {
	all := drawing(t)
	each := max(1, alarms()/4/schedulesOfADraw/uint64(len(all)))
	for _, sc := range all {
		of := func(n uint64) (testbed.Params, error) {
			return draws.Of(sc, n, func(p *testbed.Params) error {
				p.Etcd, p.Cache = fixedVersions[n%4], fixedDesigns[n/4%4]
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
				assert.Empty(t, testbed.Names(o.Unexpected), "draw %d of %s on %s with %s, seeds from %d on", n, sc.Name, p.Etcd, p.Cache, r.FirstSeed)
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
