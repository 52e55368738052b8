package proofs_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// promise is a part of the table: what was searched for on several releases and designs.
type promise struct {
	// title is empty of a row of the catalogue's table.
	title string
	// text says what is promised, and what a reader must know of the searches.
	text     string
	scenario *testbed.Scenario
	etcd     []string
	// designs of the cache; none for clients of etcd's own API.
	designs []string
	bounds  []bounds
	// claims are those of the scenario that the rows judge, all if there are none: small bounds leave others without a test.
	claims []string
	// larger: these are searched for minutes, not only until the number of states is too large, and the row says how long it took.
	larger bool
	// wanted are the bounds that are still too large, in words.
	wanted string
}

// bounds are options of the scenario, NAME=VALUE, and how often timers fire if it has no clock.
type bounds struct {
	set     string
	firings int
}

// classes are a release for each way in which etcd answered progress requests, and the
// newest of each branch.
var classes = []string{"3.5.7", "3.5.12", "3.5.13", "3.6.16", "3.7.3"}

// promises are all parts of the table, in order.
var promises = slices.Concat(consistency, features, catalogue)

// consistency is what is promised of reads, watches and informers, with as much going on as a search can bear.
var consistency = []promise{
	{
		title: "Consistent LIST",
		text: "A consistent LIST shows every write that was answered before the LIST was asked for. The search begins when the cache has listed\n" +
			"and watches.",
		scenario: scenarios.Issue15220, etcd: classes, designs: []string{"kep-2340", "kep-2340-fallback"},
		bounds: []bounds{{one, 1}},
	},
	{
		title: "Consistent LIST by other designs",
		text: "The first table for designs that read etcd's revision otherwise, share one read of it, ask for no progress, or check etcd's version. On\n" +
			"3.5.7 requested progress overtakes events: draft-2019 requests none, and v0.37.2 checks etcd's version. On 3.6.16 none is violated within these\n" +
			"bounds, which have one member of etcd: an echo of one that lags is another scenario (lagging-member).",
		scenario: scenarios.Issue15220, etcd: []string{"3.5.7", "3.6.16"},
		designs: []string{"single-request", "draft-2019", "progress-echo", "accumulated-reads", "dynamic-fallback", "v0.37.2"},
		bounds:  []bounds{{one, 1}},
		wanted:  "kep-4988, which keeps snapshots, with more than 20,145 states",
	},
	{
		title:    "Consistent LIST of two writes",
		text:     "The same with two writes one after the other and two LISTs one after the other.",
		scenario: scenarios.Issue15220, etcd: classes, designs: []string{"kep-2340"},
		bounds: []bounds{{"writers=1 writes=2 readers=1 reads=2", 1}},
		wanted: "two writers and two readers where each timer fires once: alone, with 6 GB and for 20 minutes, 8,208,926 states come to depth 39. Where no timer fires they are below",
	},
	{
		title: "Consistent LIST, larger and larger",
		text: "How far the search of the two tables above comes: one thing more of a kind, then up to 3 writes x 3 LISTs x 3 polls. A search ends after\n" +
			"five minutes. What it took was measured on two cores that other work was busy on.",
		scenario: scenarios.Issue15220, etcd: []string{"3.6.16"}, designs: []string{"kep-2340"}, larger: true,
		bounds: []bounds{
			{"writers=1 writes=2 readers=1 reads=1", 1}, {"writers=1 writes=1 readers=1 reads=2", 1}, {one, 2}, {one, 3},
			{"writers=1 writes=2 readers=1 reads=2", 2}, {"writers=1 writes=2 readers=1 reads=2", 3},
			{"writers=1 writes=3 readers=1 reads=2", 3}, {"writers=1 writes=3 readers=1 reads=3", 3}, {"writers=2 writes=1 readers=2 reads=1", 0},
		},
	},
	{
		title: "Each LIST is answered",
		text: "A consistent LIST of a quiet range is answered sooner or later, if each message arrives and each loop and each timer has its turn.\n" +
			"At rest timers fire without end. A violation is a way into a loop and the loop, which can be repeated for ever: etcd-io/etcd#17507.",
		scenario: scenarios.QuietRange, etcd: classes, designs: []string{"kep-2340", "kep-2340-fallback", "single-request"},
		bounds: []bounds{{"noise-writes=1", 1}, {"noise-writes=2 readers=2", 0}},
	},
	{
		title: "Each LIST is answered in time",
		text: "The same with a clock: a consistent LIST of a quiet range is answered by the cache within a bound that follows from the longest delays, a turn\n" +
			"of syncWatchersLoop and two polls: 300 ms. What is due first happens first, and what is due at one\n" +
			"moment in every order. Of each question about a time (network and scheduling delays, when clients ask, the phases of tickers) the first\n" +
			"and the last answer are looked at, so that nothing is said of what lies between. Messages and loops take no time. All clients are\n" +
			"done before the horizon, but for those that wait in vain: etcd-io/etcd#17507, and a design that requests progress once.",
		scenario: scenarios.Issue17507, etcd: classes, designs: []string{"kep-2340", "kep-2340-fallback", "single-request"},
		bounds: []bounds{{set: quietTimed + " reads=1"}},
		wanted: "messages that take no time or 1 ms, with 579,012 states on 3.5.13",
	},
	{
		title:    "Each LIST is answered in time, with turns that take time",
		text:     "The same where a turn of a loop takes no time or 500 µs, ten times as long until the cache is ready; the bound is 308 ms.",
		scenario: scenarios.Issue17507, etcd: []string{"3.5.12", "3.5.13", "3.6.16"}, designs: []string{"kep-2340"},
		bounds: []bounds{{set: "noise-writes=1 readers=1 reads=1 items=1 keys=1 network=0s scheduling=500us horizon=1s"}},
	},
	{
		title: "Consistent LIST with a fault",
		text: "The same where the stream of the cache's watch breaks once, etcd compacts once, or the cache starts anew once. No timer fires, so\n" +
			"that the cache requests no progress: a LIST waits for the event of the write. This says nothing of progress, on which releases differ.",
		scenario: scenarios.Issue15220, etcd: []string{"3.6.16"}, designs: []string{"kep-2340"},
		bounds: []bounds{{one + " breaks=1", 0}, {one + " compactions=1", 0}, {one + " restarts=1", 0}},
		wanted: "2 writes x 2 LISTs x 3 polls",
	},
	{
		title:    "Consistent LIST with requested progress and a fault",
		text:     "The same with a stream that breaks, a compaction, or a cache that starts anew, where each timer fires once, so that the cache requests progress.",
		scenario: scenarios.Issue15220, etcd: []string{"3.5.7", "3.6.16"}, designs: []string{"kep-2340"},
		bounds: []bounds{{one + " breaks=1", 1}, {one + " compactions=1", 1}, {one + " restarts=1", 1}},
	},
	{
		title: "Watch from the past with requested progress",
		text: "Progress that a client requests comes behind all events that it speaks for, also those of a watch from the past that was created\n" +
			"after the request, on etcd's own watch API. With created=past-channel nothing is masked: there Created overtakes that progress, as in\n" +
			"every release. Releases before 3.5.8 answer a progress request past the channel, too, so that Created does not overtake it.",
		scenario: scenarios.SecondWatch, etcd: classes,
		bounds: []bounds{{"writes=1", 1}, {"created=past-channel writes=1", 1}},
		wanted: "two writes behind two requests",
	},
	{
		title: "Watch whose start is compacted",
		text: "A watch that was created below the compacted revision is canceled: progress never says that it has all events. The channel of its\n" +
			"stream holds one response.",
		scenario: scenarios.CompactedWatch, etcd: []string{"3.5.12"},
		claims: []string{"reliable", "bookmarkable", "watch-answers"},
		bounds: []bounds{{"writers=1 writes=1 keys=1 compactions=1", 1}},
		wanted: "the same on 3.5.13 and later, where nothing is found that ends the search",
	},
	{
		title: "Snapshot reads with a compaction",
		text: "An exact LIST of a past state is answered with that state or refused, while etcd compacts (KEP-4988). The search begins when\n" +
			"the cache has listed and watches.",
		scenario: scenarios.SnapshotReads, etcd: []string{"3.6.16"}, designs: []string{"kep-2340", "kep-4988"},
		claims: []string{"exact", "cache-matches-etcd", "served-as-promised"},
		bounds: []bounds{{"page=1 at-rest=true caches=1 compactors=false compactions=1 writers=1 writes=1 noise=0 noise-writes=0 readers=1 reads=2" +
			" restarts=0 history=0 deletes=false items=2 keys=2", 0}},
		wanted: "API servers that compact etcd themselves, and a cache that starts anew",
	},
	{
		title: "WatchList with its end bookmark",
		text: "An informer that streams its list (KEP-3157) holds, at the bookmark that ends the initial events and ever after, what etcd had at\n" +
			"the informer's resourceVersion; it never goes back, and it catches up. The search begins when the cache has listed and watches.",
		scenario: informers.ColdStart, etcd: classes, designs: []string{"kep-2340", "kep-2340-fallback", "single-request"},
		bounds: []bounds{{oneInformer + " informer-page=0 restarts=0", 1}},
		wanted: "kep-4988, which keeps snapshots, with 236,860 states; a cache that starts anew while it streams",
	},
	{
		title: "Informer over a relist",
		text: "An informer holds what etcd had at the informer's resourceVersion, and never goes back, while one of its requests or its watch is\n" +
			"refused and it lists again behind a pause. That LIST names a resourceVersion, so that the cache requests no progress for it, and\n" +
			"releases do not differ. The search begins when the cache has listed and watches.",
		scenario: informers.Expired, etcd: classes, designs: []string{"kep-2340", "kep-2340-fallback", "single-request"},
		bounds: []bounds{{oneInformer + " compactions=0 informer-breaks=0 informer-refusals=1", 1}},
		wanted: "two informers at two API servers; a watch that breaks besides, with more than 152,002 states",
	},
	{
		title:    "Informer over a relist and a compaction",
		text:     "The same while etcd compacts once.",
		scenario: informers.Expired, etcd: classes, designs: []string{"kep-2340"},
		bounds: []bounds{{oneInformer + " compactions=1 informer-breaks=0 informer-refusals=1", 1}},
	},
}

// quietTimed leaves one write to another prefix, and clients that list one object of a quiet range, with a
// clock: messages and loops take no time, so that what is due at one moment comes in every order.
const quietTimed = "noise-writes=1 readers=1 items=1 keys=1 network=0s scheduling=0s horizon=1s"

// oneInformer leaves one informer, one API server, and one write of the one object that there is.
const oneInformer = "at-rest=true caches=1 writers=1 writes=1 noise=0 noise-writes=0 deletes=false keys=1 items=1 informers=1"

// row is one search of the table.
type row struct {
	*promise
	etcd, design string
	bounds
}

func (p *promise) rows() (list []row) {
	designs := p.designs
	if designs == nil {
		designs = []string{""}
	}
	for _, b := range p.bounds {
		for _, e := range p.etcd {
			for _, d := range designs {
				list = append(list, row{p, e, d, b})
			}
		}
	}
	return list
}

// judged is the scenario with the claims that the row judges.
func (p *promise) judged() *testbed.Scenario {
	if len(p.claims) == 0 {
		return p.scenario
	}
	return only(p.scenario, p.claims...)
}

// params are those of the search.
func (r *row) params() (testbed.Params, error) {
	p := r.scenario.Params
	p.Etcd = r.etcd
	if r.design != "" {
		p.Cache = r.design
	}
	return p, setAll(&p, r.set)
}

// setAll refuses an option that is set twice, as the command does: a reader of the row would not know which counts.
func setAll(p *testbed.Params, settings string) error {
	set := map[string]bool{}
	for _, s := range strings.Fields(settings) {
		name, value, _ := strings.Cut(s, "=")
		if set[name] {
			return fmt.Errorf("%s is set twice in %q", name, settings)
		}
		set[name] = true
		if err := p.Set(name, value); err != nil {
			return err
		}
	}
	return nil
}

// name is that of the row in proofs.json: what simrun is to be asked for.
func (r *row) name() string {
	words := []string{r.scenario.Name, "--etcd", r.etcd}
	if r.design != "" {
		words = append(words, "--cache", r.design)
	}
	for _, s := range strings.Fields(r.set) {
		words = append(words, "--set", s)
	}
	if !r.timed() {
		words = append(words, "--firings", fmt.Sprint(r.firings))
	}
	return strings.Join(words, " ")
}

// timed reports whether the runs have a clock: the horizon bounds them, and no number of firings.
func (p *promise) timed() bool { return p.scenario.Params.Clock.Mode == sim.Timed }

// isTold reports whether the story of a violation is kept: those of other designs are told in the same way, and the command tells each.
func (r *row) isTold() bool { return r.design == "" || r.design == "kep-2340" }

// story is the file with the shortest schedule of a violation.
func (r *row) story() string {
	words := append([]string{r.scenario.Name, "etcd-" + r.etcd, r.design}, strings.Fields(r.set)...)
	if !r.timed() {
		words = append(words, fmt.Sprintf("firings=%d", r.firings))
	}
	words = slices.DeleteFunc(words, func(w string) bool { return w == "" })
	return strings.ReplaceAll(strings.Join(words, "-"), "=", "-") + ".txt"
}
