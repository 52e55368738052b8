package scenarios

import (
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/plans"
	"github.com/watchbed/watchbed/workload"
)

var UnevenAttempts = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "uneven-attempts",
	Summary: "the client library of one API server tries a read twice, that of the other 100 times, and etcd answers with errors",
	Doc: `How often a client library tries is its own setting, and API servers of one cluster may differ in it, as in the middle of an
upgrade. Each gives a read up when it has tried as often as it may, and not before. The one that tries twice gives some up.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 compact-recreated=kept caches=2 client-writes=true server-settings=cache-2:unary-retries=2
		read=consistent keys=3 items=4 history=1 drawn-clients=4 drawn-requests=6
		timeouts=8 leader-changes=4 steps=20000`),
	About:  testbed.Reaches{"clientv3: a write is interrupted and not repeated": 75},
	Claims: []*testbed.Property{reads.Repeated, reads.Linearizable, reads.LinearizableData, reads.Exact, reads.AtMostOnce},
})

var LaggingReads = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "lagging-reads",
	Summary: "clients of etcd's own API read from a member that has applied less than another one, whose watches may have shown more",
	Doc: `Both members apply the entries of the log as they come. The one that takes reads may be the later one of the two: a
linearizable read asks what is committed, and waits until that is applied. A client that was sent an event by the other member finds
it there.`,
	Params: testbed.With(`etcd=3.7.3 cache=kep-2340 compact-recreated=kept lagging=true progress-requests=periodic
		writers=1 writes=3 read=consistent keys=3 items=2 history=1 drawn-clients=3 drawn-requests=6 steps=20000`),
	About:  testbed.Reaches{"etcd: entry of the log taken from the leader": 75},
	Active: testbed.Active{"needless-ranges=removed": ""},
	Claims: []*testbed.Property{etcdapi.Answers, etcdapi.Headers, reads.Linearizable, reads.LinearizableData, reads.Exact, reads.AtMostOnce},
	Known:  known.RangesLeftOut(etcdapi.Answers),
})

var LaggingStreams = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "lagging-streams",
	Summary: "clients of etcd's own API draw their requests at the leader, and streams watch a member that follows: both carry out the same",
	Doc: `A member that gives no answer to a transaction need not read what its ranges ask for. It must refuse the transaction all the same if
one of them asks for a revision that is not there, as the member does that answers. Releases before 3.7 left such ranges out
(etcd-io/etcd#18667): the follower is a revision ahead then, and sends events of writes that the leader has refused.`,
	Params: testbed.With(`etcd=3.7.3 cache=kep-2340 compact-recreated=kept lagging=true progress-requests=periodic watch-options=with-watch
		read=consistent streams=2 keys=3 items=2 history=1 drawn-clients=3 drawn-requests=6 to-rest=true steps=20000`),
	Stream: func(p *testbed.Params, i int) workload.EtcdWatchPlan {
		return plans.AnyWatches(&p.Workload, i)
	},
	About: testbed.Reaches{"etcd: entry of the log taken from the leader": 80},
	Claims: []*testbed.Property{
		watches.Ordered, watches.Unique, watches.Atomic, watches.Reliable, watches.Resumable, watches.Filter, watches.KeepUp, watches.PrevKV,
		etcdapi.Answers, etcdapi.Headers, etcdapi.WatchAnswers, etcdapi.NothingLeft,
	},
	Known: anyWatches(),
})

var AnyWithoutLeader = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "any-without-leader",
	Summary: "clients draw their requests to etcd's own API, which has no leader for seconds: it answers no write and no linearizable read",
	Doc: `A linearizable read asks the leader what is committed, a transaction that only reads as well, unless each of its ranges is
serializable. Without a leader it waits, and fails when there is one again. A serializable range is served from what the member has. Only a leader
renews a lease.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 compact-recreated=kept read=consistent keys=3 items=2 history=1 think=3s drawn-clients=4
		drawn-requests=12 drawn-leases=true leader-losses=1 faults-for=15s mode=timed network=1ms scheduling=500us horizon=40s steps=200000`),
	About: testbed.Reaches{"etcd: write waits for a leader": 60},
	Claims: []*testbed.Property{
		etcdapi.NeedsLeader, etcdapi.LeasesKept, etcdapi.LeasesExpire, etcdapi.Answers,
		reads.Linearizable, reads.LinearizableData, reads.AtMostOnce,
	},
	Known: leaderChanges(),
})

var StalledDisk = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "stalled-disk",
	Summary: "the disk of etcd stalls for seconds while clients draw their requests: serializable reads go on, all others wait or are refused in time",
	Doc: `raftNode waits in Save while the disk takes nothing. It sends and hears no heartbeat meanwhile, and campaigns for nothing: the member
knows its leader, streams that require one stay open, and a client sees nothing but requests that time out after seven seconds
(etcd-io/etcd#13527). A write that timed out is carried out when the disk is back.`,
	Params: AnyWithoutLeader.Params.But(`leader-losses=0 stall-disk=true faults-for=40s horizon=1m`),
	About:  testbed.Reaches{"etcd: write waits for the disk": 45, "etcd: request out of time while the disk stalls": 45},
	Claims: []*testbed.Property{
		etcdapi.StalledDisk, etcdapi.Answers, reads.Linearizable, reads.LinearizableData, reads.AtMostOnce,
	},
})

var StalledMember = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "stalled-member",
	Summary: "the disk of the member of etcd that serves the watch stalls for seconds: LISTs are refused meanwhile, and answered when it is back",
	Doc: `A cache does not notice: its watch stays open, and etcd's revision comes from the other member. Consistent LISTs wait for the cache in vain, as
behind a clogged watch (guard-cascade-limited), until the disk is back.`,
	Params: GuardCascadeLimited.Params.But("clog=false stall-disk=true lagging=true"),
	About:  testbed.Reaches{"etcd: disk of a member stalls": 90},
	Claims: []*testbed.Property{reads.RecoversInTime},
	Known:  known.Rarely(GuardCascadeLimited.Known),
})

var LeaderlessAtRest = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "leaderless-at-rest",
	Summary: "streams of etcd's own watch API that require a leader, while etcd loses its leader, until nothing more can happen: none is left half open",
	Doc: `etcd refuses a stream that requires a leader while it has none, and ends those that are open. Either way it closes its end: the
clients here do not close theirs, as clientv3 does.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 progress-requests=periodic
		writers=2 writes=3 deletes=true read=consistent streams=3 keys=2 items=2
		leader-losses=2 to-rest=true steps=20000`),
	Stream: func(_ *testbed.Params, i int) workload.EtcdWatchPlan {
		create := watchFrom(0)
		create.RequireLeader = i != 1
		return workload.EtcdWatchPlan{Creates: []*wire.WatchCreateRequest{create}, Requests: 2}
	},
	About: testbed.Reaches{"etcd: stream ended from the side of the server": 60},
	Claims: []*testbed.Property{
		etcdapi.NothingLeft, etcdapi.WatchAnswers, watches.KeepUp, watches.Ordered, watches.Unique, watches.Reliable,
	},
})

var TwoStepWrites = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "two-step-writes",
	Summary: "clients of etcd's own API read and watch while the events of a write are sent and its revision is not visible yet",
	Doc: `etcd notifies the watches of a write and then raises its current revision. Serializable reads, and the headers of control
responses, take no lock that covers both: a client may be sent an event and then read the state before it from the same server. A
linearizable read, a watch that begins, and progress come after the second step. In other scenarios a write is one step.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 compact-recreated=kept visible-revision=after-events progress-requests=periodic
		writers=1 writes=3 read=consistent streams=1 keys=2 items=2 drawn-clients=2 drawn-requests=6 steps=20000`),
	Stream: func(*testbed.Params, int) workload.EtcdWatchPlan {
		return workload.EtcdWatchPlan{Creates: []*wire.WatchCreateRequest{watchFrom(0)}, Later: []sim.Payload{watchFrom(0)}}
	},
	About:  testbed.Reaches{"etcd: revision read before a write is visible whose events are in a watch channel": 20},
	Claims: []*testbed.Property{etcdapi.Answers, etcdapi.WatchAnswers, reads.Linearizable, reads.Exact, watches.Ordered, watches.Unique},
})
