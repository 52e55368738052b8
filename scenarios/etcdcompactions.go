package scenarios

import (
	"time"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
)

var KeptHistory = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "kept-history",
	Summary: "a watch from revision -1 beside one from revision 2, in a turn of syncWatchers after one that has read all history, timed",
	Doc: `Releases 3.6.0 to 3.6.8 keep the events of a turn of syncWatchers for the next one, which reads what is missing before and behind
them. A watch from -1 is accepted up to 3.6.5, and before -1 nothing is ever missing: its turn has what was kept. Here a watch from
revision 2 was synced before, so that all history was kept, and the watches of the turn are sent everything. Releases of 3.5 that
accept the watch read nothing in such a turn, and the watches lose their events (etcd-io/etcd#20693).`,
	Params: testbed.With(`etcd=3.6.5 cache=kep-2340 writers=1 writes=6 read=consistent streams=1 keys=2 items=2 think=1s
		mode=timed network=1ms scheduling=500us horizon=10s steps=100000`),
	Stream: func(*testbed.Params, int) workload.EtcdWatchPlan {
		// syncWatchersLoop has been round twice before the later watches come.
		return workload.EtcdWatchPlan{
			Creates: []*wire.WatchCreateRequest{watchFrom(2)}, After: 250 * time.Millisecond, Later: []sim.Payload{watchFrom(-1), watchFrom(2)},
		}
	},
	About:  testbed.Reaches{"etcd: watch from a negative revision sent history that was kept": 65},
	Active: testbed.Active{"sync-history=read-anew": "etcd=3.6.5", "sync-history=kept": "etcd=3.5.23"},
	Claims: []*testbed.Property{watches.Reliable, etcdapi.WatchAnswers},
	Known: known.When(known.AcceptsNegativeStart, testbed.Unless(known.KeepsHistory)).Violates(watches.Reliable).
		Because("a watch from revision -1 makes every watch of its round synced without events (etcd-io/etcd#20693)"),
})

var LateWatches = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "late-watches",
	Summary: "watches of etcd's own API begin at a revision that was compacted seconds before: each is told so in time, timed",
	Doc: `The client of a watch that is never told of the compaction waits for ever: the watch is open, and nothing comes. A turn of
syncWatchersLoop tells it, 100 ms after the turn before. The stream is quiet otherwise, and its channel has room. There is a watch
from each revision, so that one of them wants just the last revision that is gone.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 writers=1 writes=4 read=consistent streams=2 compactions=2 compact-newest=true keys=2 items=2
		history=2 think=300ms mode=timed network=1ms scheduling=500us horizon=8s steps=100000`),
	Stream: func(p *testbed.Params, _ int) workload.EtcdWatchPlan {
		plan := workload.EtcdWatchPlan{Creates: []*wire.WatchCreateRequest{watchFrom(0)}, After: 2 * time.Second, Every: 500 * time.Millisecond}
		for rev := int64(2); rev <= p.Workload.FirstRevision()+p.Workload.TotalWrites(); rev++ {
			plan.Later = append(plan.Later, watchFrom(rev))
		}
		return plan
	},
	About:  testbed.Reaches{"etcd: watcher cancelled for compaction": 95},
	Claims: []*testbed.Property{etcdapi.WatchAnswers, watches.Reliable, caches.JustifiedRefusals},
})

var PhysicalCompactions = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "physical-compactions",
	Summary: "clients of etcd's own API draw compactions of which some are answered when all that they remove is gone",
	Doc: `A compaction is answered when its revision is fixed, and what is compacted is removed later, batch by batch. A physical one is
answered when that is done, behind the compactions before it. One that is refused because etcd was compacted there waits for them as
well.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 compact-recreated=kept progress-requests=periodic compaction-batch=1
		read=consistent keys=2 items=2 history=4 drawn-clients=4 drawn-requests=8 drawn-physical=true
		to-rest=true steps=20000`),
	Draws:  option.Ranges(`keys=1|4 drawn-clients=2|6 drawn-requests=4|12 history=0|8`),
	About:  testbed.Reaches{"etcd: physical compaction waits for the removal": 25},
	Active: testbed.Active{"physical-compaction=after-first-batch": ""},
	Claims: []*testbed.Property{etcdapi.Physical, etcdapi.Answers, etcdapi.NothingLeft},
})

var CompactionInRange = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "compaction-in-range",
	Summary: "clients of etcd's own API draw requests, a Range takes its time, and compactions come meanwhile",
	Doc: `A Range holds the lock of the store until its end, and Compact takes that lock. So a Compact waits for the Range, all writes that
come after it wait with it, and no later Range goes before it. Without the lock a Range of the present would find its own revision
compacted. With a hundred keys a count is more than one node of the index has, and limits are below it.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 compact-recreated=kept progress-requests=periodic range-time=1ms
		read=consistent keys=1 items=100 history=4 drawn-clients=12 drawn-requests=4 to-rest=true steps=20000`),
	Draws:  option.Ranges(`keys=1|4 drawn-clients=4|16 drawn-requests=2|8 history=0|8`),
	About:  testbed.Reaches{"etcd: Compact waits for a Range": 25},
	Active: testbed.Active{"compaction-in-range=goes-on": ""},
	Claims: []*testbed.Property{etcdapi.Answers, etcdapi.NothingLeft},
})
