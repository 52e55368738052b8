package proof_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/proof"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// A scenario of which no search can judge anything is refused.
func TestScenarioThatClaimsNothingForASearchIsRefused(t *testing.T) {
	sc := *scenarios.Issue15220
	unsearchable := *sc.Claims[0]
	unsearchable.Past, unsearchable.Goal = nil, nil
	sc.Claims = []*testbed.Property{&unsearchable}
	_, _, err := proof.Search(t.Context(), &sc, sc.Params, prove.Config{}, "test")
	require.EqualError(t, err, "issue-15220 claims nothing that a search over the states of untimed runs can judge; run explores it")
}
