package report

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/matrix"
	"github.com/watchbed/watchbed/model"
)

// TestAReasonOfBothSidesIsNone: a row about what both sides have says nothing of what one of them does.
func TestAReasonOfBothSidesIsNone(t *testing.T) {
	told := func(ofGood ...string) string {
		bad := &matrix.Claim{Verdict: model.Violated, Violations: 16, Schedules: 40, Because: []string{"progress comes early"}, Ways: []matrix.Way{{Why: "a list is of revision 8"}}}
		c := &matrix.Comparison{Names: []string{"a", "a+mine"}, Differs: []matrix.Difference{{
			Kind: matrix.Verdict, Scenario: "issue-15220", Property: "linearizable", Chance: 5e-6,
			Sides: []*matrix.Claim{{Verdict: model.Holds, Schedules: 40, Because: ofGood}, bad},
		}}}
		var b bytes.Buffer
		require.NoError(t, WriteCompared(&b, Terminal{}, c))
		return b.String()
	}
	require.Contains(t, told(), "linearizable 16 of 40 schedules, and 0 of 40 (p = 5e-06)\n    because progress comes early\n")
	require.Contains(t, told("progress comes early"), "\n    no reason is known\n    a list is of revision 8\n")
}
