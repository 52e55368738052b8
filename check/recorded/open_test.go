package recorded

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/random"
	"github.com/watchbed/watchbed/internal/recordings"
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/linearizability/items"
	"github.com/watchbed/watchbed/model"
)

// open are the ways in which random histories leave something open.
var open = map[string]func(d random.Dice) (*model.History, string){
	"lost writes": func(d random.Dice) (*model.History, string) {
		h, mutation := random.Mutated(d, 2+d(6))
		for i := range h.Operations {
			op := &h.Operations[i]
			if op.Request.IsWrite() && op.Outcome == model.Done && d(3) == 0 {
				op.Outcome, op.Result, op.Return = model.Unknown, nil, math.MaxInt64
			}
			forgetCommit(op)
		}
		return h, mutation
	},
	"writes without revisions": func(d random.Dice) (*model.History, string) {
		h, mutation := random.Mutated(d, 2+d(6))
		for i := range h.Operations {
			op := &h.Operations[i]
			if op.Request.IsWrite() && d(2) == 0 {
				forget["headers"](op)
			}
			forgetCommit(op)
		}
		return h, mutation
	},
	// What clients revoked in truth has expired here.
	"leases": func(d random.Dice) (*model.History, string) {
		for {
			h, mutation := random.Mutated(d, 2+d(6))
			h.Operations = slices.DeleteFunc(h.Operations, func(op model.Operation) bool { return op.Request.Kind == model.LeaseRevoke })
			for i := range h.Operations {
				forgetCommit(&h.Operations[i])
			}
			if len(items.WithExpiries(h).Operations) > len(h.Operations) {
				return h, mutation
			}
		}
	},
}

// TestOpenHistoriesEqualBruteForce: what is said without porcupine, as of histories that are too
// large for it, is what brute force finds over all completions.
func TestOpenHistoriesEqualBruteForce(t *testing.T) {
	for _, kind := range []string{"lost writes", "writes without revisions", "leases"} {
		t.Run(kind, func(t *testing.T) {
			d := random.NewDice(15, 16)
			var j Judge
			j.Operations, j.Steps = -1, 1
			n := *histories / 10
			shared := map[linearizability.Anomaly]int{}
			for _, p := range orderedProperties {
				wrong, unknownWrong, unknownRight := 0, 0, 0
				for i := range n {
					h, mutation := open[kind](d)
					out, err := j.Check(h, p)
					require.NoError(t, err)
					holds := random.BruteForce(items.WithExpiries(h), p)
					if !holds {
						wrong++
					}
					if why := out[0].Why; why != nil {
						shared[why.Anomaly]++
					}
					switch v := out[0].Verdict; {
					case v == model.VerdictUnknown && holds:
						unknownRight++
					case v == model.VerdictUnknown:
						unknownWrong++
					case holds == (v == model.Violated):
						t.Fatalf("history %d (%q), %s: %v, brute force %t\n%s", i, mutation, p, v, holds, recordings.Show(h))
					}
				}
				t.Logf("%s: unknown are %.2f %% of %d that hold, %.2f %% of %d that are violated",
					p, 100*float64(unknownRight)/float64(n-wrong), n-wrong, 100*float64(unknownWrong)/float64(wrong), wrong)
			}
			t.Logf("faults that all completions share: %v", shared)
			for _, a := range []linearizability.Anomaly{
				linearizability.TakenRevision, linearizability.SkippedRevision, linearizability.UnmadeRevision, linearizability.Reordered,
				linearizability.OldRevision, linearizability.Missing, linearizability.Ghost, linearizability.WrongFlag,
			} {
				require.Positive(t, shared[a], "no history had the fault %s in every completion", a)
			}
		})
	}
}
