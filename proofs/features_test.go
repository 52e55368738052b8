package proofs_test

import (
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/scenarios/etcdrequests"
	"github.com/watchbed/watchbed/scenarios/seats"
)

// features are small worlds about what the promises above them do not ask for. Each row names the claims that it
// puts to the test, because bounds so small leave the others of its scenario without a test.
var features = []promise{
	{
		title: "Requests of etcd's API, one after the other",
		text: "One client sends 40 ranges, writes, transactions and compactions with any options, which a seed draws. What it is answered fits one order of\n" +
			"them, and etcd keeps nothing for it.",
		scenario: scenarios.AnyEtcdRequests, etcd: []string{"3.6.16"},
		claims: []string{"linearizable", "linearizable-data", "exact", "etcd-answers", "etcd-nothing-left"},
		bounds: drawnFor(drawnInTurn, "5", "7", "9", "11", "15", "24", "25"),
	},
	{
		title:    "A stream of watches that a seed draws",
		text:     "A client creates, cancels and asks about watches on one stream, beside another one whose requests are drawn, too.",
		scenario: scenarios.AnyEtcdRequests, etcd: []string{"3.6.16"},
		claims: []string{"watch-answers", "watches-keep-up", "etcd-nothing-left"},
		bounds: drawnFor("streams=1 history=0 drawn-clients=1 drawn-requests=6 drawn-bytes=100 etcd-restarts=0 etcd-snapshots=0 at-rest=true keys=2 items=2",
			"4", "8", "16"),
	},
	{
		title:    "Requests that etcd finds too large",
		text:     "The same as in the first of these two tables, by a client of an etcd that refuses what is larger than 51 bytes.",
		scenario: etcdrequests.RequestSizes, etcd: []string{"3.6.16"},
		claims: []string{"linearizable", "linearizable-data", "etcd-answers"},
		bounds: drawnFor("keys=2 items=2 history=0 drawn-clients=1 drawn-requests=40 drawn-bytes=8 at-rest=true", "1"),
	},
	{
		title:    "etcd without a leader",
		text:     "A watch that asks for a leader is refused, or ended, while etcd has none.",
		scenario: etcdrequests.LeaderlessAtRest, etcd: []string{"3.6.16"},
		claims: []string{"watch-answers"},
		bounds: []bounds{{"writers=1 writes=1 deletes=false streams=1 keys=1 items=1 leader-losses=1 at-rest=true", 0}},
	},
	{
		title:    "Requests of the cache's API, one after the other",
		text:     "One client draws 12 LISTs with any resourceVersion, match, limit and continue token beside one write.",
		scenario: scenarios.AnyRequests, etcd: []string{"3.6.16"}, designs: []string{"kep-2340", "kep-4988"},
		claims: []string{"linearizable", "linearizable-data", "cache-matches-etcd", "served-as-promised"},
		bounds: drawnFor("caches=1 writers=1 writes=1 txns=false deletes=false noise=0 noise-writes=0 watchers=0 leave=0 compactions=0 drawn-readers=1"+
			" drawn-watchers=0 drawn-requests=12 breaks=0 restarts=0 at-rest=true keys=2 items=2 history=0", "1", "2", "7"),
	},
	{
		title:    "LISTs by field and by namespace",
		text:     "The same with selectors.",
		scenario: scenarios.SelectedLists, etcd: []string{"3.6.16"}, designs: []string{"kep-4988"},
		claims: []string{"linearizable", "linearizable-data", "not-older-than", "exact", "cache-matches-etcd", "served-as-promised"},
		bounds: drawnFor("groups=1 namespaces=0 writers=1 writes=1 txns=false deletes=false noise=0 noise-writes=0 watchers=0 leave=0 keys=2 items=2"+
			" compactions=0 drawn-readers=1 drawn-watchers=0 drawn-requests=12 breaks=0 restarts=0 at-rest=true", "1"),
	},
	{
		title:    "LISTs and GETs of each kind",
		text:     "A client sends four LISTs and two GETs, each of which may be consistent, not older than a revision, or exact.",
		scenario: scenarios.EveryRead, etcd: []string{"3.6.16"}, designs: []string{"kep-4988"},
		claims: []string{"linearizable", "linearizable-data", "not-older-than", "cache-matches-etcd", "served-as-promised"},
		bounds: []bounds{{"writers=1 writes=1 deletes=false noise=0 noise-writes=0 readers=1 reads=4 gets=2 watchers=0 leave=0 compactions=0 keys=2 items=2" +
			" history=1 restarts=0 etcd-restarts=0 at-rest=true", 0}},
	},
	{
		title:    "Pages of one LIST",
		text:     "The pages of a consistent LIST are one state while an object is written, from snapshots, from etcd, or from what the cache keeps for a time.",
		scenario: scenarios.PagedLists, etcd: []string{"3.6.16"}, designs: []string{"kep-2340", "kep-4988"},
		claims: []string{"pages", "linearizable", "linearizable-data", "cache-matches-etcd", "served-as-promised"},
		bounds: []bounds{{onePage, 0}, {"pagination=kept " + onePage, 0}},
	},
	{
		title:    "Pages that are kept for a time",
		text:     "The same without a write, where the timer fires after which the cache does not keep them.",
		scenario: scenarios.PagedLists, etcd: []string{"3.6.16"}, designs: []string{"kep-2340"},
		claims: []string{"pages", "cache-matches-etcd", "served-as-promised"},
		bounds: []bounds{{"pagination=kept caches=1 writers=0 writes=0 deletes=false readers=1 reads=1 compactions=0 keys=2 items=2 breaks=0 restarts=0" +
			" at-rest=true page=1", 1}},
	},
	{
		title:    "Consistent LIST where the cache begins, or asks, in another way",
		text:     "The cache streams its first list (KEP-3157), asks through the client library, or sends LISTs to etcd while others wait long.",
		scenario: scenarios.Issue15220, etcd: []string{"3.6.16"}, designs: []string{"kep-2340"},
		bounds: []bounds{{one + " reflector-list=watch-list", 0}, {one + " client-kv=true", 0}, {one + " dynamic-fallback=wait-time", 1}},
	},
	{
		title:    "A watch that falls behind",
		text:     "A client takes its events slowly. It gets all of them and the bookmark, or the cache ends its watch and keeps nothing for it.",
		scenario: scenarios.FullWatchesAtRest, etcd: []string{"3.6.16"}, designs: []string{"kep-2340"},
		bounds: []bounds{{"writers=1 writes=2 deletes=false noise=0 noise-writes=0 readers=0 reads=0 watchers=1 keys=1 items=1 list-watchers=0 list-rounds=0" +
			" breaks=0 at-rest=true", 1}},
	},
	{
		title:    "Initial events while others come",
		text:     "A client takes the initial events of its watch slowly while an object is written twice. It gets each once, in order, and nothing that is older.",
		scenario: scenarios.WatchListSlow, etcd: []string{"3.5.13"}, designs: []string{"kep-2340"},
		claims: []string{"event-types", "initial-events", "ordered", "unique", "reliable"},
		bounds: []bounds{{slowInitial, 0}, {"initial-events-buffer=inject-merged " + slowInitial, 0}},
	},
	{
		title:    "Initial events that etcd lists in pages",
		text:     "The cache passes a watch on to etcd, whose client lists the initial events in pages of one object, while the call may be given up.",
		scenario: scenarios.ErrorsAtRest, etcd: []string{"3.6.16"}, designs: []string{"kep-2340"},
		claims: []string{"initial-events", "event-types"},
		bounds: []bounds{{"writers=1 writes=1 deletes=false readers=0 reads=0 watchers=0 keys=3 items=3 list-watchers=1 list-rounds=1 page=1 call-breaks=1" +
			" client-kv=false" + nothingDrawn + " timeouts=0 leader-changes=0", 0}},
	},
	{
		title:    "Calls that are given up",
		text:     "A LIST through the client library is repeated while etcd changes its leader, fails, or its connection breaks. In the end nothing is kept for it.",
		scenario: scenarios.ErrorsAtRest, etcd: []string{"3.6.16"}, designs: []string{"kep-2340"},
		claims: []string{"client-nothing-left", "timers-owned"},
		bounds: []bounds{{"writers=0 writes=0 deletes=false readers=1 reads=1 watchers=0 keys=1 items=1 list-watchers=0 list-rounds=0 call-breaks=1" +
			" client-kv=true" + nothingDrawn + " timeouts=1 leader-changes=1", 1}},
	},
	{
		title:    "Seats",
		text:     "Two LISTs share one seat, so that one waits for the other (API priority and fairness).",
		scenario: seats.Queues, etcd: []string{"3.6.16"}, designs: []string{"kep-2340-fallback"},
		claims: []string{"seats-kept", "linearizable", "cache-matches-etcd"},
		bounds: []bounds{{"writers=1 writes=1 deletes=false noise=0 noise-writes=0 readers=2 reads=1 gets=0 watchers=0 leave=0 keys=2 items=2 informers=0" +
			" breaks=0 restarts=0 informer-breaks=0 informer-restarts=0 at-rest=true read=consistent seats=1 queues=1", 0}},
	},
	{
		title:    "A comparison of the cache with etcd",
		text:     "The cache compares itself with etcd page by page beside an exact LIST and a write.",
		scenario: scenarios.SnapshotReads, etcd: []string{"3.6.16"}, designs: []string{"kep-4988"},
		claims: []string{"exact", "cache-matches-etcd", "served-as-promised"},
		bounds: []bounds{{"consistency-checker=fallback page=1 at-rest=true caches=1 compactors=false compactions=0 writers=1 writes=1 noise=0 noise-writes=0" +
			" readers=1 reads=1 restarts=0 history=0 deletes=false items=2 keys=2", 1}},
	},
	{
		title:    "Each GET is answered in time",
		text:     "As a LIST of a quiet range is, by the clock, and not older than it was asked for.",
		scenario: scenarios.QuietGet, etcd: []string{"3.5.13"}, designs: []string{"kep-2340"},
		bounds: []bounds{{set: "noise=1 noise-writes=1 readers=1 gets=1 keys=1 items=1 network=0s scheduling=0s horizon=1s"}},
	},
}

// What rows of features leave of a scenario.
const (
	// drawnInTurn is one client of etcd that sends one request after the other.
	drawnInTurn = "streams=0 history=0 drawn-clients=1 drawn-requests=40 drawn-bytes=100 etcd-restarts=0 etcd-snapshots=0 at-rest=true"
	// nothingDrawn leaves of errors-at-rest what a row names itself.
	nothingDrawn = " leave=0 drawn-watchers=0 drawn-requests=0 resources=1 client-writes=false leader-losses=0 stream-ends=0 breaks=0 recreations=0 at-rest=true"
	onePage      = "caches=1 writers=1 writes=1 deletes=false readers=1 reads=1 compactions=0 keys=2 items=2 breaks=0 restarts=0 at-rest=true page=1"
	slowInitial  = "writers=1 writes=2 deletes=true keys=1 items=2 list-watchers=1 list-rounds=1 list-rv=unset list-slow=true at-rest=true watch-buf=1"
)

// drawnFor are the bounds of requests that each of several seeds draws.
func drawnFor(set string, seeds ...string) (list []bounds) {
	for _, seed := range seeds {
		list = append(list, bounds{set + " drawn-seed=" + seed, 0})
	}
	return list
}
