package recorded

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/watchbed/watchbed/model"
)

// Recorder collects operations of all clients. Its one counter ticks at every
// call and return, so that no two events have the same reading.
type Recorder struct {
	clock atomic.Int64

	mu  sync.Mutex
	ops []recorded
}

type recorded struct {
	client string
	model.Operation
}

func (r *Recorder) Tick() int64 { return r.clock.Add(1) }

func (r *Recorder) Done(client string, call int64, req *model.Request, res *model.Result) {
	r.add(client, model.Operation{Call: call, Return: r.Tick(), Request: req, Result: res, Outcome: model.Done})
}

func (r *Recorder) Unknown(client string, call int64, req *model.Request) {
	r.add(client, model.Operation{Call: call, Return: math.MaxInt64, Request: req, Outcome: model.Unknown})
}

func (r *Recorder) add(client string, op model.Operation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ops = append(r.ops, recorded{client, op})
}

// history numbers the clients in the order of their first calls.
func (r *Recorder) History(initial model.Initial) *model.History {
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.SortFunc(r.ops, func(a, b recorded) int { return cmp.Compare(a.Call, b.Call) })
	h := &model.History{Initial: initial}
	index := map[string]int{}
	for _, op := range r.ops {
		i, ok := index[op.client]
		if !ok {
			i = len(h.Clients)
			index[op.client] = i
			h.Clients = append(h.Clients, op.client)
		}
		op.Client = i
		h.Operations = append(h.Operations, op.Operation)
	}
	return h
}
