package scenarios

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// guardCase is one row of what the version check is worth, written by hand.
type guardCase struct {
	scenario *Scenario
	etcd     string
	check    string
	// violated: a consistent LIST lacks a completed write, or hangs: the first
	// claim of the scenario.
	violated bool
	// vacuous: the API server does not start.
	vacuous bool
}

var guardCases = []guardCase{
	// An old etcd from the start.
	{guardOldEtcd, "3.5.7", "none", true, false},
	{guardOldEtcd, "3.5.7", "shipped", false, false},
	{guardOldEtcd, "3.5.7", "kep-beta", false, false},
	{guardOldEtcd, "3.5.7", "kep-ga", false, true},
	{guardOldEtcd, "3.5.13", "kep-ga", false, false},
	{guardQuietRange, "3.5.12", "none", true, false},
	{guardQuietRange, "3.5.12", "kep-beta", true, false},
	{guardQuietRange, "3.5.12", "kep-ga", true, false},
	{guardQuietRange, "3.5.12", "shipped", false, false},
	// An old and a new member.
	{guardMixed, "3.5.7", "none", true, false},
	{guardMixed, "3.5.7", "shipped", true, false}, // between the two answers
	{guardMixed, "3.5.7", "kep-beta", false, false},
	{guardMixed, "3.5.7", "kep-ga", false, true},
	{guardMixed, "3.5.13", "shipped", false, false},
	// The old member could not be asked.
	{guardUnasked, "3.5.13", "none", true, false},
	{guardUnasked, "3.5.13", "shipped", true, false}, // until it is asked again
	{guardUnasked, "3.5.13", "kep-beta", true, false},
	{guardUnasked, "3.5.13", "kep-ga", true, false},
	{guardUnasked, "3.5.12", "shipped", false, false}, // it trusts nobody anyway
	{guardUnasked, "3.5.12", "kep-beta", true, false},
	// The downgrade.
	{guardDowngrade, "3.5.13", "none", true, false},
	{guardDowngrade, "3.5.13", "shipped", true, false},
	{guardDowngrade, "3.5.13", "kep-ga", true, false},
	{guardDowngrade, "3.5.12", "shipped", false, false},
}

func TestWhatTheVersionCheckIsWorth(t *testing.T) {
	for _, tc := range guardCases {
		t.Run(tc.scenario.Name+" "+tc.etcd+" "+tc.check, func(t *testing.T) {
			t.Parallel()
			p := tc.scenario.Params
			p.Etcd = tc.etcd
			p.Bugs = []string{"version-check=" + tc.check}
			seen, exercised := map[string]uint64{}, uint64(0)
			var missing, unexpected []string
			for first := uint64(0); first < mostSchedules; first += 2000 {
				for _, f := range campaign(t, tc.scenario, p, first, 2000).Properties {
					seen[f.Name] += f.Violations
					exercised += f.Exercised
				}
				var violated []string
				for _, claim := range tc.scenario.Claims {
					if seen[claim] > 0 {
						violated = append(violated, claim)
					}
				}
				if missing, unexpected = tc.scenario.Outcome(&p, violated); len(missing) == 0 {
					break
				}
			}
			require.Equal(t, tc.violated, seen[tc.scenario.Claims[0]] > 0)
			require.Equal(t, tc.vacuous, exercised == 0)
			// The catalogue says the same, except where there is nothing to say.
			require.Empty(t, missing)
			require.Empty(t, unexpected)
		})
	}
}
