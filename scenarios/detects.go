package scenarios

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"
)

// Detects is the property that whoever compares a cache with etcd reports every
// divergence that it looked at, and never a healthy cache. Both, the consistency
// checker of KEP-4988 and the inconsistency detector of KEP-2340, are held
// against ground truth at the moment when they read the cache. A comparison that
// etcd gave no list for reports nothing.
const Detects = "detects"

// detects notes the truth at the beginning of each comparison.
type detects struct {
	log      *model.Log
	replayed int
	// diverged[i] are those of cache i, in the order of its Detections.
	diverged [][]truth
}

type truth uint8

const (
	truthUnknown truth = iota
	truthEqual
	truthDiverged
)

func (d *detects) reset(s *System) {
	d.replayed = 0
	if len(d.diverged) != len(s.caches) {
		d.diverged = make([][]truth, len(s.caches))
	}
	for i := range d.diverged {
		d.diverged[i] = d.diverged[i][:0]
	}
	if s.upkeep.judgesDetects {
		d.log = model.NewLog(s.initial)
	}
}

func (d *detects) after(s *System, w *sim.World, a sim.Action) {
	for i, c := range s.caches {
		if w.Node(a.Node) != sim.Node(c) {
			continue
		}
		for all := c.Detections(); len(d.diverged[i]) < len(all); {
			d.diverged[i] = append(d.diverged[i], d.truth(s, c, &all[len(d.diverged[i])]))
		}
	}
}

// truth compares what a detector looks at with ground truth, as far as the
// detector can see: the checker's digest is of keys and revisions.
func (d *detects) truth(s *System, c *cache.Cache, of *cache.Detection) truth {
	for committed := s.server.Committed(); d.replayed < len(committed); d.replayed++ {
		d.log.Append(workload.Request(committed[d.replayed].Request))
	}
	store := d.log.At(of.ResourceVersion)
	if store == nil {
		return truthUnknown
	}
	var want []*model.Item
	store.Ascend(of.Prefix, model.PrefixEnd(of.Prefix), func(it *model.Item) bool {
		want = append(want, it)
		return of.Limit == 0 || int64(len(want)) < of.Limit
	})
	got := of.Items
	if of.By == cache.ConsistencyCheck {
		got = nil
		c.Ascend(func(kv *wire.KeyValue) bool {
			got = append(got, kv)
			return true
		})
	}
	if len(got) != len(want) {
		return truthDiverged
	}
	for i := range got {
		if got[i].Key != want[i].Key || got[i].ModRevision != want[i].ModRevision || of.By == cache.ListDetector && got[i].Value != want[i].Value {
			return truthDiverged
		}
	}
	return truthEqual
}

// misjudged is a comparison with the wrong outcome.
type misjudged struct {
	cache string
	of    cache.Detection
}

func (m *misjudged) String() string {
	if m.of.Outcome == cache.DetectionConsistent {
		return fmt.Sprintf("%v found nothing wrong with %s at resourceVersion %d, which etcd has other contents at", m.of.By, m.cache, m.of.ResourceVersion)
	}
	return fmt.Sprintf("%v found %s to differ from etcd at resourceVersion %d, where both are equal", m.of.By, m.cache, m.of.ResourceVersion)
}

func (d *detects) finding(s *System) explore.Finding {
	f := explore.Finding{Property: Detects}
	for i, c := range s.caches {
		for j, of := range c.Detections() {
			t := d.diverged[i][j]
			if of.Outcome == cache.DetectionPending || of.Outcome == cache.DetectionError || t == truthUnknown {
				continue
			}
			f.Exercised++
			switch {
			case of.Outcome == cache.DetectionConsistent && t == truthDiverged:
				f.Label = "missed"
			case of.Outcome == cache.DetectionInconsistent && t == truthEqual:
				f.Label = "false-alarm"
			default:
				continue
			}
			f.Verdict, f.Why = model.Violated, &misjudged{s.cacheName(i/s.params.resources(), i%s.params.resources()), of}
			return f
		}
	}
	if f.Exercised > 0 {
		f.Verdict = model.Holds
	}
	return f
}
