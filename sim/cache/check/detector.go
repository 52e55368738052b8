package check

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/cache/traffic"
	"github.com/watchbed/watchbed/sim/wire"
)

// comparison is one of KEP-2340's inconsistency detector ("What if the watch cache is
// stale?") that etcd has not answered yet. The detector asks etcd too for a list that the cache answered, at
// the resourceVersion of the answer. The client does not wait for it.
//
// client-go has such a detector in the client. Since KEP-4988 its exact LIST is
// answered from a snapshot of the same cache, so that it compares the cache with
// itself; this one asks etcd.
type comparison struct {
	call sim.Conn
	// detection is its number in the log.
	detection int
}

// Compare asks etcd what it would have answered. Pages after the first are left
// out, as upstream leaves them out: they go on where their token says. Lists of one object, of
// keys alone and of what a selector selects are left out too, since etcd is asked for a prefix.
func (h *Housekeeping) Compare(env *sim.Env, list *wire.ListRequest, answer sim.Payload) {
	p, ok := answer.(*wire.ListResponse)
	if !h.cfg.ComparesLists || !ok || p.Origin != wire.FromCache || list.Continue != "" || list.Single || list.KeysOnly || !list.Selector.Empty() {
		return
	}
	prefix := store.PreparePrefix(list.Prefix)
	limit := list.Limit
	if p.Continue == "" {
		limit = 0
	}
	env.Cover(listCompared)
	traffic.ListForDetector.Asked(env)
	call := env.Call(h.cfg.KV, &wire.RangeRequest{Key: prefix, RangeEnd: wire.PrefixEnd(prefix), Limit: limit, Revision: p.ResourceVersion})
	n := h.begin(env, Detection{By: ListDetector, Prefix: prefix, Limit: limit, ResourceVersion: p.ResourceVersion, List: list, Items: p.Items})
	listChecked.Say(env, p.ResourceVersion)
	running := h.detector.ChangeItem(env, int64(n+1))
	*running = append(*running, comparison{call, n})
}

// compared takes etcd's list.
func (h *Housekeeping) compared(env *sim.Env, i int, p sim.Payload) {
	n := (*h.detector.Value())[i].detection
	h.detector.ReadItem(env, int64(n+1))
	running := h.detector.ChangeItem(env, int64(n+1))
	*running = slices.Delete(*running, i, i+1)
	d := &h.log[n]
	list, ok := p.(*wire.RangeResponse)
	if ok {
		traffic.ListForDetector.Answered(env, list)
	}
	switch {
	case !ok:
		env.Cover(listNotCompared)
		h.end(env, n, Error)
	case slices.EqualFunc(d.Items, list.Kvs, sameObject):
		h.end(env, n, Consistent)
		answerAgrees.Say(env, d.ResourceVersion)
	default:
		env.Cover(listInconsistent)
		h.end(env, n, Inconsistent)
		answerDiffers.Say(env, d.ResourceVersion)
	}
}

func sameObject(a, b *wire.KeyValue) bool {
	return a == b || a.Key == b.Key && a.ModRevision == b.ModRevision && a.Value == b.Value
}
