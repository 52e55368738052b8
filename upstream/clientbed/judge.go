package clientbed

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// claimed is the property: linearizability of what was read, but not of the revision that an answer names as the store's: one from a
// cache may have that of when the cache was filled.
const claimed = linearizability.LinearizableData

// Judge implements explore.Subject.
func (s *subject) Judge(*sim.World) []explore.Finding {
	judged, err := s.judge.Check(s.history(), nil, claimed)
	if err != nil {
		// Two checkers disagree, so that neither can be trusted.
		panic(err)
	}
	f := explore.Finding{Property: string(claimed), Verdict: judged[0].Verdict, Exercised: judged[0].Exercised}
	if why := judged[0].Why; why != nil {
		f.Why, f.Label, f.Exercised = why, string(why.Anomaly), max(f.Exercised, 1)
	}
	s.findings = append(s.findings[:0], f, s.counts(), s.once())
	return s.findings
}

// counts judges that an answer counts the items that it has, as those to requests without a limit do. It is a claim of its own, so that
// a wrong count hides nothing worse.
func (s *subject) counts() explore.Finding {
	f := explore.Finding{Property: "counts", Verdict: model.Holds}
	for _, c := range s.clients {
		for _, op := range c.Operations() {
			if op.Outcome != model.Done || op.Request.Kind != model.List {
				continue
			}
			f.Exercised++
			if r := op.Result; r.Count != int64(len(r.Items)) && f.Verdict == model.Holds {
				f.Verdict, f.Label = model.Violated, string(linearizability.Miscounted)
				f.Why = miscounted{c.Name(), op.Call, len(r.Items), r.Count}
			}
		}
	}
	return f
}

type miscounted struct {
	client string
	call   int64
	items  int
	count  int64
}

func (m miscounted) String() string {
	return fmt.Sprintf("the read of %s at tick %d was answered with %d items and the count %d", m.client, m.call, m.items, m.count)
}

// history is what the clients were answered, and what else was written: by the processes for themselves, such as keys
// of leases, by etcd when a lease expired, for clients that were not answered, and once more for some that were, which once judges. No client saw when these writes began and ended, so
// that they are given as the store of etcd knows them, by a client that never heard of the outcome.
func (s *subject) history() *model.History {
	h := &model.History{Initial: model.Initial{Revision: s.server.InitialRevision}}
	answered := map[int64]bool{}
	for _, c := range s.clients {
		h.Clients = append(h.Clients, c.Name())
		for _, op := range c.Operations() {
			if op.Outcome == model.Unknown {
				// What came of it is among the other writes.
				op.Commit = -1
			} else if op.Outcome == model.Done && op.Request.Changed(op.Result) {
				answered[op.Result.Revision] = true
			} else if op.Outcome == model.Done && op.Request.Kind == model.List {
				counted := *op.Result
				counted.Count = int64(len(counted.Items))
				op.Result = &counted
			}
			h.Operations = append(h.Operations, op)
		}
	}
	h.Clients = append(h.Clients, "others")
	for rev := s.server.InitialRevision + 1; rev <= s.etcd.Revision(); rev++ {
		if !answered[rev] {
			h.Operations = append(h.Operations, model.Operation{
				Client: len(s.clients), Call: rev - math.MaxInt32, Return: math.MaxInt64, Request: s.changes(rev), Outcome: model.Unknown, Commit: rev,
			})
		}
	}
	slices.SortStableFunc(h.Operations, func(a, b model.Operation) int { return cmp.Compare(a.Call, b.Call) })
	return h
}

// changes is a transaction that changes what a revision of the store has changed.
func (s *subject) changes(rev int64) *model.Request {
	r := &model.Request{Kind: model.Txn}
	s.etcd.Changes(rev, func(kv *wire.KeyValue, deleted bool) {
		change := model.Request{Kind: model.Put, Key: kv.Key, Value: kv.Value}
		if deleted {
			change = model.Request{Kind: model.Delete, Key: kv.Key}
		}
		r.Success = append(r.Success, change)
	})
	return r
}
