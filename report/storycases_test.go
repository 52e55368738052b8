package report

import (
	"testing"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"

	// The known bugs.
	_ "github.com/watchbed/watchbed/knownbugs"
)

// fails is a scenario that is violated as it is in the catalogue, or on another
// version of etcd.
type fails struct {
	scenario *testbed.Scenario
	property *testbed.Property
	etcd     string
}

// failing has each scenario that fails on some version, with the property that
// says most about the cause; some have a second one.
var failing = []fails{
	{scenarios.Issue15220, reads.LinearizableData, ""},
	{scenarios.Issue15220CatchingUp, reads.LinearizableData, ""},
	{scenarios.Issue15220CatchingUp, caches.MatchEtcd, ""},
	{scenarios.Issue17507, reads.AnswersInTime, ""},
	{scenarios.Recovery, reads.AnswersInTime, "3.5.12"},
	{scenarios.Recovery, reads.Linearizable, "3.5.7"},
	{scenarios.ConsistentList, reads.LinearizableData, "3.5.7"},
	{scenarios.EveryRead, reads.LinearizableData, "3.5.7"},
	{scenarios.Outages, reads.LinearizableData, "3.5.7"},
	{scenarios.Outages, watches.Reliable, "3.5.13"},
	{scenarios.Backpressure, reads.LinearizableData, "3.5.7"},
	{scenarios.WatchGuarantees, watches.Bookmarkable, "3.5.7"},
	{scenarios.WatchGuarantees, watches.Reliable, "3.5.7"},
	{scenarios.WatchGuarantees, watches.Reliable, "3.5.13"},
	{scenarios.Rewatch, watches.Bookmarkable, ""},
	{scenarios.SeveralCaches, reads.LinearizableData, "3.5.7"},
	{scenarios.SharedStream, caches.MatchEtcd, ""},
	{scenarios.LaggingMember, reads.LinearizableData, "3.5.7"},
	{scenarios.LaggingMember, caches.MatchEtcd, "3.5.13"},
	{scenarios.PagedLists, reads.Pages, "3.5.7"},
	{scenarios.StaleList, reads.Linearizable, ""},
	{scenarios.StaleOwnWrite, reads.ReadYourWrites, ""},
	{scenarios.StaleOwnWrite, reads.Sequential, ""},
	{scenarios.TimeTravel, reads.Monotonic, ""},
	{scenarios.QuietGet, reads.AnswersInTime, "3.5.12"},
	{scenarios.BusyNeighbour, reads.AnswersInTime, "3.5.12"},
	{scenarios.Namespaces, reads.LinearizableData, "3.5.7"},
	{scenarios.SnapshotReads, reads.Exact, "3.5.7"},
	{scenarios.CompactedHistory, reads.Exact, "3.5.7"},
	{scenarios.CompetingCompactors, reads.Exact, "3.5.7"},
	{scenarios.LostEvent, reads.Linearizable, ""},
	{scenarios.LostEventRecovers, reads.Exact, ""},
	{scenarios.WatchListStreams, watches.InitialEvents, "3.5.7"},
	{scenarios.WatchListStart, caches.MatchEtcd, "3.5.7"},
	{scenarios.WatchListSlow, watches.InitialEvents, "3.5.7"},
	{scenarios.WatchListEnds, watches.InitialEventsEnd, "3.5.12"},
	{scenarios.WatchListSixSeconds, watches.InitialEventsEnd, ""},
	{scenarios.CostQuiet, reads.Linearizable, "3.5.7"},
	{scenarios.GuardUnasked, reads.LinearizableData, ""},
	{scenarios.GuardDowngrade, reads.LinearizableData, ""},
	{scenarios.GuardQuietRange, reads.AnswersInTime, ""},
	{scenarios.Cascade, reads.RecoversInTime, ""},
	{scenarios.CascadeLimited, reads.RecoversInTime, "3.5.12"},
	{scenarios.InformerColdStart, informers.MatchEtcd, "3.5.7"},
	{scenarios.InformerResume, informers.MatchEtcd, "3.5.7"},
	{scenarios.InformerExpired, informers.MatchEtcd, "3.5.13"},
	{scenarios.InformerMoves, informers.Monotonic, "3.5.7"},
	{scenarios.InformerTimeTravel, informers.Monotonic, ""},
	{scenarios.InformerFallback, informers.CatchUp, "3.5.7"},
	{scenarios.InformerRelistLoop, informers.CatchUp, ""},
	{scenarios.InformerDetector, informers.MatchEtcd, ""},
	{scenarios.InformerOutages, informers.MatchEtcd, "3.5.7"},
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
		c := &storyCase{scenario: f.scenario, property: f.property}
		name := f.scenario.Name
		if f.etcd != "" {
			c.set = []string{"etcd=" + f.etcd}
			name += "-" + f.etcd
		}
		add(name, c)
	}
	for _, b := range testbed.KnownBugs() {
		add("bug-"+b.Name, &storyCase{scenario: b.Scenario, property: b.Property, strategy: b.Strategy, set: []string{"bugs=" + b.Name}})
	}
	return all
}
