package reads

import (
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/moments"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// ServedAsHeld compares what a cache answers a LIST of the newest state with to what it held at that resourceVersion
// after some step. A cache that lacks an event answers as it holds, which is wrong and no matter of this property. It is exercised by
// LISTs without limit and selector that the cache answered at a resourceVersion which it was seen at.
var ServedAsHeld = testbed.RegisterProperty(&testbed.Property{
	Name: "served-as-held", Kind: testbed.Safety,
	Promise:  "What a cache answers a LIST of the newest state with is what it holds at that resourceVersion.",
	Violated: "served what it does not hold",
	New: func(s *testbed.System) testbed.Judge {
		return &servedAsHeld{s, moments.Of(s), make([][]holding, len(s.Caches()))}
	},
})

type servedAsHeld struct {
	system  *testbed.System
	moments *moments.Recorder
	// held is what each cache was seen with. Another process may hold something else at the same resourceVersion.
	held [][]holding
}

// holding is what a cache held at a resourceVersion.
type holding struct {
	at      int64
	objects sim.Digest
}

// Reset implements testbed.Judge.
func (j *servedAsHeld) Reset() {
	for i := range j.held {
		j.held[i] = j.held[i][:0]
	}
}

// Follows implements testbed.Follower.
func (*servedAsHeld) Follows(p testbed.Part) bool { return p == testbed.CacheNode }

// AfterStep implements testbed.StepObserver.
func (j *servedAsHeld) AfterStep(_ *sim.World, a sim.Action) {
	for i, c := range j.system.Caches() {
		if a.Node != c.ID || c.Mirror == nil {
			continue
		}
		now := holding{c.Mirror.ResourceVersion(), sim.NewDigest}
		c.Mirror.Ascend(func(kv *wire.KeyValue) bool {
			now.objects = now.objects.Text(kv.Key).Int(kv.ModRevision)
			return true
		})
		if !slices.Contains(j.held[i], now) {
			j.held[i] = append(j.held[i], now)
		}
	}
}

// Finding implements testbed.Judge.
func (j *servedAsHeld) Finding(*sim.World) explore.Finding {
	var all testbed.Tally
	for i, c := range j.system.Clients() {
		ops, spans := c.Operations(), c.Spans()
		for k := range ops {
			op, at := &ops[k], &j.moments.Operations(i)[k]
			if op.Outcome != model.Done || at.Cache < 0 || spans[k].Origin != wire.FromCache || !isOfNewest(op.Request, j.system.Caches()[at.Cache].Prefix()) {
				continue
			}
			seen := func(h holding) bool { return h.at == op.Result.Revision }
			if !slices.ContainsFunc(j.held[at.Cache], seen) {
				continue
			}
			all.Exercised++
			shown := holding{op.Result.Revision, sim.NewDigest}
			for _, it := range op.Result.Items {
				shown.objects = shown.objects.Text(it.Key).Int(it.ModRevision)
			}
			if !slices.Contains(j.held[at.Cache], shown) {
				all.Violate("", &otherObjects{c.Name(), op, j.system.Caches()[at.Cache].Name})
			}
		}
	}
	return all.Finding()
}

// isOfNewest reports whether a request is a LIST of the newest state, with all objects under the prefix.
func isOfNewest(r *model.Request, prefix string) bool {
	return r.Kind == model.List && r.Key == prefix && r.End == model.PrefixEnd(prefix) && r.Freshness != model.Exact && r.Limit == 0 && r.Selection == model.Selection{}
}

// otherObjects is a LIST that a cache answered with what it does not hold.
type otherObjects struct {
	client string
	op     *model.Operation
	cache  string
}

func (o *otherObjects) String() string {
	return fmt.Sprintf("%s's LIST of the newest state was answered by %s at resourceVersion %d, with other objects than it holds there", o.client, o.cache, o.op.Result.Revision)
}

// Concerns implements explore.Concerned.
func (o *otherObjects) Concerns() explore.Concern {
	return explore.Concern{Client: o.client, Call: o.op.Call}
}
