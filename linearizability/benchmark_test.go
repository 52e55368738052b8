package linearizability

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/watchbed/watchbed/model"
)

// overlapping is a history that holds: clients that put and list, each
// operation overlapping those of the others. perList is the size of the ranges
// that are listed.
func overlapping(operations, clients, keys, perList int, gets bool) *model.History {
	rng := rand.New(rand.NewPCG(5, 6))
	h := &model.History{Initial: model.Initial{Revision: 1}}
	for c := range clients {
		h.Clients = append(h.Clients, fmt.Sprint("client-", c))
	}
	name := func(i int) string { return fmt.Sprintf("/registry/pods/default/pod-%05d", i) }
	store := model.NewStore(h.Initial)
	inFlight := make([]int, clients)
	tick := int64(0)
	end := func(c int) {
		at := inFlight[c] - 1
		if at < 0 {
			return
		}
		op := &h.Operations[at]
		res := store.Apply(op.Request)
		if op.Request.Kind == model.Get {
			res.Revision = 0
		}
		tick++
		op.Return, op.Result, inFlight[c] = tick, &res, 0
	}
	for i := range operations {
		c := rng.IntN(clients)
		end(c)
		k := rng.IntN(keys)
		req := &model.Request{Kind: model.Put, Key: name(k), Value: fmt.Sprint(i)}
		if i%2 == 1 {
			req = &model.Request{Kind: model.List, Key: name(k), End: name(k + perList)}
			if gets {
				req = &model.Request{Kind: model.Get, Key: name(k)}
			}
		}
		tick++
		h.Operations = append(h.Operations, model.Operation{Client: c, Call: tick, Return: math.MaxInt64, Request: req})
		inFlight[c] = len(h.Operations)
	}
	for c := range clients {
		end(c)
	}
	return h
}

func small() *model.History { return overlapping(12, 5, 3, 3, false) }

// The figure that a whole campaign hangs on: both properties by both judges.
func BenchmarkJudgeSmall(b *testing.B) {
	h := small()
	var j Judge
	b.ReportAllocs()
	for b.Loop() {
		out, err := j.Check(h, nil, Linearizable, Sequential)
		if err != nil || out[0].Verdict != model.Holds || out[1].Verdict != model.Holds {
			b.Fatal(err, out)
		}
	}
}

// The cost of a violation in the largest history that porcupine judges. Porcupine
// reaches its limit of steps or memory, so the verdict of the witness stands.
func BenchmarkJudgeLargeViolation(b *testing.B) {
	h := overlapping(porcupineOperations, 16, 1000, 10, false)
	for i := len(h.Operations) - 100; ; i++ {
		if op := &h.Operations[i]; op.Request.Kind == model.List {
			stale := *op.Result
			stale.Revision -= 100
			op.Result = &stale
			break
		}
	}
	for _, prop := range orderedProperties {
		b.Run(string(prop), func(b *testing.B) {
			var j Judge
			for b.Loop() {
				if _, err := j.Check(h, nil, prop); err != nil {
					b.Fatal(err)
				}
			}
			var mem runtime.MemStats
			runtime.ReadMemStats(&mem)
			b.ReportMetric(float64(mem.HeapSys)/(1<<20), "MB")
		})
	}
}
