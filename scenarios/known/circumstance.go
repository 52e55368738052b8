package known

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/sim/informer/shared"
	"github.com/watchbed/watchbed/testbed"
)

// What a scenario does.
var (
	TimePasses = testbed.NewCondition("runs have a clock",
		func(s *testbed.Setup) bool { return s.Params.Clock.Mode == sim.Timed })
	EtcdNotifies = testbed.NewCondition("etcd's ticker sends progress",
		func(s *testbed.Setup) bool { return s.Nodes.Etcd.Watch.ProgressNotifyInterval > 0 })
	ReadsNameVersion = testbed.NewCondition("reads name a resourceVersion to wait for",
		func(s *testbed.Setup) bool {
			return s.Params.Workload.Read == "every" || s.Params.Workload.Read == "not-older" || s.Params.Workload.Read == "seen" || s.Params.Workload.Drawn.OfCache > 0
		})
	ClientsGet = testbed.NewCondition("clients GET objects between LISTs",
		func(s *testbed.Setup) bool { return s.Params.Workload.Gets > 0 })
	ClientsStreamLists = testbed.NewCondition("clients ask for initial events",
		func(s *testbed.Setup) bool {
			return s.Params.Workload.ListWatch.Clients > 0 || s.Params.Workload.Drawn.Watchers > 0 ||
				s.Params.Informers.Count > 0 && s.Params.Informers.List == informer.ByWatchList
		})
	ClientsDrawLists = testbed.NewCondition("clients of a cache draw their LISTs",
		func(s *testbed.Setup) bool { return s.Params.Workload.Drawn.OfCache > 0 })
	ClientsListPages = testbed.NewCondition("clients list with a limit and without a selector",
		func(s *testbed.Setup) bool {
			o := &s.Params.Workload
			return o.Drawn.OfCache > 0 || slices.Contains([]string{"every", "page", "pages", "past"}, o.Read)
		})
	ClientsWatchCaches = testbed.NewCondition("clients watch a cache",
		func(s *testbed.Setup) bool {
			o := &s.Params.Workload
			return o.Watchers+o.ListWatch.Clients+o.Drawn.Watchers > 0
		})
	InformersList = testbed.NewCondition("informers list, and do not stream",
		func(s *testbed.Setup) bool { return s.Params.Informers.List == informer.ByListWatch })
	InformersTakeAny = testbed.NewCondition(`the first LIST of an informer's process names resourceVersion "0"`,
		func(s *testbed.Setup) bool {
			o := &s.Params.Informers
			return o.Count > 0 && (o.RV == informer.RVOfClientGo || o.RV == informer.RVAny)
		})
	ShardsMove = testbed.NewCondition("changes move objects from one informer's shard to another's (informer-shards by the writer)",
		func(s *testbed.Setup) bool {
			return s.Params.Informers.Count > 1 && s.Params.Informers.Shards.By == testbed.ByWriter
		})
	InformersStop = testbed.NewCondition("processes stop their informers and begin anew (informer-stops)",
		func(s *testbed.Setup) bool {
			return s.Params.Informers.Count > 0 && s.Params.Informers.Shared.Stops > 0
		})
	InformersQueueByObject = testbed.NewCondition("a shared informer (informer-queue=real-fifo) processes all changes of an object before those of others (informer-batch-members=of-object)",
		func(s *testbed.Setup) bool {
			o := &s.Params.Informers
			return o.Count > 0 && o.Shared.Queue == shared.RealFIFO && s.Nodes.Informers.Shared.Members == shared.BatchOfObject
		})
	InformersInsist = testbed.NewCondition("informers stream the newest state, and do so again when that is refused because the API server is behind",
		func(s *testbed.Setup) bool {
			o := &s.Params.Informers
			return o.Count > 0 && o.List == informer.ByWatchList && (o.RV == informer.RVOfClientGo || o.RV == informer.RVNewest) &&
				o.TooLarge == informer.TooLargeNewest
		})
	InformersLosePatience = testbed.NewCondition("informers do not wait for the end of initial events for ever (informer-stream-patience)",
		func(s *testbed.Setup) bool { return s.Params.Informers.StreamPatience > 0 })
	InformersTimeOut = testbed.NewCondition("LISTs of informers are ended after some time (informer-list-timeout)",
		func(s *testbed.Setup) bool { return s.Params.Informers.ListTimeout > 0 })
	// A list at resourceVersion "0" comes from the cache, which ignores its limit.
	InformersListWhole = testbed.NewCondition("informers list all objects in one answer",
		func(s *testbed.Setup) bool {
			o := &s.Params.Informers
			return o.Count > 0 && o.List == informer.ByListWatch && o.RV != informer.RVNewest
		})
	InstallsSnapshot = testbed.NewCondition("etcd installs a snapshot",
		func(s *testbed.Setup) bool { return s.Params.Faults.Snapshots > 0 })
	SelectsInPages = testbed.NewCondition("clients list selected objects in pages",
		func(s *testbed.Setup) bool { return s.Params.Workload.Read == "filtered-pages" })
	TakesRests = testbed.NewCondition("clients list the rest of a page that was compacted (take-rests)",
		func(s *testbed.Setup) bool { return s.Params.Workload.TakeRests })
	EtcdCompacts = testbed.NewCondition("etcd is compacted",
		func(s *testbed.Setup) bool { return s.Params.Workload.Compactions > 0 || s.Params.Topology.Compactors })
	RewritesKeys = testbed.NewCondition("clients delete keys and put them again in one transaction",
		func(s *testbed.Setup) bool { return s.Params.Workload.Rewrites || s.Params.Workload.Drawn.OfEtcd > 0 })
	SeveralAtOnce = testbed.NewCondition("clients of etcd change several objects at one revision",
		func(s *testbed.Setup) bool {
			o := &s.Params.Workload
			return o.Wide || o.DeletesAll || o.Rewrites || o.Drawn.OfEtcd > 0
		})
	EtcdRestarts = testbed.NewCondition("etcd restarts",
		func(s *testbed.Setup) bool { return s.Params.Faults.EtcdRestarts > 0 })
	CachesAreRecreated = testbed.NewCondition("a cache is replaced by a new one in the same process",
		func(s *testbed.Setup) bool { return s.Params.Faults.Recreations > 0 })
	WatchesLag = testbed.NewCondition("watches are served by a member of etcd that lags behind",
		func(s *testbed.Setup) bool { return s.Params.Topology.Lagging })
	OldMemberComes = testbed.NewCondition("an etcd whose answers to progress requests overtake events comes to serve later", oldMemberComes)
	SameEtcd       = testbed.NewCondition("etcd is the same release from beginning to end",
		func(s *testbed.Setup) bool { return !s.Params.ChangesMember() })
)

// NotifiesEvery is about the interval of etcd's own progress notifications.
func NotifiesEvery(d time.Duration) testbed.Condition {
	return testbed.NewCondition("etcd notifies of progress every "+d.String()+" or more often",
		func(s *testbed.Setup) bool {
			i := s.Nodes.Etcd.Watch.ProgressNotifyInterval
			return i > 0 && i <= d
		})
}

// oldMemberComes looks at the other releases that may serve: settings and bugs are
// those of every member.
func oldMemberComes(s *testbed.Setup) bool {
	for _, v := range s.Params.MemberVersions()[1:] {
		other := *s.Params
		other.Etcd = v
		if o, err := other.Setup(); err == nil && ProgressOvertakesEvents.Holds(o) {
			return true
		}
	}
	return false
}
