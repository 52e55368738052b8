package linearizability

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/random"
	"github.com/watchbed/watchbed/internal/recordings"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/model"
)

// registers are one or two registers. If they are open, half of the writes have no answer. The answers are
// any: some are right by chance.
func registers(rng *rand.Rand, open bool) *model.History {
	h := &model.History{Clients: []string{"0", "1", "2"}, Initial: model.Initial{Revision: 1}}
	keys := []string{"a", "b"}[:1+rng.IntN(2)]
	key := func() string { return keys[rng.IntN(len(keys))] }
	value := func() string { return []string{"x", "y"}[rng.IntN(2)] }
	free := make([]int64, len(h.Clients))
	for tick, n := int64(1), 3+rng.IntN(5); len(h.Operations) < n; tick += int64(1 + rng.IntN(3)) {
		client := rng.IntN(len(free))
		if free[client] >= tick {
			continue
		}
		op := model.Operation{Client: client, Call: tick, Return: tick + 1 + int64(rng.IntN(6)), Result: &model.Result{}}
		switch k := key(); rng.IntN(6) {
		case 0:
			op.Request, op.Result.Deleted = &model.Request{Kind: model.Delete, Key: k}, int64(rng.IntN(2))
		case 1:
			op.Request = &model.Request{Kind: model.Put, Key: k, Value: value(), PrevKV: rng.IntN(4) == 0}
		case 2, 3:
			op.Request = &model.Request{
				Kind: model.Txn, Compare: []model.Compare{{Key: k, Target: model.CompareValue, Value: value()}},
				Success: []model.Request{{Kind: model.Put, Key: k, Value: value()}},
			}
			if op.Result.Succeeded = rng.IntN(2) == 0; op.Result.Succeeded {
				op.Result.Results = []model.Result{{}}
			}
		default:
			op.Request = &model.Request{Kind: model.Get, Key: k}
			if rng.IntN(3) > 0 {
				op.Result = &model.Result{Count: 1, Items: []*model.Item{{Key: k, Value: value()}}}
			}
		}
		if open && op.Request.IsWrite() && rng.IntN(2) == 0 {
			op.Outcome, op.Result, op.Return = model.Unknown, nil, math.MaxInt64
		} else {
			free[client] = op.Return
		}
		h.Operations = append(h.Operations, op)
	}
	return h
}

// TestRegistersEqualBruteForce: what a lazy search leaves out makes no difference, nor do the parts in which registers
// are judged.
func TestRegistersEqualBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	p := Porcupine{least: 1}
	holding, violated := map[string]int{}, map[string]int{}
	all := *histories / testsize.Of(1, 4)
	for n := range all {
		h := registers(rng, n%2 == 0)
		for _, prop := range orderedProperties {
			got, _ := p.Check(h, nil, prop, 1_000_000)
			how := ""
			switch {
			case p.spec.lazy:
				how = "lazy"
			case len(p.parts(prop)) > 2:
				how = "in parts"
			}
			if random.BruteForce(h, prop) {
				holding[how]++
			} else {
				violated[how]++
			}
			require.Equal(t, random.BruteForce(h, prop), got == model.Holds, "history %d, %s: %v\n%s", n, prop, got, recordings.Show(h))
		}
	}
	t.Logf("%v hold, %v are violated", holding, violated)
	for _, how := range []string{"lazy", "in parts"} {
		require.Greater(t, holding[how], all/100, how)
		require.Greater(t, violated[how], all/100, how)
	}
}

// TestManyUnansweredWrites: each of twenty writes may have happened at any time, and one value is read again
// after others.
func TestManyUnansweredWrites(t *testing.T) {
	h := &model.History{Initial: model.Initial{Revision: 1}}
	for n := range 20 {
		h.Clients = append(h.Clients, fmt.Sprint("w", n))
		h.Operations = append(h.Operations, model.Operation{
			Client: n, Call: int64(n), Return: math.MaxInt64, Outcome: model.Unknown, Request: &model.Request{Kind: model.Put, Key: "a", Value: fmt.Sprint(n)},
		})
	}
	h.Clients = append(h.Clients, "r")
	read := func(value int) {
		call := int64(3 * len(h.Operations))
		h.Operations = append(h.Operations, model.Operation{
			Client: 20, Call: call, Return: call + 1, Request: &model.Request{Kind: model.Get, Key: "a"},
			Result: &model.Result{Count: 1, Items: []*model.Item{{Key: "a", Value: fmt.Sprint(value)}}},
		})
	}
	for value := range 10 {
		read(value)
	}
	for _, want := range []model.Verdict{model.Holds, model.Violated} {
		for _, prop := range orderedProperties {
			var p Porcupine
			got, _ := p.Check(h, nil, prop, 10_000)
			require.Equal(t, want, got, prop)
		}
		read(0)
	}
}

// TestReadsThatCanComeAtOnce: each of ten clients reads what it wrote three times, so that they can be at ten million
// places. Another one reads the first two values, and then the first one again, which was written once.
func TestReadsThatCanComeAtOnce(t *testing.T) {
	h := &model.History{Initial: model.Initial{Revision: 1}}
	put := func(client, value int) {
		h.Operations = append(h.Operations, model.Operation{
			Client: client, Call: 1, Return: 9, Request: &model.Request{Kind: model.Put, Key: "a", Value: fmt.Sprint(value)}, Result: &model.Result{},
		})
	}
	read := func(client, value int) {
		h.Operations = append(h.Operations, model.Operation{
			Client: client, Call: 1, Return: 9, Request: &model.Request{Kind: model.Get, Key: "a"},
			Result: &model.Result{Count: 1, Items: []*model.Item{{Key: "a", Value: fmt.Sprint(value)}}},
		})
	}
	for client := range 10 {
		h.Clients = append(h.Clients, fmt.Sprint(client))
		put(client, client)
		for range 3 {
			read(client, client)
		}
	}
	h.Clients = append(h.Clients, "r")
	read(10, 0)
	read(10, 1)
	for _, want := range []model.Verdict{model.Holds, model.Violated} {
		var p Porcupine
		got, steps := p.Check(h, nil, Sequential, DefaultSteps)
		require.Equal(t, want, got, "%d steps", steps)
		read(10, 0)
	}
}

// A history of registers is judged key by key, in about one step an operation.
func TestRegistersAreJudgedApart(t *testing.T) {
	h := &model.History{Initial: model.Initial{Revision: 1}}
	for client := range 30 {
		h.Clients = append(h.Clients, string(rune('A'+client)))
	}
	at := int64(0)
	for n := range 100 {
		for client := range h.Clients {
			at++
			// Each key is written by all clients at a time.
			op := model.Operation{Client: client, Call: at, Return: at + int64(len(h.Clients)) - 1, Result: &model.Result{}}
			op.Request = &model.Request{Kind: model.Put, Key: h.Clients[client], Value: string(rune('0' + n%10))}
			h.Operations = append(h.Operations, op)
		}
	}
	var p Porcupine
	v, steps := p.Check(h, nil, Linearizable, 10_000)
	require.Equal(t, model.Holds, v)
	require.Equal(t, 3000, steps)
	require.Len(t, p.parts(Linearizable), 30)
	require.Len(t, p.parts(Sequential), 1)
}
