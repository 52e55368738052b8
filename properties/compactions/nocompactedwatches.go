package compactions

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/properties/moments"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// NoCompactedWatches is about watches that begin in the past. etcd refuses a watch whose
// first revision is below that of a compaction; the compacted revision itself it still has.
// A cache that keeps its history of events whatever etcd compacts serves it, so that a
// client sees whether there is a cache ("Supporting compaction is required to ensure
// consistent behavior regardless of whether the watch cache is enabled or disabled",
// KEP-4988, which leaves watches for the future). A cache is held to the compaction that it
// had heard of when it was asked, etcd to its last one. It is exercised by watches from
// before that.
var NoCompactedWatches = testbed.RegisterProperty(&testbed.Property{
	Name: "no-compacted-watches", Kind: testbed.Safety,
	Promise:   "A watch from before a compaction that its server had heard of sends no event, from cache or not.",
	Violated:  "compacted history watched",
	Past:      func(s *testbed.System) testbed.Past { return watchedPast{s, moments.Of(s)} },
	Remembers: true,
	New: func(s *testbed.System) testbed.Judge {
		return &noCompactedWatches{s, moments.Of(s)}
	},
})

type noCompactedWatches struct {
	system  *testbed.System
	moments *moments.Recorder
}

// Reset implements testbed.Judge.
func (*noCompactedWatches) Reset() {}

// Finding implements testbed.Judge.
func (j *noCompactedWatches) Finding(*sim.World) explore.Finding {
	var all testbed.Tally
	for i, c := range j.system.Watchers() {
		for k := range c.Streams() {
			s := &c.Streams()[k]
			j.judge(&all, c.Name(), &j.moments.Watches(i)[k], &wire.WatchRequest{ResourceVersion: s.From}, s.Events)
		}
	}
	at := len(j.system.Watchers()) + len(j.system.ListWatchers())
	for i, c := range j.system.DrawnWatchers() {
		for k := range c.Streams() {
			if s := &c.Streams()[k]; !s.IsList() {
				j.judge(&all, c.Name(), &j.moments.Watches(at + i)[k], s.Request, s.Events)
			}
		}
	}
	return all.Finding()
}

func (j *noCompactedWatches) judge(all *testbed.Tally, client string, at *moments.Call, asked *wire.WatchRequest, events []*wire.WatchEvent) {
	if asked.ResourceVersion <= 0 || at.Cache < 0 || len(events) == 0 {
		return
	}
	compacted := at.Asked.Cache.Compacted
	if at.Server.Cache.Watches.Delegation.Serves(asked) {
		if j.system.Etcd().Waits() {
			// The member that serves watches may not have applied the compaction.
			return
		}
		compacted = at.Asked.Etcd.Compacted
	}
	if asked.ResourceVersion+1 >= compacted {
		return
	}
	all.Exercised++
	if first := events[0]; first.Type != wire.Failed {
		all.Violate("", &watchedCompacted{client, asked.ResourceVersion, first.ResourceVersion, compacted})
	}
}

// watchedPast is, for each watch, what its cache and etcd had compacted when it was asked for.
type watchedPast struct {
	system  *testbed.System
	moments *moments.Recorder
}

// Digest implements testbed.Past.
func (p watchedPast) Digest(d sim.Digest) sim.Digest {
	for i := range len(p.system.Watchers()) + len(p.system.ListWatchers()) + len(p.system.DrawnWatchers()) {
		if all := p.moments.Watches(i); len(all) > 0 {
			at := &all[len(all)-1]
			d = d.Int(at.Asked.Cache.Compacted).Int(at.Asked.Etcd.Compacted)
		}
	}
	return d
}

// watchedCompacted is a watch that should have been refused.
type watchedCompacted struct {
	client                 string
	from, event, compacted int64
}

func (v *watchedCompacted) String() string {
	return fmt.Sprintf("%s's watch after RV %d is sent revision %d; its server had heard of the compaction at revision %d before it was asked",
		v.client, v.from, v.event, v.compacted)
}

// Concerns implements explore.Concerned.
func (v *watchedCompacted) Concerns() explore.Concern {
	return explore.Concern{Client: v.client, Revision: v.event, Compaction: v.compacted}
}
