package check

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/cache/traffic"
	"github.com/watchbed/watchbed/sim/wire"
)

// Detector is KEP-2340's inconsistency detector ("What if the watch cache is
// stale?"): it asks etcd too for a list that the cache answered, at
// the resourceVersion of the answer. The client does not wait for it.
//
// client-go has such a detector in the client. Since KEP-4988 its exact LIST is
// answered from a snapshot of the same cache, so that it compares the cache with
// itself; this one asks etcd.
type Detector struct {
	// cfg is never written to between two resets: clones share it.
	cfg *Config
	// running are the comparisons that etcd has not answered yet.
	running []comparison
}

type comparison struct {
	call sim.Conn
	// detection is its number in the log.
	detection int
}

// Compare asks etcd what it would have answered. Pages after the first are left
// out, as upstream leaves them out: they go on where their token says. Lists of one object and of
// keys alone are left out too.
func (k *Detector) Compare(env *sim.Env, list *wire.ListRequest, answer sim.Payload, log *Log) {
	p, ok := answer.(*wire.ListResponse)
	if !k.cfg.ComparesLists || !ok || p.Origin != wire.FromCache || list.Continue != "" || list.Single || list.KeysOnly {
		return
	}
	prefix := store.PreparePrefix(list.Prefix)
	limit := list.Limit
	if p.Continue == "" {
		limit = 0
	}
	env.Cover(listCompared)
	traffic.Asked(env, traffic.ListForDetector)
	call := env.Call(k.cfg.KV, &wire.RangeRequest{Key: prefix, RangeEnd: store.RangeEnd(prefix), Limit: limit, Revision: p.ResourceVersion})
	n := log.begin(env, Detection{By: ListDetector, Prefix: prefix, Limit: limit, ResourceVersion: p.ResourceVersion, Items: p.Items})
	env.WritesItem(cellDetector, 0, int64(n+1))
	k.running = append(k.running, comparison{call, n})
}

// answer takes etcd's list. It reports false if the call is another machine's.
func (k *Detector) answer(env *sim.Env, conn sim.Conn, p sim.Payload, log *Log) bool {
	i := slices.IndexFunc(k.running, func(m comparison) bool { return m.call == conn })
	if i < 0 {
		return false
	}
	n := k.running[i].detection
	env.ReadsItem(cellDetector, 0, int64(n+1))
	env.WritesItem(cellDetector, 0, int64(n+1))
	k.running = slices.Delete(k.running, i, i+1)
	d := &log.all[n]
	list, ok := p.(*wire.RangeResponse)
	if ok {
		traffic.Answered(env, traffic.ListForDetector, list)
	}
	switch {
	case !ok:
		env.Cover(listNotCompared)
		log.end(env, n, Error)
	case slices.EqualFunc(d.Items, list.Kvs, sameObject):
		log.end(env, n, Consistent)
	default:
		env.Cover(listInconsistent)
		log.end(env, n, Inconsistent)
		if env.Noting() {
			env.Note(answerDiffers{at: d.ResourceVersion})
		}
	}
	return true
}

func sameObject(a, b *wire.KeyValue) bool {
	return a == b || a.Key == b.Key && a.ModRevision == b.ModRevision && a.Value == b.Value
}

func (k *Detector) digest() sim.Digest {
	d := sim.NewDigest
	for i := range k.running {
		d = d.Int(int64(k.running[i].detection))
	}
	return d
}
