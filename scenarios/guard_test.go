package scenarios

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

// guardCase is one row of what the version check is worth, written by hand.
type guardCase struct {
	scenario *testbed.Scenario
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
	{GuardOldEtcd, "3.5.7", "none", true, false},
	{GuardOldEtcd, "3.5.7", "shipped", false, false},
	{GuardOldEtcd, "3.5.7", "kep-beta", false, false},
	{GuardOldEtcd, "3.5.7", "kep-ga", false, true},
	{GuardOldEtcd, "3.5.13", "kep-ga", false, false},
	{GuardQuietRange, "3.5.12", "none", true, false},
	{GuardQuietRange, "3.5.12", "kep-beta", true, false},
	{GuardQuietRange, "3.5.12", "kep-ga", true, false},
	{GuardQuietRange, "3.5.12", "shipped", false, false},
	// An old and a new member.
	{GuardMixed, "3.5.7", "none", true, false},
	{GuardMixed, "3.5.7", "shipped", true, false}, // between the two answers
	{GuardMixed, "3.5.7", "kep-beta", false, false},
	{GuardMixed, "3.5.7", "kep-ga", false, true},
	{GuardMixed, "3.5.13", "shipped", false, false},
	// The old member could not be asked.
	{GuardUnasked, "3.5.13", "none", true, false},
	{GuardUnasked, "3.5.13", "shipped", true, false}, // until it is asked again
	{GuardUnasked, "3.5.13", "kep-beta", true, false},
	{GuardUnasked, "3.5.13", "kep-ga", true, false},
	{GuardUnasked, "3.5.12", "shipped", false, false}, // the shipped check trusts no etcd of this version
	{GuardUnasked, "3.5.12", "kep-beta", true, false},
	// The downgrade.
	{GuardDowngrade, "3.5.13", "none", true, false},
	{GuardDowngrade, "3.5.13", "shipped", true, false},
	{GuardDowngrade, "3.5.13", "kep-ga", true, false},
	{GuardDowngrade, "3.5.12", "shipped", false, false},
	// What the draft of 2019 would do: ask again after a time, or with each connection.
	{GuardOldEtcd, "3.5.7", "periodic", false, false},
	{GuardMixed, "3.5.7", "periodic", true, false}, // between the two answers
	{GuardUnasked, "3.5.13", "periodic", true, false},
	{GuardDowngrade, "3.5.13", "periodic", true, false}, // until it is asked again
	{GuardOldEtcd, "3.5.7", "each-stream", false, false},
	{GuardMixed, "3.5.7", "each-stream", false, false},
	{GuardUnasked, "3.5.13", "each-stream", false, false},
	{GuardDowngrade, "3.5.13", "each-stream", false, false},
	{GuardQuietRange, "3.5.12", "each-stream", false, false},
}

func TestVersionChecksAgainstDowngrades(t *testing.T) {
	atATime := testsize.Of[uint64](2000, 300)
	for _, tc := range guardCases {
		t.Run(tc.scenario.Name+" "+tc.etcd+" "+tc.check, func(t *testing.T) {
			t.Parallel()
			p := campaigns.With(t, tc.scenario, "version-check="+tc.check)
			p.Etcd = tc.etcd
			seen, exercised := map[string]uint64{}, uint64(0)
			var o known.Outcome
			for first := uint64(0); first < maxSchedules; first += atATime {
				for _, f := range campaigns.Explored(t, tc.scenario, p, first, atATime).Properties {
					seen[f.Name] += f.Violations
					if f.Name == tc.scenario.Claims[0].Name {
						exercised += f.Exercised
					}
				}
				var violated []string
				for _, claim := range tc.scenario.Claims {
					if seen[claim.Name] > 0 {
						violated = append(violated, claim.Name)
					}
				}
				// A row may say that a campaign can miss it.
				found := !tc.violated || seen[tc.scenario.Claims[0].Name] > 0
				if o = known.OutcomeOf(tc.scenario, &p, violated); found && len(o.Missing) == 0 {
					break
				}
			}
			require.Equal(t, tc.violated, seen[tc.scenario.Claims[0].Name] > 0)
			require.Equal(t, tc.vacuous, exercised == 0)
			// The catalogue says the same, except where there is nothing to say.
			require.Empty(t, known.Names(o.Missing))
			require.Empty(t, o.Unexpected)
		})
	}
}

// TestGuardsGoThroughEveryBranch: what the version check and the guards against a
// cascading failure do comes about in their scenarios, each with the policies
// that it is about.
func TestGuardsGoThroughEveryBranch(t *testing.T) {
	times := map[string]uint64{}
	for _, run := range []struct {
		scenario *testbed.Scenario
		etcd     string
		settings []string
	}{
		{GuardOldEtcd, "3.5.7", []string{"version-check=kep-beta"}},
		{GuardOldEtcd, "3.5.7", []string{"version-check=kep-ga", "await-ready=false"}},
		{GuardMixed, "3.5.7", []string{"version-check=shipped"}},
		{GuardUnasked, "3.5.13", []string{"version-check=shipped"}},
		{GuardUnasked, "3.5.13", []string{"version-check=kep-beta"}},
		{GuardDowngrade, "3.5.13", nil},
		{GuardDowngrade, "3.5.13", []string{"version-check=each-stream"}},
		{GuardCascade, "3.5.13", nil},
		{GuardCascadeLimited, "3.5.13", nil},
	} {
		p := campaigns.With(t, run.scenario, run.settings...)
		p.Etcd = run.etcd
		for _, s := range campaigns.Explored(t, run.scenario, p, 0, 200).CoveragePoints {
			times[s.CoveragePoint.String()] += s.Times
		}
	}
	for _, name := range []string{
		"cache: member behind a stream of the watch asked for its version",
		"cache: progress notification of an unknown member dropped",
		"cache: etcd endpoint new enough",
		"cache: etcd endpoint too old",
		"cache: etcd endpoint that does not give its version",
		"cache: etcd endpoint asked for its version again",
		"cache: consistent reads were supported until another endpoint answered",
		"cache: ConsistentListFromCache disabled, etcd too old",
		"cache: API server does not start, etcd too old",
		"cache: API server starts with a warning, version of etcd unknown",
		"cache: request to an API server that has not started",
		"cache: request out of time before etcd was asked",
		"cache: list refused, too many are with etcd",
		"cache: consistent list falls back to etcd after the timeout",
		"etcd: version of a member that is down asked for",
		"etcd: another member serves",
		"etcd: downgraded",
		"etcd: Range waits for another",
		"etcd: response to a watch waits behind the answers to reads",
		"etcd: response to a watch does not get through",
	} {
		assert.NotZero(t, times[name], "%s", name)
	}
}
