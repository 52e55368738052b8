package recorded

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/random"
	"github.com/watchbed/watchbed/internal/recordings"
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/linearizability/items"
	"github.com/watchbed/watchbed/model"
)

// forget are the ways in which recordings say less than ours.
var forget = map[string]func(*model.Operation){
	"commits": forgetCommit,
	// A recorder that does not look at the headers of answers.
	"headers": func(op *model.Operation) {
		forgetCommit(op)
		if op.Outcome == model.Done {
			res := *op.Result
			res.Revision = 0
			op.Result = &res
		}
	},
	// A recorder that keeps values of items only.
	"items": func(op *model.Operation) {
		forgetCommit(op)
		if op.Outcome == model.Done {
			res := bare(op.Result)
			op.Result = &res
		}
	},
	// Registers: no revision anywhere.
	"revisions": func(op *model.Operation) {
		forgetCommit(op)
		if op.Outcome == model.Done {
			res := bare(op.Result)
			res.Revision = 0
			op.Result = &res
		}
	},
}

func forgetCommit(op *model.Operation) {
	if op.Outcome == model.Unknown {
		op.Commit = 0
	}
}

// bare is a result whose items have a key and a value only.
func bare(res *model.Result) model.Result {
	out := *res
	out.Items = nil
	for _, it := range res.Items {
		out.Items = append(out.Items, &model.Item{Key: it.Key, Value: it.Value})
	}
	out.Results = nil
	for i := range res.Results {
		out.Results = append(out.Results, bare(&res.Results[i]))
	}
	return out
}

func forgetting(h *model.History, way string) *model.History {
	out := *h
	out.Operations = slices.Clone(h.Operations)
	for i := range out.Operations {
		forget[way](&out.Operations[i])
	}
	return &out
}

// What is settled changes no verdict: brute force over the history as it was recorded says
// the same.
func TestSettledEqualsBruteForce(t *testing.T) {
	for way := range forget {
		t.Run(way, func(t *testing.T) {
			d := random.NewDice(11, 12)
			judge := Judge{}
			settled, violated, byWitness := 0, 0, 0
			for n := range *histories / 20 {
				mutant, mutation := random.Mutated(d, 1+d(7))
				h := forgetting(mutant, way)
				s := settle(h, false)
				for i := range h.Operations {
					if h.Operations[i].Commit != s.Operations[i].Commit || h.Operations[i].Result != s.Operations[i].Result {
						settled++
					}
				}
				out, err := judge.Check(h, orderedProperties...)
				require.NoError(t, err)
				for _, got := range out {
					want := random.BruteForce(items.WithExpiries(h), got.Property)
					if got.Verdict == model.VerdictUnknown || want == (got.Verdict == model.Violated) {
						t.Fatalf("history %d (%q), %s: %v, brute force %t\n%s", n, mutation, got.Property, got.Verdict, want, recordings.Show(h))
					}
					if !want {
						violated++
					}
					if got.By == linearizability.ByBoth {
						byWitness++
					}
				}
			}
			t.Logf("%d writes settled, %d verdicts of violation, %d by the witness too", settled, violated, byWitness)
			require.Greater(t, violated, 100)
			if way == "commits" || way == "headers" {
				require.Greater(t, settled, 100)
			}
		})
	}
}

// The recordings of real servers know what became of each write, by a watch over the whole
// history. settle finds out the same from the answers, or leaves it open, so that the
// witness needs no porcupine.
func TestSettleFindsWhatRealEtcdDid(t *testing.T) {
	lost, found := 0, 0
	for name, full := range recordings.Etcd() {
		h := forgetting(full, "commits")
		s := settle(h, false)
		for i := range h.Operations {
			if h.Operations[i].Outcome != model.Unknown {
				continue
			}
			lost++
			if got := s.Operations[i].Commit; got != 0 {
				found++
				require.Equal(t, full.Operations[i].Commit, got, "%s, operation %d", name, i)
			}
		}
		judge := Judge{}
		judge.Operations = -1
		out, err := judge.Check(h, orderedProperties...)
		require.NoError(t, err)
		for _, j := range out {
			require.Equal(t, model.Holds, j.Verdict, "%s: %s: %s", name, j.Property, judge.Reason(&j))
			require.Equal(t, linearizability.ByWitness, j.By, name)
		}
	}
	require.Equal(t, 3, lost)
	t.Logf("%d of %d are certain", found, lost)
	require.GreaterOrEqual(t, found, 2)
}

// Real recordings without some or all of their revisions are right, and with a wrong value
// in one answer they are not.
func TestRealEtcdWithoutRevisions(t *testing.T) {
	for way := range forget {
		for name, full := range recordings.Etcd() {
			h := forgetting(full, way)
			judge := Judge{}
			out, err := judge.Check(h, linearizability.Linearizable)
			require.NoError(t, err)
			require.Equal(t, model.Holds, out[0].Verdict, "%s without %s: %s", name, way, judge.Reason(&out[0]))
			require.Greater(t, out[0].Exercised, 10)
			wrong := tamper(t, h, "an item has a value that was never written")
			out, err = judge.Check(wrong, linearizability.Linearizable)
			require.NoError(t, err)
			require.Equal(t, model.Violated, out[0].Verdict, "%s without %s: %s", name, way, judge.Reason(&out[0]))
		}
	}
}

// tamper makes the first answer wrong that lets itself.
func tamper(t *testing.T, h *model.History, name string) *model.History {
	t.Helper()
	for _, way := range recordings.Tamperings() {
		for i := range h.Operations {
			if wrong := way.Apply(h, i); way.Name == name && wrong != nil {
				return wrong
			}
		}
	}
	require.Fail(t, "no such way, or no answer for it", name)
	return nil
}

// TestLongRegister: what happens behind an operation that overlaps no other is judged apart, so that the memory for a
// long history does not grow with its square. Each round writes a value, reads it beside the next write, and writes,
// reads or deletes alone.
func TestLongRegister(t *testing.T) {
	h := &model.History{Initial: model.Initial{Revision: 1}, Clients: []string{"a", "b"}}
	add := func(client int, call, end int64, kind model.Kind, value string) {
		op := model.Operation{Client: client, Call: call, Return: end, Request: &model.Request{Kind: kind, Key: "k"}, Result: &model.Result{}}
		switch kind {
		case model.Put:
			op.Request.Value = value
		case model.Delete:
			op.Result.Deleted = 1
		case model.Get:
			op.Result.Items, op.Result.Count = []*model.Item{{Key: "k", Value: value}}, 1
		}
		h.Operations = append(h.Operations, op)
	}
	const rounds = 20_000
	for n := range int64(rounds) {
		value := fmt.Sprint(n % 5)
		add(0, 10*n+1, 10*n+2, model.Put, value)
		add(0, 10*n+3, 10*n+5, model.Put, value+"!")
		add(1, 10*n+4, 10*n+6, model.Get, value)
		add(0, 10*n+7, 10*n+8, []model.Kind{model.Put, model.Get, model.Delete}[n%3], value+"!")
	}
	for _, want := range []model.Verdict{model.Holds, model.Violated} {
		var j Judge
		judged, err := j.Check(h, linearizability.Linearizable, linearizability.Sequential)
		require.NoError(t, err)
		require.Equal(t, want, judged[0].Verdict, j.Reason(&judged[0]))
		if want == model.Holds {
			require.Less(t, judged[0].Steps, 2*len(h.Operations))
			require.Equal(t, want, judged[1].Verdict)
		}
		h.Operations[len(h.Operations)/2+2].Result.Items[0].Value = "other"
	}
}
