package proof_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/proof"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/explore/prove/schedules"
	_ "github.com/watchbed/watchbed/knownbugs"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// A scenario of which no search can judge anything is refused.
func TestScenarioThatClaimsNothingForASearchIsRefused(t *testing.T) {
	sc := *scenarios.Issue15220
	unsearchable := *sc.Claims[0]
	unsearchable.Monitor = testbed.Monitor{}
	sc.Claims = []*testbed.Property{&unsearchable}
	_, _, err := proof.Search(t.Context(), &sc, sc.Params, prove.Config{}, "test")
	require.EqualError(t, err, "issue-15220 claims nothing that a search over the states of untimed runs can judge; run explores it")
}

// A search that could not see what a planted bug does is refused, by each engine: a verdict would say that it does no
// harm.
func TestBugThatNoSearchCanFindIsRefused(t *testing.T) {
	states := func(sc *testbed.Scenario, p testbed.Params) error {
		_, _, err := proof.Search(t.Context(), sc, p, prove.Config{States: 1}, "test")
		return err
	}
	classes := func(sc *testbed.Scenario, p testbed.Params) error {
		_, _, err := proof.SearchSchedules(t.Context(), sc, p, schedules.Config{For: time.Nanosecond}, "test")
		return err
	}
	for _, c := range []struct {
		bug    string
		search func(*testbed.Scenario, testbed.Params) error
		says   string
	}{
		{"kubernetes-89488", states, "the bug kubernetes-89488 violates served-without-member, which a search of states cannot judge here: its verdict would say nothing of the bug; " +
			"let run look for it"},
		{"established-early", classes, "the bug established-early violates established, which a search of schedules cannot judge here: its verdict would say nothing of the bug; " +
			"leave out --engine schedules"},
		{"established-early", states, ""},
	} {
		b, err := testbed.FindBug(c.bug)
		require.NoError(t, err)
		p := b.Scenario.Params
		require.NoError(t, c.search(b.Scenario, p), "without the bug")
		p.Bugs = []string{b.Name}
		if err := c.search(b.Scenario, p); c.says != "" {
			require.EqualError(t, err, c.says)
		} else {
			require.NoError(t, err)
		}
	}
}
