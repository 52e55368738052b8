package caches

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/check"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// ChecksApart looks at how often a cache lists all of etcd for KEP-4988's consistency check, timed
// (ConsistencyCheckPeriod of the delegator: five minutes, and a jitter that only adds to it, half of it at most).
// Without a clock nothing is judged. A process that starts again waits for as long. A cache that is not ready is not
// checked. It is exercised by each check.
var ChecksApart = testbed.RegisterProperty(&testbed.Property{
	Name: "checks-apart", Kind: testbed.Safety,
	Promise:  "From one consistency check of a cache to the next it takes the period of these checks at least, and the first one comes no sooner. As long as the cache is ready it takes half a period more at most.",
	Violated: "consistency check mistimed",
	Labels:   map[string]string{"often": "consistency checks too often", "late": "no consistency check"},
	Monitor:  testbed.Monitor{Runs: testbed.Timed},
	// A step of one cache may end the process, and others with it, and so does a fault.
	New: testbed.Each(testbed.CacheNode, func(s *testbed.System, w *sim.World, place int, at *checks, all *testbed.Tally) {
		checkedApart(w, s.Caches()[place], at, all)
	}, testbed.CacheNode, testbed.TheWorld),
})

// checkPeriod is upstream's ConsistencyCheckPeriod, checkGrace how long the turns of the loops may take in which a
// check begins.
const (
	checkPeriod = 5 * time.Minute
	checkGrace  = time.Second
)

// checks are those of a cache: when the last one began, how many comparisons the cache had begun by then, and since
// when one is to come.
type checks struct {
	last, since sim.Time
	seen        int
	// pending: one was under way behind the last step.
	pending bool
}

func checkedApart(w *sim.World, c *testbed.Cache, at *checks, all *testbed.Tally) {
	if w.Mode() != sim.Timed || c.Detecting == nil {
		return
	}
	o := &c.Server().Cache
	period := cmp.Or(o.ConsistencyCheckPeriod, checkPeriod)
	found := c.Detecting.Detections()
	pending := false
	for i := len(found) - 1; i >= 0 && !pending; i-- {
		pending = found[i].By == check.ConsistencyCheck && found[i].Outcome == check.Pending
	}
	if at.pending {
		at.since = w.Now()
	}
	at.pending = pending
	if longest := period*3/2 + checkGrace; o.Checks.ConsistencyChecker != check.ConsistencyCheckerOff && c.Ready() && w.Now().Sub(at.since) > longest {
		all.Violatef("late", testbed.Concern{Node: c.Name},
			"%s has been ready since %v at least, and no check has begun before %v: more than %v later", c.Name, at.since.Sub(0), w.Now().Sub(0), longest)
	}
	for ; at.seen < len(found); at.seen++ {
		if found[at.seen].By != check.ConsistencyCheck {
			continue
		}
		all.Exercised++
		if w.Now().Sub(at.last) < period {
			all.Violatef("often", testbed.Concern{Node: c.Name},
				"%s is compared with etcd at %v and at %v: less than %v later", c.Name, at.last.Sub(0), w.Now().Sub(0), period)
		}
		at.last, at.since = w.Now(), w.Now()
	}
	if pending || !c.Ready() {
		at.since = w.Now()
	}
}

// Digest is when the last check began, and since when the next one is to come.
func (at *checks) Digest(_ *testbed.System, _ int, d sim.Digest) sim.Digest {
	return d.Int(int64(at.last)).Int(int64(at.since)).Bool(at.pending)
}

// Conclude judges what no step of the cache has shown.
func (at *checks) Conclude(s *testbed.System, w *sim.World, cache int, all *testbed.Tally) {
	checkedApart(w, s.Caches()[cache], at, all)
}

// DetectorAccuracy holds the consistency checker of KEP-4988 and the inconsistency
// detector of KEP-2340 against ground truth at the moment when they read the
// cache. A comparison that etcd gave no list for reports nothing. It is exercised
// by comparisons that have an outcome.
var DetectorAccuracy = testbed.RegisterProperty(&testbed.Property{
	Name: "detector-accuracy", Kind: testbed.Safety,
	Promise:  "A comparison of a cache with etcd reports every divergence that it looked at, never a healthy cache, and has an outcome when nothing more can happen.",
	Violated: "detector is wrong",
	Labels:   map[string]string{"missed": "divergence not detected", "false-alarm": "false alarm of the detector", "unknown": "comparison without an outcome"},
	Monitor:  testbed.Monitor{Runs: testbed.EveryRun},
	New:      testbed.EachCache(detectorAccuracy),
})

// underWay says how many comparisons of a cache wait, if the cache tells.
func underWay(c *testbed.Cache) string {
	if holding, ok := c.Node.(cache.Holding); ok {
		return fmt.Sprintf("; its comparisons that wait for etcd's answer: %d", holding.Holds().Comparisons)
	}
	return ""
}

// comparison is how a cache stood to etcd when a detector looked at it.
type comparison uint8

const (
	unknown comparison = iota
	equal
	diverged
)

// compared are the comparisons of a cache, in the order of its Detections.
type compared struct{ all []comparison }

func detectorAccuracy(s *testbed.System, _ *sim.World, c *testbed.Cache, seen *compared, _ *testbed.Tally) {
	if c.Detecting == nil {
		return
	}
	for found := c.Detecting.Detections(); len(seen.all) < len(found); {
		seen.all = append(slices.Clip(seen.all), compare(s, c, &found[len(seen.all)]))
	}
}

// Digest is how a cache stood to etcd for which a comparison has no outcome yet.
func (v *compared) Digest(s *testbed.System, cache int, d sim.Digest) sim.Digest {
	c := s.Caches()[cache]
	if c.Detecting == nil {
		return d
	}
	for k, of := range c.Detecting.Detections() {
		if of.Outcome == check.Pending && k < len(v.all) {
			d = d.Int(int64(k)).Word(uint64(v.all[k]))
		}
	}
	return d
}

// compare compares what a detector looks at with ground truth, as far as the
// detector can see: the checker's digest is of keys and revisions.
func compare(s *testbed.System, c *testbed.Cache, of *check.Detection) comparison {
	store := s.Truth().At(of.ResourceVersion)
	if store == nil {
		return unknown
	}
	if l := of.List; l != nil && (l.Single || l.KeysOnly || !l.Selector.Empty()) {
		// etcd is asked for all objects of a prefix: a difference says nothing of the cache.
		return equal
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

// Conclude judges the comparisons of a cache.
func (v *compared) Conclude(s *testbed.System, w *sim.World, cache int, all *testbed.Tally) {
	c := s.Caches()[cache]
	if c.Detecting == nil {
		return
	}
	rest := w.Mode() == sim.Untimed && s.IsOver(w)
	for k, of := range c.Detecting.Detections() {
		if all.Violated() {
			return
		}
		misjudged := func(label, format string) {
			all.Violatef(label, testbed.Concern{Node: c.Name}, format, of.By, c.Name, of.ResourceVersion)
		}
		switch truth := v.all[k]; {
		case of.Outcome == check.Pending && rest:
			misjudged("unknown", "nothing more can happen, and %v of %s at resourceVersion %d has no outcome"+underWay(c))
		case of.Outcome == check.Pending, of.Outcome == check.Error, truth == unknown:
		default:
			all.Exercised++
			if of.Outcome == check.Consistent && truth == diverged {
				misjudged("missed", "%v found nothing wrong with %s at resourceVersion %d, which etcd has other contents at")
			} else if of.Outcome == check.Inconsistent && truth == equal {
				misjudged("false-alarm", "%v found %s to differ from etcd at resourceVersion %d, where both are equal")
			}
		}
	}
}
