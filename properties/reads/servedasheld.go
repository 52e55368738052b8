package reads

import (
	"slices"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/evidence"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// ServedAsHeld compares what a cache answers a LIST of the newest state with to what it held at that resourceVersion
// after some step. A cache that lacks an event answers as it holds, which is wrong and no matter of this property. It
// is exercised by LISTs without limit and selector that a cache answered which was ready all the time, at a
// resourceVersion that it was seen with since it became ready. A search does not judge it: what caches were seen with
// would tell nearly all states apart.
var ServedAsHeld = testbed.RegisterProperty(&testbed.Property{
	Name: "served-as-held", Kind: testbed.Safety,
	Promise:  "What a cache answers a LIST of the newest state with is what it holds at that resourceVersion.",
	Violated: "served what it does not hold",
	New: testbed.AfterStepsBy(func(s *testbed.System) *servedAsHeld {
		return &servedAsHeld{s, evidence.Of(s), make([][]holding, len(s.Caches())), make([]int, len(s.Clients()))}
	}, (*servedAsHeld).step, testbed.CacheNode, testbed.HistoryClient),
})

type servedAsHeld struct {
	system   *testbed.System
	evidence *evidence.Recorder
	// held is what each cache was seen with since it became ready.
	held [][]holding
	// judged is how many operations of each client were.
	judged []int
}

// holding is what a cache held at a resourceVersion.
type holding struct {
	at      int64
	objects sim.Digest
}

func (h holding) with(key string, revision int64) holding {
	return holding{h.at, h.objects.Text(key).Int(revision)}
}

func (j *servedAsHeld) Reset() {
	for i := range j.held {
		j.held[i] = j.held[i][:0]
	}
	clear(j.judged)
}

func (j *servedAsHeld) step(_ *sim.World, a sim.Action, all *testbed.Tally) {
	switch role := j.system.Role(a.Node); role.Part {
	case testbed.CacheNode:
		j.look(role.Place)
	case testbed.HistoryClient:
		j.judge(all, role.Place)
	}
}

// look takes in what a cache holds. One that lists again may hold something else at the same resourceVersion.
func (j *servedAsHeld) look(i int) {
	c := j.system.Caches()[i]
	if c.Mirror == nil || !c.Ready() {
		j.held[i] = j.held[i][:0]
		return
	}
	now := holding{at: c.Mirror.ResourceVersion()}
	c.Mirror.Ascend(func(kv *wire.KeyValue) bool {
		now = now.with(kv.Key, kv.ModRevision)
		return true
	})
	if !slices.Contains(j.held[i], now) {
		j.held[i] = append(j.held[i], now)
	}
}

// judge judges the operations of a client that are over.
func (j *servedAsHeld) judge(all *testbed.Tally, client int) {
	for o := range j.system.OperationsOf(client) {
		if o.Number < j.judged[client] {
			continue
		}
		if o.Outcome == model.Unknown && o.Number == len(o.Client.Operations())-1 {
			// It may be under way.
			return
		}
		j.judged[client]++
		at := j.evidence.Of(o)
		if at.Cache < 0 || o.Outcome != model.Done || o.Span.Origin != wire.FromCache || !at.WasReady() ||
			!isOfNewest(o.Request, j.system.Caches()[at.Cache].Prefix()) {
			continue
		}
		held, shown := j.held[at.Cache], holding{at: o.Result.Revision}
		if !slices.ContainsFunc(held, func(h holding) bool { return h.at == shown.at }) {
			continue
		}
		for _, it := range o.Result.Items {
			shown = shown.with(it.Key, it.ModRevision)
		}
		all.Exercised++
		if !slices.Contains(held, shown) {
			o.Violate(all, "", "%s's LIST of the newest state was answered by %s at resourceVersion %d, with other objects than it holds there",
				j.system.Caches()[at.Cache].Name, o.Result.Revision)
		}
	}
}

// isOfNewest reports whether a request is a LIST of the newest state, with all objects under the prefix.
func isOfNewest(r *model.Request, prefix string) bool {
	return r.Kind == model.List && r.Key == prefix && r.End == model.PrefixEnd(prefix) && r.Freshness != model.Exact && r.Limit == 0 && r.Selection == model.Selection{}
}
