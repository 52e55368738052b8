package designs

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios"
)

// TestConsistencyCheckerIsJudged: after an event is lost on its way from etcd, what Kubernetes' consistency checker
// counts is what it should have found, and no snapshot is served after a check that failed. Checks that always pass,
// always fail or are not heeded are found.
func TestConsistencyCheckerIsJudged(t *testing.T) {
	of := func(seeds int, set ...string) map[string]campaign.PropertyTally {
		return explored(t, scenarios.LostEvent, seeds, append([]string{"etcd=3.6.16"}, set...)...)
	}
	got := of(16)
	for _, name := range []string{"detector-accuracy", "checks-apart", "suspect-snapshots", "exact"} {
		require.Equal(t, model.Holds, got[name].Verdict, name)
		require.NotZero(t, got[name].Exercised, name)
	}
	require.Equal(t, model.Violated, got["linearizable"].Verdict, "the newest state stays wrong")

	for _, wrong := range []string{"check-passes", "check-fails"} {
		require.Equal(t, model.Violated, of(24, "cache=kubernetes@v0.37.2+"+wrong)["detector-accuracy"].Verdict, wrong)
	}

	got = of(48, "cache=kubernetes@v0.37.2+check-unheeded")
	require.Equal(t, model.Holds, got["detector-accuracy"].Verdict)
	require.Equal(t, model.Violated, got["suspect-snapshots"].Verdict)
	require.Equal(t, model.Violated, got["exact"].Verdict)

	got = of(16, "consistency-checker=panic")
	require.Equal(t, model.Violated, got["no-panic"].Verdict)

	got = of(48, "consistency-checker=off")
	require.Zero(t, got["detector-accuracy"].Exercised)
	require.Equal(t, model.Violated, got["exact"].Verdict)
}

// TestCheckPeriodReachesTheGuest: checks are half a minute apart if that is set, and not five.
func TestCheckPeriodReachesTheGuest(t *testing.T) {
	got := explored(t, scenarios.LostEventRecovers, 4, "etcd=3.6.16")
	require.Equal(t, model.Holds, got["checks-apart"].Verdict)
	require.Greater(t, got["checks-apart"].Exercised, uint64(4*10))
}
