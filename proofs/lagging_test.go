package proofs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios"
)

// A follower may apply a write before the leader does. A list that shows the write is right.
func TestAnswerOfAFollowerAheadIsNoViolation(t *testing.T) {
	p := scenarios.LaggingMember.Params
	require.NoError(t, setAll(&p, one+" noise=0 noise-writes=0 keys=1 breaks=0 restarts=0"))
	found, _ := search(t, scenarios.LaggingMember, p, 1, testsize.Of(30_000, 5_000, 5_000))
	require.Equal(t, string(prove.Undecided), found.Verdict, "%+v", found.Failures)
	require.Positive(t, found.Checked[reads.Linearizable.Name])
}
