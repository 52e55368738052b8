package scenarios

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"
)

// Mirrors is the property that the cache's store equals the store at the
// cache's resource version, after every step.
const Mirrors = "mirrors"

// mirrors compares each cache with ground truth whenever it may have changed.
type mirrors struct {
	log      *model.Log
	replayed int
	seen     []int64 // resource version last compared, by cache
	compared int
	found    *divergence
}

// divergence is the first difference that was found.
type divergence struct {
	cache    string
	revision int64
	key      string
	got      *model.Item
	want     *model.Item
}

func (d *divergence) String() string {
	switch {
	case d.got == nil:
		return fmt.Sprintf("%s says it is at RV %d and lacks %s=%s of revision %d", d.cache, d.revision, d.key, d.want.Value, d.want.ModRevision)
	case d.want == nil:
		return fmt.Sprintf("%s says it is at RV %d and holds %s=%s, which is not there", d.cache, d.revision, d.key, d.got.Value)
	}
	return fmt.Sprintf("%s says it is at RV %d and holds %s of revision %d in place of revision %d", d.cache, d.revision, d.key, d.got.ModRevision, d.want.ModRevision)
}

// label is the cause in a word.
func (d *divergence) label() string {
	switch {
	case d.got == nil:
		return "missing-item"
	case d.want == nil:
		return "ghost"
	}
	return "stale-item"
}

func (m *mirrors) reset(s *System) {
	*m = mirrors{seen: m.seen[:0]}
	if !s.claimsMirrors {
		return
	}
	m.log = model.NewLog(s.initial)
	for range s.caches {
		m.seen = append(m.seen, 0)
	}
}

func (m *mirrors) after(s *System, w *sim.World, a sim.Action) {
	for i, c := range s.caches {
		if m.found != nil || w.Node(a.Node) != sim.Node(c) || !c.Ready() || c.ResourceVersion() == m.seen[i] {
			continue
		}
		for committed := s.server.Committed(); m.replayed < len(committed); m.replayed++ {
			m.log.Append(workload.Request(committed[m.replayed].Request))
		}
		m.seen[i] = c.ResourceVersion()
		m.compared++
		m.found = compare(w.NodeName(a.Node), c.ResourceVersion(), s.cacheConfigs[i].Prefix, c.Ascend, m.log)
	}
}

// compare walks both stores in key order, as far as the prefix goes.
func compare(name string, rv int64, prefix string, ascend func(func(*wire.KeyValue) bool), log *model.Log) *divergence {
	truth := log.At(rv)
	if truth == nil {
		return nil
	}
	var want []*model.Item
	truth.Ascend(prefix, model.PrefixEnd(prefix), func(it *model.Item) bool {
		want = append(want, it)
		return true
	})
	var found *divergence
	differ := func(got, want *model.Item) {
		found = &divergence{cache: name, revision: rv, got: got, want: want}
		if want != nil {
			found.key = want.Key
		} else {
			found.key = got.Key
		}
	}
	ascend(func(kv *wire.KeyValue) bool {
		switch {
		case len(want) == 0 || kv.Key < want[0].Key:
			it := workload.Item(kv)
			differ(&it, nil)
		case kv.Key > want[0].Key:
			differ(nil, want[0])
		case kv.ModRevision != want[0].ModRevision || kv.Value != want[0].Value:
			it := workload.Item(kv)
			differ(&it, want[0])
		default:
			want = want[1:]
			return true
		}
		return false
	})
	if found == nil && len(want) > 0 {
		differ(nil, want[0])
	}
	return found
}

func (m *mirrors) finding() explore.Finding {
	f := explore.Finding{Property: Mirrors, Exercised: m.compared}
	switch {
	case m.found != nil:
		f.Verdict, f.Label, f.Why = model.Violated, m.found.label(), m.found
	case m.compared > 0:
		f.Verdict = model.Holds
	}
	return f
}
