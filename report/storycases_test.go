package report

import (
	"testing"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/scenarios/cluster"
	"github.com/watchbed/watchbed/scenarios/divergences"
	scenarioinformers "github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/testbed"

	// The known bugs.
	_ "github.com/watchbed/watchbed/knownbugs"
)

// fails is a scenario that is violated as it is in the catalogue, or on another
// version of etcd, and the cause.
type fails struct {
	scenario *testbed.Scenario
	property *testbed.Property
	etcd     string
	blame    string
}

// What etcd is blamed for in more than one scenario. The issues are
// etcd-io/etcd#15220, #17507, #18089, and what is left of #15220.
const (
	controlQueue  = "progress=control-queue"
	deferred      = "progress=deferred"
	tombstone     = "compact-tombstone=removed"
	createdFirst  = "created=past-channel"
	oldMember     = "progress=control-queue of etcd 3.5.7"
	lostEvent     = "lost-events"
	endsByTimer   = "initial-events-end=timer"
	readsFallBack = "on-timeout=fallback"
	// permitted: no behaviour is wrong. The clients ask for what they are given, or
	// the behaviour at fault is no option.
	permitted = ""
)

// failing are scenarios that fail on some version, with the property that says most about the cause. There is one for each way to
// fail of each cause, and for each note that no story of a known bug has.
var failing = []fails{
	{scenarios.Issue15220, reads.LinearizableData, "", controlQueue},
	{scenarios.Issue15220CatchingUp, caches.MatchEtcd, "", controlQueue},
	{scenarios.Issue17507, reads.AnswersInTime, "", deferred},
	{scenarios.Outages, reads.LinearizableData, "3.5.7", controlQueue},
	{scenarios.Outages, watches.Reliable, "3.5.13", tombstone},
	{scenarios.WatchGuarantees, watches.Bookmarkable, "3.5.7", controlQueue},
	{scenarios.WatchGuarantees, watches.Reliable, "3.5.7", "compacted-unsynced=falls-through"},
	{scenarios.SharedStream, caches.MatchEtcd, "", createdFirst},
	{scenarios.PagedLists, reads.Pages, "3.5.7", controlQueue},
	{scenarios.StaleList, reads.Linearizable, "", permitted},
	{scenarios.StaleOwnWrite, reads.ReadYourWrites, "", permitted},
	{scenarios.StaleOwnWrite, reads.Sequential, "", permitted},
	{scenarios.TimeTravel, reads.Monotonic, "", permitted},
	{scenarios.SnapshotReads, reads.Exact, "3.5.7", controlQueue},
	{scenarios.CompactedHistory, reads.Exact, "3.5.7", controlQueue},
	{scenarios.CompetingCompactors, reads.Exact, "3.5.7", controlQueue},
	{divergences.LostEvent, reads.Linearizable, "", lostEvent},
	{divergences.LostEventRecovers, reads.Exact, "", lostEvent},
	{scenarios.WatchListStreams, watches.InitialEvents, "3.5.7", controlQueue},
	{scenarios.WatchListSlow, watches.InitialEvents, "3.5.7", controlQueue},
	{scenarios.WatchListEnds, watches.InitialEventsEnd, "3.5.12", deferred},
	{scenarios.WatchListSixSeconds, watches.InitialEventsEnd, "", endsByTimer},
	{scenarios.CostQuiet, reads.Linearizable, "3.5.7", controlQueue},
	{cluster.Downgrade, reads.LinearizableData, "", oldMember},
	{cluster.Mixed, reads.LinearizableData, "", oldMember},
	{cluster.Cascade, reads.RecoversInTime, "", readsFallBack},
	{cluster.CascadeLimited, reads.RecoversInTime, "3.5.12", deferred},
	{scenarioinformers.ColdStart, informers.MatchEtcd, "3.5.7", controlQueue},
	{scenarioinformers.Resume, informers.MatchEtcd, "3.5.7", controlQueue},
	{scenarioinformers.Expired, informers.MatchEtcd, "3.5.13", tombstone},
	{scenarioinformers.Moves, informers.Monotonic, "3.5.7", controlQueue},
	{scenarioinformers.TimeTravel, informers.Monotonic, "", permitted},
	{scenarioinformers.Fallback, informers.CatchUp, "3.5.7", controlQueue},
	{scenarioinformers.RelistLoop, informers.CatchUp, "", permitted},
	{scenarioinformers.Detector, informers.MatchEtcd, "", lostEvent},
	{cluster.RolloutCompactors, reads.Pages, "3.5.7", controlQueue},
}

// ofOneServer are runs of which the option of one API server is the cause.
var ofOneServer = []*storyCase{
	{
		name: "rollout-snapshots-newest-page", scenario: cluster.RolloutSnapshots, property: reads.Pages,
		set: []string{"server-settings=cache-1:cache=kep-2340,cache-2:next-page=newest"}, blame: "next-page=newest of cache-2",
	},
	{
		name: "rollout-to-stale", scenario: cluster.Rollout, property: reads.Sequential,
		set:   []string{"cache=stale", "server-settings=cache-1:cache=kep-4988,cache-2:cache=kep-4988"},
		blame: "freshness=none of the API servers that come later",
	},
	{
		name: "rollout-gate-stale", scenario: cluster.RolloutGate, property: reads.Sequential,
		set: []string{"server-settings=cache-1:consistent-list-from-cache=disabled,cache-2:cache=stale"}, blame: "freshness=none of cache-2",
	},
}

// untold are known bugs of which no run is kept: it is long, and another story is of its kind.
var untold = map[string]string{
	"kubernetes-123532": "kubernetes-114458 has requests for progress that miss a watch under other metadata, too",
}

// storyCases are all failing runs that are told.
func storyCases(t *testing.T) []*storyCase {
	t.Helper()
	var all []*storyCase
	taken := map[string]bool{}
	add := func(name string, c *storyCase) {
		for taken[name] {
			name += "-" + c.property.Name
		}
		taken[name] = true
		c.name = name
		all = append(all, c)
	}
	for _, f := range failing {
		c := &storyCase{scenario: f.scenario, property: f.property, blame: f.blame}
		name := f.scenario.Name
		if f.etcd != "" {
			c.set = []string{"etcd=" + f.etcd}
			name += "-" + f.etcd
		}
		add(name, c)
	}
	for _, c := range ofOneServer {
		add(c.name, c)
	}
	for _, b := range testbed.KnownBugs() {
		if untold[b.Name] != "" {
			continue
		}
		add("bug-"+b.Name, &storyCase{scenario: b.Scenario, property: b.Property, strategy: b.Strategy, set: []string{"bugs=" + b.Name}, blame: b.Setting})
	}
	return all
}
