package claims

import (
	"strconv"
	"time"

	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/scenarios/seats"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// Claim is a figure of a document, written down from it before anything is
// measured.
type Claim struct {
	Document, Says string
	// Where says under what conditions it is measured, Why is the reason for what
	// is measured there.
	Where, Why string
	Scenario   *testbed.Scenario
	Params     []option.Setting
	// Share multiplies the number of runs: rare values need more of them. 0 is one
	// run, where one takes seconds and is all but the same as the next.
	Share uint64

	bearsOut test
	// beside is another campaign of the scenario, with which the first is compared; nil
	// is none.
	beside *comparison
}

// comparison is what a figure that says "more" or "less" needs: the settings of the
// other campaign, and a test of both in place of that of one.
type comparison struct {
	params   []option.Setting
	bearsOut func(all, beside measured) (text string, borneOut bool)
}

const (
	kep2340   = "KEP-2340"
	kep3157   = "KEP-3157"
	kep4988   = "KEP-4988"
	draft2019 = "draft of 2019"

	saysReadWait = "99 of 100 reads wait less than 200 ms, with a progress request every 100 ms"
	saysAverage  = "a progress notification every 250 ms adds 125 ms on average"
	saysDetect   = "a cache can tell whether etcd sends progress notifications by when it received the last one"
	saysSelected = "for the pods of one node all pods are listed from etcd, and the cache's index picks out those that are needed"
	saysRequests = "an informer sends one request in place of two"
	saysLoad     = "LISTs of informers are served from the watch cache, and etcd's load is reduced"
	saysBypass   = "LISTs of previous states, such as pages, go to etcd without snapshots"
	saysRelists  = "bookmarks minimize the chance that a client has to list again"
	saysEcho     = "progress that names its request takes one round trip to etcd in place of two"
	saysSizes    = "a LIST takes less time from the cache than from etcd, with 1 to 100,000 objects of 5, 25 and 100 kB"
	saysSixty    = "a LIST is ended after 60 s, so that a slow reflector might fail to synchronize"
	saysUnread   = "caching increases RAM usage if clients read the first page and never paginate"
	saysPages    = "LISTs in pages require no request to etcd any more"
	saysSudden   = "a spike of LISTs takes milliseconds, which is too sudden for measuring memory every 100 ms"
	saysSeats    = "a fallback changes the cost of a request after it was admitted, which increases the risk of overload"
	saysTwoMB    = "a watch takes about 2 MB while it sends 400 objects of 1 MB"
	saysSix      = "the end of the initial events comes after at most 6 s, with notifications every 5 s and bookmarks every second"
)

var (
	drafted  = []option.Setting{{Name: "cache", Value: "draft-2019"}, {Name: "notify", Value: "250ms"}}
	trusting = []option.Setting{{Name: "notify-detection", Value: "off"}}
	steadily = []option.Setting{{Name: "reads", Value: "30"}, {Name: "noise-for", Value: "10s"}, {Name: "noise-writes", Value: "1000"}}
	// Two writes a second of the resource, for as long as others are written.
	nowAndThen = []option.Setting{{Name: "writers", Value: "1"}, {Name: "writes", Value: "40"}, {Name: "think", Value: "1s"}}
	// Clients that turn pages slowly, and writers that go on meanwhile.
	atLeisure = []option.Setting{
		{Name: "think", Value: "80s"}, {Name: "writers", Value: "32"}, {Name: "writes", Value: "10"}, {Name: "noise", Value: "0"},
		{Name: "reads", Value: "2"}, {Name: "horizon", Value: "1h"},
	}
	// allPages is clients that read each list to its end.
	allPages      = only("read", "pages")
	withSnapshots = []option.Setting{{Name: "cache", Value: "kep-4988"}, {Name: "pagination", Value: "first-page"}}
	often         = []option.Setting{{Name: "writes", Value: "40"}}
)

func join(lists ...[]option.Setting) []option.Setting {
	var all []option.Setting
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// memoryOf is the manual test of KEP-3157 with this many informers and objects.
func memoryOf(informers, objects int) []option.Setting {
	return []option.Setting{
		{Name: "informers", Value: strconv.Itoa(informers)}, {Name: "items", Value: strconv.Itoa(objects)}, {Name: "writers", Value: "0"},
	}
}

// sized is LISTs of so many objects of so many bytes, which come from etcd with 10 Gbit/s.
func sized(objects, bytes int) []option.Setting {
	transfer := time.Duration(bytes) * time.Second / 1_250_000_000
	return []option.Setting{
		{Name: "items", Value: strconv.Itoa(objects)}, {Name: "keys", Value: "1"}, {Name: "etcd-transfer", Value: transfer.String()},
		{Name: "readers", Value: "1"},
	}
}

func besideEtcd(objects, bytes int) *comparison {
	return &comparison{join(only("cache", "direct"), steadily, sized(objects, bytes)), isFaster}
}

// storm is a thousand informers that get all objects in this way.
func storm(list string) []option.Setting {
	return []option.Setting{{Name: "informers", Value: "1000"}, {Name: "items", Value: "5"}, {Name: "informer-list", Value: list}}
}

func only(name, value string) []option.Setting {
	return []option.Setting{{Name: name, Value: value}}
}

// All lists the claims, document by document.
func All() []Claim { return known }

var known = []Claim{
	{kep2340, saysReadWait, "other resources are written",
		"a read that waits is at most one period away from the next request, whatever is written",
		scenarios.CostElsewhere, nil, 1, readWaitBelow, nil},
	{kep2340, saysReadWait, "the resource and others are written",
		"most events come before the next request is due",
		scenarios.CostBusy, nil, 1, readWaitBelow, nil},
	{kep2340, saysReadWait, "on etcd 3.5.12",
		"progress that was deferred never comes (etcd #17507): the reads wait for the full 3 s",
		scenarios.CostElsewhere, only("etcd", "3.5.12"), 1, readWaitBelow, nil},
	{kep2340, saysReadWait, "50 ms to etcd, one way",
		"request and notification are under way for longer than the period",
		scenarios.CostElsewhere, only("network", "50ms"), 1, readWaitBelow, nil},
	{kep2340, saysSeats, "ten seats, LISTs that fall back",
		"a LIST is admitted as a read of the cache, and takes etcd twice that",
		seats.Fallback, only("cache", "kep-2340-fallback"), 1, beyondSeats, nil},
	{kep2340, saysSeats, "ten seats, LISTs that are admitted again before they fall back",
		"a LIST is put to etcd only with the seats that this costs, which a stale cache has seldom left",
		seats.Fallback, []option.Setting{{Name: "cache", Value: "dynamic-fallback"}, {Name: "fallback-seats", Value: "at-etcd"}}, 1, beyondSeats, nil},
	{kep2340, saysSelected, "etcd, 50 of 1,000 objects",
		"etcd knows of no fields: it sends each object, and the API server leaves out 19 of 20",
		scenarios.CostSelected, only("cache", "direct"), 1, looksAt(20), nil},
	{kep2340, saysSelected, "the cache by its index, 50 of 1,000 objects",
		"the index has the objects by the value of the field",
		scenarios.CostSelected, nil, 1, looksAt(1), nil},
	{kep2340, saysSelected, "the cache by a field that has no index, 50 of 1,000 objects",
		"nothing is asked of etcd but its revision, and the cache looks at each object that it has: of pods only spec.nodeName has an index",
		scenarios.CostSelected, only("read", "filtered"), 1, looksAt(1), nil},
	{draft2019, saysAverage, "the resource is not written",
		"half an interval, and half of etcd's jitter of up to 10 %",
		scenarios.CostElsewhere, join(drafted, trusting, steadily), 1, averageIs125, nil},
	{draft2019, saysAverage, "the resource is written twice a second",
		"etcd's ticker leaves out a watch that was sent an event since the last tick: reads wait for up to two intervals",
		scenarios.CostBusy, join(drafted, trusting, steadily, nowAndThen), 1, averageIs125, nil},
	{draft2019, saysDetect, "the resource is written 32 times a second",
		"a watch that is always sent events is left out at every tick: it looks like a server that sends no notifications",
		scenarios.CostBusy, join(drafted, steadily, often), 1, mostlyFromCache, nil},
	{draft2019, saysSizes, "1 object of 5 kB, 10 Gbit/s from etcd, other resources are written",
		"what the cache waits for its next notification is more than what etcd takes",
		scenarios.CostElsewhere, join(drafted, trusting, steadily, sized(1, 5_000)), 0, nil, besideEtcd(1, 5_000)},
	{draft2019, saysSizes, "10,000 objects of 100 kB, 10 Gbit/s from etcd, other resources are written",
		"a gigabyte comes from etcd for each LIST, and none for one from the cache",
		scenarios.CostElsewhere, join(drafted, trusting, steadily, sized(10_000, 100_000)), 0, nil, besideEtcd(10_000, 100_000)},
	{draft2019, saysRelists, "a quiet resource, and API servers that restart, beside informers without bookmarks",
		"an API server takes a watch from a resourceVersion as new as its first list, which is that of a bookmark more often",
		informers.QuietResource, nil, 1, nil, &comparison{only("informer-no-bookmarks", "true"), listsLess}},
	{draft2019, saysEcho, "other resources are written",
		"reads that wait at the same time share a progress request, and no revision is read",
		scenarios.CostElsewhere, []option.Setting{{Name: "cache", Value: "progress-echo"}, {Name: "etcd", Value: "3.6.16"}}, 1, oneRoundTrip, nil},
	{kep3157, saysSixty, "40 objects of 1 MB at 500 kB a second, with LISTs",
		"all objects take 80 s: each LIST is ended before, and the next one begins with the first object",
		informers.SlowLists, nil, 1, neverSyncs, nil},
	{kep3157, saysSixty, "40 objects of 1 MB at 500 kB a second, with streams",
		"no time-out ends a stream: the informer has all objects after 80 s",
		informers.SlowStreams, nil, 1, neverSyncs, nil},
	{kep3157, saysTwoMB, "1,024 informers, a millisecond away",
		"an object waits in the channel for as long as the network takes, and few are on their way at a time",
		informers.Memory, memoryOf(1024, 40), 0, eachTakesTwoMB(1024), nil},
	{kep3157, saysTwoMB, "16 informers, up to 100 ms away",
		"all 10 slots of a watcher's channel hold an object: the number of slots bounds it, not 2 MB",
		informers.Memory, join(memoryOf(16, 400), only("network", "100ms")), 1, eachTakesTwoMB(16), nil},
	{kep3157, saysRequests, "with LISTs, and nothing fails",
		"a LIST, and a WATCH from its resourceVersion on",
		informers.Memory, only("informer-list", "list-watch"), 1, requestsAre(2), nil},
	{kep3157, saysRequests, "with streams, and nothing fails",
		"one WATCH; but it asks for the newest state, so that the API server reads etcd's revision, which it does not for a LIST at resourceVersion 0",
		informers.Memory, nil, 1, requestsAre(1), nil},
	{kep3157, saysRequests, "with streams, while API servers, etcd and informers restart",
		"a stream that is refused or cut off is asked for again, or a LIST and a WATCH take its place",
		informers.Outages, nil, 1, requestsAre(1), nil},
	{kep3157, saysLoad, "1,000 informers start over at once, and list at resourceVersion 0",
		"any state will do, and the caches have one",
		informers.CostStorm, storm("list-watch"), 0, etcdSpared(0), nil},
	{kep3157, saysLoad, "1,000 informers start over at once, and stream",
		"an API server reads etcd's revision for each stream: no objects come, and as many requests as if etcd answered LISTs",
		informers.CostStorm, storm("watch-list"), 0, etcdSpared(0), nil},
	{kep3157, saysSudden, "16 informers list 400 MB at a time, with a limit of 800 MB",
		"all have asked before memory is measured for the second time: none is refused",
		informers.Memory, join(memoryOf(16, 400), only("informer-list", "list-watch"), only("answers-limit", "800")), 1, exceeds(800e6), nil},
	{kep3157, saysSudden, "the same, measured every millisecond",
		"fewer at a time, but what comes within the millisecond passes; those that are refused come again after a second",
		informers.Memory, join(memoryOf(16, 400), only("informer-list", "list-watch"), only("answers-limit", "800"), only("measure-period", "1ms")), 1, exceeds(800e6), nil},
	{kep3157, saysSix, "the resource is not written",
		"both timers have jitter, of 10 % in etcd and of 25 % in the cache: up to 6.75 s",
		scenarios.WatchListSixSeconds, only("writers", "0"), 20, endsWithinSix, nil},
	{kep3157, saysSix, "the resource is written now and then",
		"a tick that leaves the watch out costs another 5 s: up to 12.25 s",
		scenarios.WatchListSixSeconds, nil, 20, endsWithinSix, nil},
	{kep3157, saysSix, "as shipped in v0.37.2",
		"the cache asks for progress as soon as one waits",
		scenarios.WatchListSixSeconds, only("cache", "v0.37.2"), 20, endsWithinSix, nil},
	{kep4988, saysBypass, "in pages of a fifth, with kep-2340",
		"etcd answers each page but the first one of a list",
		scenarios.CostPages, nil, 1, laterPagesFromEtcd, nil},
	{kep4988, saysPages, "pages that are turned at once",
		"a snapshot has each page after the first; for the first one the cache reads etcd's revision, without objects",
		scenarios.CostPages, only("cache", "kep-4988"), 1, pagesFromCache, nil},
	{kep4988, saysPages, "pages that are turned after 80 s at most, of a resource that changes 0.8 times a second",
		"snapshots go with the history, which has the last 100 changes here, two minutes of them: etcd answers what is asked for later",
		scenarios.CostPages, join(only("cache", "kep-4988"), atLeisure), 1, pagesFromCache, nil},
	{kep4988, saysUnread, "with snapshots, beside clients that read all pages",
		"nothing is kept for a client: there is a snapshot for each change in the history, whatever clients do",
		scenarios.UnfinishedPages, withSnapshots, 1, nil, &comparison{join(withSnapshots, allPages), keepsMore(snapshotsKept)}},
	{kep4988, saysUnread, "with pagination=kept, as the draft of 2019 has it, beside clients that read all pages of as many lists",
		"the rest of a list is kept for a minute, and each page that a client reads leaves another rest",
		scenarios.UnfinishedPages, only("think", "100s"), 1, nil, &comparison{allPages, keepsMore(pagesKept)}},
}
