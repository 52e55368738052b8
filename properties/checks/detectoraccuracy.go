package checks

import (
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/check"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// DetectorAccuracy holds the consistency checker of KEP-4988 and the inconsistency
// detector of KEP-2340 against ground truth at the moment when they read the
// cache. A comparison that etcd gave no list for reports nothing. It is exercised
// by comparisons that have an outcome.
var DetectorAccuracy = testbed.RegisterProperty(&testbed.Property{
	Name: "detector-accuracy", Kind: testbed.Safety,
	Promise:   "A comparison of a cache with etcd reports every divergence that it looked at, never a healthy cache, and has an outcome when nothing more can happen.",
	Violated:  "detector is wrong",
	Labels:    map[string]string{"missed": "divergence not detected", "false-alarm": "false alarm of the detector", "undecided": "comparison without an outcome"},
	Past:      comparisonsOf,
	TimedPast: comparisonsOf,
	Remembers: true,
	New: func(s *testbed.System) testbed.Judge {
		return &detectorAccuracy{system: s, compared: make([][]comparison, len(s.Caches()))}
	},
})

// detectorAccuracy notes the truth at the beginning of each comparison.
type detectorAccuracy struct {
	system *testbed.System
	// compared[i] are those of cache i, in the order of its Detections.
	compared [][]comparison
}

// comparison is how a cache stood to etcd when a detector looked at it.
type comparison uint8

const (
	unknown comparison = iota
	equal
	diverged
)

// Reset implements testbed.Judge.
func (j *detectorAccuracy) Reset() {
	for i := range j.compared {
		j.compared[i] = j.compared[i][:0]
	}
}

// Follows implements testbed.Follower.
func (*detectorAccuracy) Follows(p testbed.Part) bool { return p == testbed.CacheNode }

// AfterStep implements testbed.StepObserver.
func (j *detectorAccuracy) AfterStep(_ *sim.World, a sim.Action) {
	for i, c := range j.system.Caches() {
		if a.Node != c.ID || c.Detecting == nil {
			continue
		}
		for all := c.Detecting.Detections(); len(j.compared[i]) < len(all); {
			j.compared[i] = append(j.compared[i], j.compare(c, &all[len(j.compared[i])]))
		}
	}
}

// Memory implements testbed.Remembering.
func (j *detectorAccuracy) Memory() any {
	all := make([][]comparison, len(j.compared))
	for i := range all {
		all[i] = slices.Clone(j.compared[i])
	}
	return all
}

// Recall implements testbed.Remembering.
func (j *detectorAccuracy) Recall(memory any) {
	for i, compared := range memory.([][]comparison) {
		j.compared[i] = append(j.compared[i][:0], compared...)
	}
}

// comparisonsPast is how each cache stood to etcd for which a comparison has no outcome yet.
type comparisonsPast struct{ *detectorAccuracy }

func comparisonsOf(s *testbed.System) testbed.Past {
	return comparisonsPast{testbed.JudgeOf[*detectorAccuracy](s)}
}

// Digest implements testbed.Past.
func (p comparisonsPast) Digest(d sim.Digest) sim.Digest {
	for i, c := range p.system.Caches() {
		if c.Detecting == nil {
			continue
		}
		for k, of := range c.Detecting.Detections() {
			if of.Outcome == check.Pending && k < len(p.compared[i]) {
				d = d.Int(int64(k)).Word(uint64(p.compared[i][k]))
			}
		}
	}
	return d
}

// compare compares what a detector looks at with ground truth, as far as the
// detector can see: the checker's digest is of keys and revisions.
func (j *detectorAccuracy) compare(c *testbed.Cache, of *check.Detection) comparison {
	store := j.system.Truth().At(of.ResourceVersion)
	if store == nil {
		return unknown
	}
	var want []*model.Item
	store.Ascend(of.Prefix, model.PrefixEnd(of.Prefix), func(it *model.Item) bool {
		want = append(want, it)
		return of.Limit == 0 || int64(len(want)) < of.Limit
	})
	got := of.Items
	if of.By == check.ConsistencyCheck && c.Mirror != nil {
		if c.Server().Design.OwnNode() && c.Mirror.ResourceVersion() != of.ResourceVersion {
			// Code that ships may have taken in events in the step in which it listed its cache.
			return unknown
		}
		got = nil
		c.Mirror.Ascend(func(kv *wire.KeyValue) bool {
			got = append(got, kv)
			return true
		})
	}
	if len(got) != len(want) {
		return diverged
	}
	for i := range got {
		if got[i].Key != want[i].Key || got[i].ModRevision != want[i].ModRevision || of.By == check.ListDetector && got[i].Value != want[i].Value {
			return diverged
		}
	}
	return equal
}

// Finding implements testbed.Judge.
func (j *detectorAccuracy) Finding(w *sim.World) explore.Finding {
	var all testbed.Tally
	rest := w.Mode() == sim.Untimed && j.system.IsOver(w)
	for i, c := range j.system.Caches() {
		if c.Detecting == nil {
			continue
		}
		for k, of := range c.Detecting.Detections() {
			truth := j.compared[i][k]
			if rest && of.Outcome == check.Pending {
				all.Violate("undecided", &misjudged{c.Name, of})
				return all.Finding()
			}
			if of.Outcome == check.Pending || of.Outcome == check.Error || truth == unknown {
				continue
			}
			all.Exercised++
			switch {
			case of.Outcome == check.Consistent && truth == diverged:
				all.Violate("missed", &misjudged{c.Name, of})
			case of.Outcome == check.Inconsistent && truth == equal:
				all.Violate("false-alarm", &misjudged{c.Name, of})
			}
			if all.Violated() {
				return all.Finding()
			}
		}
	}
	return all.Finding()
}

// misjudged is a comparison with the wrong outcome.
type misjudged struct {
	cache string
	of    check.Detection
}

func (m *misjudged) String() string {
	switch m.of.Outcome {
	case check.Pending:
		return fmt.Sprintf("nothing more can happen, and %v of %s at resourceVersion %d has no outcome", m.of.By, m.cache, m.of.ResourceVersion)
	case check.Consistent:
		return fmt.Sprintf("%v found nothing wrong with %s at resourceVersion %d, which etcd has other contents at", m.of.By, m.cache, m.of.ResourceVersion)
	}
	return fmt.Sprintf("%v found %s to differ from etcd at resourceVersion %d, where both are equal", m.of.By, m.cache, m.of.ResourceVersion)
}

// Concerns implements explore.Concerned.
func (m *misjudged) Concerns() explore.Concern { return explore.Concern{Node: m.cache} }
