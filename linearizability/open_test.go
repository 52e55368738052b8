package linearizability

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/linearizability/items"
	"github.com/watchbed/watchbed/model"
)

// open are the ways in which random histories leave something open.
var open = map[string]func(d dice) (*model.History, string){
	"lost writes": func(d dice) (*model.History, string) {
		h, mutation := mutated(d, 2+d.roll(6))
		for i := range h.Operations {
			op := &h.Operations[i]
			if op.Request.IsWrite() && op.Outcome == model.Done && d.roll(3) == 0 {
				op.Outcome, op.Result, op.Return = model.Unknown, nil, math.MaxInt64
			}
			forgetCommit(op)
		}
		return h, mutation
	},
	"writes without revisions": func(d dice) (*model.History, string) {
		h, mutation := mutated(d, 2+d.roll(6))
		for i := range h.Operations {
			op := &h.Operations[i]
			if op.Request.IsWrite() && d.roll(2) == 0 {
				forget["headers"](op)
			}
			forgetCommit(op)
		}
		return h, mutation
	},
	// What clients revoked in truth has expired here.
	"leases": func(d dice) (*model.History, string) {
		for {
			h, mutation := mutated(d, 2+d.roll(6))
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
			d := fastDice{rand.New(rand.NewPCG(15, 16))}
			j := Judge{Operations: -1, Steps: 1}
			n := *histories / 10
			shared := map[faultKind]int{}
			idle := 0
			for _, p := range orderedProperties {
				wrong, unknownWrong, unknownRight := 0, 0, 0
				for i := range n {
					h, mutation := open[kind](d)
					out, err := j.CheckRecorded(h, p)
					require.NoError(t, err)
					holds := bruteForce(items.WithExpiries(h), p)
					if !holds {
						wrong++
					}
					if f := out[0].stuck; out[0].Verdict == model.Violated && f.shared {
						shared[f.kind]++
						if f.kind == wrongAnswer && items.WithExpiries(h).Operations[f.op].Request.IsWrite() {
							idle++
						}
					}
					switch v := out[0].Verdict; {
					case v == model.VerdictUnknown && holds:
						unknownRight++
					case v == model.VerdictUnknown:
						unknownWrong++
					case holds == (v == model.Violated):
						t.Fatalf("history %d (%q), %s: %v, brute force %t\n%s", i, mutation, p, v, holds, show(h))
					}
				}
				t.Logf("%s: unknown are %.2f %% of %d that hold, %.2f %% of %d that are violated",
					p, 100*float64(unknownRight)/float64(n-wrong), n-wrong, 100*float64(unknownWrong)/float64(wrong), wrong)
			}
			t.Logf("faults that all completions share: %v, %d of writes that cannot have changed anything", shared, idle)
			for _, f := range []faultKind{revisionTaken, revisionMissing, tooOld, wrongAnswer, nowhere} {
				require.Positive(t, shared[f], "no history had the fault %d in every completion", f)
			}
			require.Positive(t, idle)
		})
	}
}
