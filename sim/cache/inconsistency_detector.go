package cache

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

// comparison is one run of KEP-2340's inconsistency detector ("How can an
// operator determine if the feature is in use"): a list that the cache answered
// is asked of etcd too, at the resourceVersion of the answer. The client does
// not wait for it.
//
// client-go has such a detector in the client. Since KEP-4988 its exact LIST is
// answered from a snapshot of the same cache, so that it compares the cache with
// itself; this one asks etcd.
type comparison struct {
	call sim.Conn
	// detection is its number among Cache.detections.
	detection int
}

// compareWithEtcd asks etcd what it would have answered. Pages after the first
// are left out, as upstream leaves them out: they go on where their token says.
func (c *Cache) compareWithEtcd(env *sim.Env, list *wire.ListRequest, answer sim.Payload) {
	p, ok := answer.(*wire.ListResponse)
	if !ok || p.Origin != wire.FromCache || list.Continue != "" {
		return
	}
	prefix := store.PreparePrefix(list.Prefix)
	limit := list.Limit
	if p.Continue == "" {
		limit = 0
	}
	env.Cover(listCompared)
	env.Add(etcdRequests[listForDetector], 1)
	c.comparisons = append(c.comparisons, comparison{
		call:      env.Call(c.cfg.KV, &wire.RangeRequest{Key: prefix, RangeEnd: store.RangeEnd(prefix), Limit: limit, Revision: p.ResourceVersion}),
		detection: c.detections.begin(Detection{By: ListDetector, Prefix: prefix, Limit: limit, ResourceVersion: p.ResourceVersion, Items: p.Items}),
	})
}

// compared takes etcd's list. It returns false if the connection is none of a
// comparison.
func (c *Cache) compared(env *sim.Env, conn sim.Conn, p sim.Payload) bool {
	i := slices.IndexFunc(c.comparisons, func(m comparison) bool { return m.call == conn })
	if i < 0 {
		return false
	}
	m := c.comparisons[i]
	c.comparisons = slices.Delete(c.comparisons, i, i+1)
	d := &c.detections[m.detection]
	list, ok := p.(*wire.RangeResponse)
	if ok {
		c.measureAnswer(env, listForDetector, list)
	}
	switch {
	case !ok:
		env.Cover(listNotCompared)
		d.Outcome = DetectionError
	case slices.EqualFunc(d.Items, list.Kvs, sameObject):
		d.Outcome = DetectionConsistent
	default:
		env.Cover(listInconsistent)
		d.Outcome = DetectionInconsistent
		if env.Noting() {
			env.Say("finds that etcd has other contents at revision " + number(d.ResourceVersion) + " than it has answered")
		}
	}
	return true
}

func sameObject(a, b *wire.KeyValue) bool {
	return a == b || a.Key == b.Key && a.ModRevision == b.ModRevision && a.Value == b.Value
}
