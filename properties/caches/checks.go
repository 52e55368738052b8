package caches

import (
	"fmt"
	"slices"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/check"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// ChecksApart looks at how often a cache lists all of etcd for KEP-4988's consistency
// check, timed (ConsistencyCheckPeriod of the delegator: five minutes, and a jitter that
// only adds to it). Without a clock nothing is judged. A process that starts again waits for as long. It is exercised by
// each check.
var ChecksApart = testbed.RegisterProperty(&testbed.Property{
	Name: "checks-apart", Kind: testbed.Safety,
	Promise:  "From one consistency check of a cache to the next it takes the period of these checks at least, and the first one comes no sooner.",
	Violated: "consistency checks too often",
	Labels:   map[string]string{"often": "consistency checks too often"},
	Monitor:  testbed.Monitor{Runs: testbed.Timed},
	New: testbed.AfterStepsBy(func(s *testbed.System) *checksApart {
		return &checksApart{system: s, last: make([]sim.Time, len(s.Caches())), seen: make([]int, len(s.Caches()))}
	}, (*checksApart).step, testbed.CacheNode),
})

// checkPeriod is upstream's ConsistencyCheckPeriod.
const checkPeriod = 5 * time.Minute

type checksApart struct {
	system *testbed.System
	// last is when the last check of each cache began, seen how many comparisons it
	// had begun by then.
	last []sim.Time
	seen []int
}

// Reset implements testbed.Observer.
func (j *checksApart) Reset() {
	clear(j.last)
	clear(j.seen)
}

func (j *checksApart) step(w *sim.World, a sim.Action, all *testbed.Tally) {
	if w.Mode() != sim.Timed {
		return
	}
	for i, c := range j.system.Caches() {
		if a.Node != c.ID || c.Detecting == nil {
			continue
		}
		for found := c.Detecting.Detections(); j.seen[i] < len(found); j.seen[i]++ {
			if found[j.seen[i]].By == check.ConsistencyCheck {
				j.judge(all, w, i)
			}
		}
	}
}

func (j *checksApart) judge(all *testbed.Tally, w *sim.World, i int) {
	period := j.system.Caches()[i].Server().Cache.ConsistencyCheckPeriod
	if period == 0 {
		period = checkPeriod
	}
	all.Exercised++
	if w.Now().Sub(j.last[i]) < period {
		all.Violate("often", testbed.Wrong(explore.Concern{Node: j.system.Caches()[i].Name},
			"%s is compared with etcd at %v and at %v: less than %v later", j.system.Caches()[i].Name, j.last[i].Sub(0), w.Now().Sub(0), period))
	}
	j.last[i] = w.Now()
}

// Copy has seen what the same judge of another system has.
func (j *checksApart) Copy(seen *checksApart) *checksApart {
	return &checksApart{j.system, slices.Clone(seen.last), slices.Clone(seen.seen)}
}

// Digest is when the last check of each cache began.
func (j *checksApart) Digest(d sim.Digest) sim.Digest {
	for _, at := range j.last {
		d = d.Int(int64(at))
	}
	return d
}

// DetectorAccuracy holds the consistency checker of KEP-4988 and the inconsistency
// detector of KEP-2340 against ground truth at the moment when they read the
// cache. A comparison that etcd gave no list for reports nothing. It is exercised
// by comparisons that have an outcome.
var DetectorAccuracy = testbed.RegisterProperty(&testbed.Property{
	Name: "detector-accuracy", Kind: testbed.Safety,
	Promise:  "A comparison of a cache with etcd reports every divergence that it looked at, never a healthy cache, and has an outcome when nothing more can happen.",
	Violated: "detector is wrong",
	Labels:   map[string]string{"missed": "divergence not detected", "false-alarm": "false alarm of the detector", "undecided": "comparison without an outcome"},
	Monitor:  testbed.Monitor{Runs: testbed.EveryRun},
	New: testbed.AfterStepsBy(func(s *testbed.System) *detectorAccuracy {
		return &detectorAccuracy{system: s, compared: make([][]comparison, len(s.Caches()))}
	}, (*detectorAccuracy).step, testbed.CacheNode),
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

// Reset implements testbed.Observer.
func (j *detectorAccuracy) Reset() {
	for i := range j.compared {
		j.compared[i] = j.compared[i][:0]
	}
}

func (j *detectorAccuracy) step(_ *sim.World, a sim.Action, _ *testbed.Tally) {
	for i, c := range j.system.Caches() {
		if a.Node != c.ID || c.Detecting == nil {
			continue
		}
		for all := c.Detecting.Detections(); len(j.compared[i]) < len(all); {
			j.compared[i] = append(j.compared[i], j.compare(c, &all[len(j.compared[i])]))
		}
	}
}

// Copy has seen what the same judge of another system has.
func (j *detectorAccuracy) Copy(seen *detectorAccuracy) *detectorAccuracy {
	c := &detectorAccuracy{j.system, make([][]comparison, len(seen.compared))}
	for i := range c.compared {
		c.compared[i] = slices.Clone(seen.compared[i])
	}
	return c
}

// Digest is how each cache stood to etcd for which a comparison has no outcome yet.
func (j *detectorAccuracy) Digest(d sim.Digest) sim.Digest {
	for i, c := range j.system.Caches() {
		if c.Detecting == nil {
			continue
		}
		for k, of := range c.Detecting.Detections() {
			if of.Outcome == check.Pending && k < len(j.compared[i]) {
				d = d.Int(int64(k)).Word(uint64(j.compared[i][k]))
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

// Conclude implements testbed.Concluder.
func (j *detectorAccuracy) Conclude(w *sim.World, all *testbed.Tally) {
	rest := w.Mode() == sim.Untimed && j.system.IsOver(w)
	for i, c := range j.system.Caches() {
		if c.Detecting == nil {
			continue
		}
		for k, of := range c.Detecting.Detections() {
			truth := j.compared[i][k]
			if rest && of.Outcome == check.Pending {
				all.Violate("undecided", misjudged(c.Name, of))
				return
			}
			if of.Outcome == check.Pending || of.Outcome == check.Error || truth == unknown {
				continue
			}
			all.Exercised++
			switch {
			case of.Outcome == check.Consistent && truth == diverged:
				all.Violate("missed", misjudged(c.Name, of))
			case of.Outcome == check.Inconsistent && truth == equal:
				all.Violate("false-alarm", misjudged(c.Name, of))
			}
			if all.Violated() {
				return
			}
		}
	}
}

// misjudged is a comparison with the wrong outcome.
func misjudged(cache string, of check.Detection) fmt.Stringer {
	about := explore.Concern{Node: cache}
	switch of.Outcome {
	case check.Pending:
		return testbed.Wrong(about,
			"nothing more can happen, and %v of %s at resourceVersion %d has no outcome", of.By, cache, of.ResourceVersion)
	case check.Consistent:
		return testbed.Wrong(about,
			"%v found nothing wrong with %s at resourceVersion %d, which etcd has other contents at", of.By, cache, of.ResourceVersion)
	}
	return testbed.Wrong(about,
		"%v found %s to differ from etcd at resourceVersion %d, where both are equal", of.By, cache, of.ResourceVersion)
}
