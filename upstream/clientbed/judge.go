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

// claimed is the property: linearizability of what was read, but not of the revision that an answer names as the
// store's: one from a cache may have that of when the cache was filled.
const claimed = linearizability.LinearizableData

// Judge implements explore.Subject.
func (s *subject) Judge(*sim.World) []explore.Finding {
	judged, err := s.judge.Check(s.history(), nil, claimed)
	if err != nil {
		// Two checkers disagree, so that neither can be trusted.
		panic(&explore.Disputed{Err: err, History: s.history()})
	}
	f := explore.Finding{Property: string(claimed), Verdict: judged[0].Verdict, Exercised: judged[0].Exercised}
	if why := judged[0].Why; why != nil {
		f.Why, f.Label, f.Exercised = why, string(why.Anomaly), max(f.Exercised, 1)
	}
	s.findings = append(s.findings[:0], f, s.counts(), s.once())
	return s.findings
}

// counts judges that an answer counts the items that it has, as those to requests without a limit do. It is a claim of
// its own, so that a wrong count hides nothing worse.
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
// of leases, by etcd when a lease expired, and once more for clients that were answered, which once judges.
func (s *subject) history() *model.History {
	h := &model.History{Initial: model.Initial{Revision: s.server.InitialRevision}}
	answered := map[int64]bool{}
	for _, c := range s.clients {
		h.Clients = append(h.Clients, c.Name())
		for _, op := range c.Operations() {
			if op.Outcome == model.Unknown {
				// Until the store is seen to have it.
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
	for i, since := range s.applied {
		if rev := s.server.InitialRevision + 1 + int64(i); !answered[rev] {
			settle(h, rev, since, s.changes(rev))
		}
	}
	slices.SortStableFunc(h.Operations, func(a, b model.Operation) int { return cmp.Compare(a.Call, b.Call) })
	return h
}

// settle gives a revision of which no client was told to the write that was called first of those that were not
// answered and ask for what it changes. Without one it is a write of others. What a client asked for and was answered
// may have been written once more: then it is called with that. Else it is called when etcd has it: since is the last
// tick before.
func settle(h *model.History, rev, since int64, change *model.Request) {
	var first, open *model.Operation
	for i := range h.Operations {
		op := &h.Operations[i]
		asks := func(c model.Request) bool {
			return c.Kind == op.Request.Kind && c.Key == op.Request.Key && c.Value == op.Request.Value
		}
		if op.Client == len(h.Clients)-1 || op.Call > since || !slices.ContainsFunc(change.Success, asks) {
			continue
		}
		if first == nil || op.Call < first.Call {
			first = op
		}
		if op.Outcome == model.Unknown && op.Commit < 0 && (open == nil || op.Call < open.Call) {
			open = op
		}
	}
	if open != nil {
		open.Commit = rev
		return
	}
	if first != nil {
		since = first.Call
	}
	h.Operations = append(h.Operations, model.Operation{
		Client: len(h.Clients) - 1, Call: since, Return: math.MaxInt64, Request: change, Outcome: model.Unknown, Commit: rev,
	})
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
