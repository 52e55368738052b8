package main

import "github.com/watchbed/watchbed/upstream/guests"

// bug is a row of upstream's table of reproductions.
type bug struct {
	// name is that of upstream's patch, and of ours if there is one.
	name string
	// suite is what upstream's own suite makes of it.
	suite string
	// scenario, set and property are where it shows here. Without a scenario, why says what is lacking.
	scenario string
	set      []string
	property string
	why      string
	// how the goroutines of the guest are scheduled.
	how guests.Schedule
	// gated: v0.38.0-beta.0 takes no object of the cache that does not meet the preconditions, unless the gate
	// ConsistentGetFromCache is on. It is, there.
	gated bool
}

// What is said of several rows.
const (
	suiteFinds = "found"
	objects    = "object-writes"
)

// alone leaves one client of object-writes, and one API server.
var alone = []string{"updaters=1", "caches=1", "readers=0", "reads=0", "gets=0", "breaks=0", "keys=1"}

// selecting are clients that list one of six objects and are answered by etcd, of which the API server has to ask for
// several parts, while others write.
var selecting = []string{"compactions=0", "writers=2", "writes=8", "keys=4", "readers=4", "reads=4", "groups=6"}

// slowly has the first list of a cache take two seconds, while others write. Clients are told of its end within
// milliseconds, and watch.
var slowly = []string{"mode=timed", "network=1ms", "scheduling=100us", "horizon=10s", "item-time=1s", "items=2", "keys=2", "writes=8", "txns=false", "noise=0", "think=1s",
	"caches=1", "breaks=0", "restarts=0", "await-ready=true", "list-watchers=12", "list-rounds=1", "list-rv=0"}

// bugs are in the order of upstream's table, those that its suite does not find first.
var bugs = []bug{
	{name: "94002", suite: "not found: it does not list in pages", scenario: "compacted-selections", set: selecting, property: "linearizable"},
	{name: "123674", suite: "not found: its lists of one object go to etcd", scenario: "quiet-get", set: []string{"version-check=none"}, property: "answers-in-time"},
	{name: "123676", suite: "not found: a consistent read is right at resourceVersion 0", scenario: "any-without-progress", property: "answers-in-time"},
	{name: "122805", suite: suiteFinds, scenario: "watch-list", property: "event-types"},
	{name: "125584", suite: suiteFinds, scenario: "namespaces", property: "linearizable"},
	{name: "134831", suite: suiteFinds, scenario: "watch-list", property: "initial-events"},
	{name: "135452", suite: suiteFinds, scenario: "watch-list", property: "initial-events"},
	{name: "116172", suite: "not found: no cache begins anew in its runs", scenario: "informer-during-relist", how: guests.Schedule{Late: true}, property: "informer-matches-etcd"},
	{name: "125244", suite: "not found: it asks for bookmarks with initial events only", scenario: "watch-list", set: slowly, property: "bookmarkable"},
	{name: "49745", suite: "not found: what is sent raises the floor as well", scenario: "watch-list-emptied", property: "resumable"},
	{name: "58545", suite: suiteFinds, scenario: "resumed-watch", property: "resumable"},
	{name: "125133", suite: suiteFinds, why: "the namespace or the name of a watch in the context of its request, which the guest leaves empty: to the cacher all watches are of all objects"},
	{name: "stale-get", suite: suiteFinds, scenario: "every-read", property: "linearizable"},
	{name: "stale-list", suite: suiteFinds, scenario: "consistent-list", property: "linearizable"},
	{name: "35415", suite: suiteFinds, scenario: objects, set: alone, property: "write-refusals"},
	{name: "35415-deepcopy", suite: suiteFinds, scenario: "guaranteed-updates", set: []string{"updaters=1", "caches=1", "reads=0", "gets=0", "call-breaks=0", "breaks=0", "restarts=0"}, property: "cache-matches-etcd"},
	{name: "43152", suite: "not found: no update of its fails by itself", scenario: objects, set: alone, property: "write-refusals"},
	{name: "48394", suite: suiteFinds, scenario: objects, set: alone, property: "write-answers"},
	{name: "54780", suite: suiteFinds, scenario: objects, set: alone, property: "no-lost-updates"},
	{name: "58545-unary", suite: suiteFinds, scenario: objects, set: alone, property: "write-answers"},
	{name: "77619", suite: "not found: no validation of a deletion fails", scenario: objects, set: alone, property: "write-refusals"},
	{name: "82303", suite: suiteFinds, scenario: objects, set: alone, property: "write-refusals", gated: true},
	{name: "89828-precondition", suite: suiteFinds, scenario: objects, set: alone, property: "write-refusals", gated: true},
	{name: "89828-deleted-object", suite: suiteFinds, scenario: objects, property: "write-answers"},
	// Those that are not looked for.
	{name: "89828-deepcopy", suite: suiteFinds, why: "something that looks at the object between two steps of one goroutine: the store takes the resourceVersion out of the object of the cache and puts it back, " +
		"and validations of deletions change nothing here"},
	{name: "138724", suite: suiteFinds, why: "a release without it: v0.37.2 has this bug. On the guest as it is, not-found-versions is violated in each schedule of object-writes (`go run ./measure verdicts -page`), as with the design v0.37.2"},
	{name: "142591", suite: suiteFinds, why: "a revision in the answer to a GET of an object that is not there: messages of the bed have none. v0.37.2 has this bug"},
	{name: "78713", suite: "no patch: its objects are structured", why: "objects of any other type than the guest's own"},
	{name: "94608", suite: "no patch: the cause is not known", why: "a cause"},
}
