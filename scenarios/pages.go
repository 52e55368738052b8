package scenarios

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

var KeptPages = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "kept-pages",
	Summary: "clients turn pages at leisure, and the cache keeps the rests of three lists for a minute: after that etcd has to answer",
	Doc: `The first draft of KEP-2340 has the cache keep what follows a page, under the token that the client got instead. Clients wait
for up to forty seconds between pages, so that some rests are dropped after their time and some for newer ones. A page whose rest is
there must come from the cache, and one whose rest has gone must come from etcd.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1 pagination=kept kept-pages=3
		writers=1 writes=12 deletes=true readers=3 reads=4 read=pages keys=4 items=4 await-ready=true think=1m20s
		mode=timed network=1ms scheduling=500us horizon=20m steps=200000`),
	About: testbed.Reaches{
		"cache: page answered from what was kept": 75, "cache: kept pages dropped after their time": 75,
	},
	Active: testbed.Active{"passed-check=drops-snapshots": "cache=v0.37.2,pagination=first-page", "kept-for=5s": ""},
	Claims: []*testbed.Property{reads.Linearizable, caches.ServedAsPromised, caches.PageSizes, caches.TimersOwned, caches.PagesInTime},
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable),
		known.StaleReads(reads.Linearizable),
	),
})

var BoundedPages = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "bounded-pages",
	Summary: "a cache keeps the rests of lists in as many bytes as it may: older ones go for newer ones, and one that is too large is not kept",
	Doc: `"Memory would need to be somehow bound with this approach" (the first draft of KEP-2340). The rests of kept-pages are counted by
the bytes of their keys and values: 60, which is two objects. etcd answers the pages whose rests are gone, and each list is
the state at one revision all the same.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 pagination=kept kept-bytes=60 caches=1
		writers=1 writes=12 deletes=true readers=3 reads=4 read=pages await-ready=true keys=4 items=4 think=20s
		mode=timed network=1ms scheduling=500us horizon=20m steps=200000`),
	About: testbed.Reaches{
		"cache: rest of a list that is too large to be kept": 70, "cache: kept pages dropped for newer ones": 75,
	},
	Claims: []*testbed.Property{reads.Linearizable, caches.ServedAsPromised, caches.PageSizes, caches.TimersOwned, caches.PagesInTime},
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable),
		known.StaleReads(reads.Linearizable),
	),
})

var CompactedPages = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "compacted-pages",
	Summary: "etcd is compacted while clients turn pages: the refusal has a second token, with which they list the rest as it is now",
	Doc: `The first page names a revision for all others, and a compaction takes that away. The API server answers 410 with a token of
resourceVersion -1: it stands for the newest state and begins where the page would have. A client that takes it has a list of two
states, each of them whole: the rest is a consistent read, and the pages after it are of its revision. One that does not begins
again: --set take-rests=false.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1
		writers=2 writes=5 deletes=true readers=3 reads=2 read=pages take-rests=true compactions=8
		compact-newest=true keys=4 items=4 await-ready=true steps=20000`),
	About:  testbed.Reaches{"cache: page refused because of a compaction, with the token of the rest": 15},
	Active: testbed.Active{"take-rests=true": "take-rests=false"},
	Claims: []*testbed.Property{
		caches.SecondToken, reads.Linearizable, reads.LinearizableData, reads.Exact, reads.Pages, caches.JustifiedRefusals,
		caches.ServedAsPromised, caches.PageSizes,
	},
	Known: slices.Concat(
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
		known.Rarely(known.EarlyVersions(reads.Exact, reads.Pages)),
	),
})

var CompactedSelections = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "compacted-selections",
	Summary: "etcd is compacted while a page of selected objects is put together: the second token begins behind what the page had found",
	Doc: `etcd knows of no selectors: an API server asks it page after page until enough objects were selected. If one of these is
compacted, the client's page is refused, and with it what was found so far. The token of the refusal begins where etcd was asked last, and
not where the page did (storage/etcd3/store.go: pagedChunks has moved its continueKey on by then). A client that takes
the token never sees the objects between the two, although they are there all the time. Clients do not wait until the cache is ready, so that
etcd answers first pages as well, also those of a cache that never asks it for more. --set read=pages is the same without a selector: the token
begins with the page.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1
		writers=1 writes=3 readers=3 reads=2 read=filtered-pages page-limit=2 take-rests=true compactions=4 keys=2
		items=12 groups=2 steps=20000`),
	About: testbed.Reaches{"cache: page refused because of a compaction, with the token of the rest": 40},
	Claims: []*testbed.Property{
		caches.SecondToken, reads.Linearizable, reads.LinearizableData, reads.Exact, reads.Pages, caches.JustifiedRefusals, caches.PageSizes,
	},
	Known: slices.Concat(
		known.When(known.SelectsInPages, known.EtcdCompacts, testbed.Unless(known.KeepsSnapshots)).Violates(caches.SecondToken).
			Because("the second token of a selected page begins where etcd was asked last, and not where the page did"),
		known.When(known.SelectsInPages, known.EtcdCompacts, known.TakesRests, testbed.Unless(known.KeepsSnapshots)).
			Violates(reads.Linearizable, reads.LinearizableData, reads.Pages).
			Because("the rest of a selected page lacks what the page had found before it was refused"),
		known.When(known.SelectsInPages, known.EtcdCompacts, known.KeepsSnapshots).
			RarelyViolates(caches.SecondToken, reads.Linearizable, reads.LinearizableData, reads.Pages).
			Because("a page that no snapshot has left is etcd's, and its second token begins behind what it had found"),
	),
})

var UnfinishedPages = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "unfinished-pages",
	Summary: "clients read the first page of a list and never ask for the next: what the cache keeps for them is bounded",
	Doc: `KEP-4988 expects that "caching might increase RAM usage, if the client reads the first page, but never paginates". A cache that
keeps the rest of each list under its token (the first draft of KEP-2340) has it for a minute, and objects that have changed since
are in memory for its sake alone: kept_pages_bytes. With --cache kep-4988 nothing is kept for a client, and there are as many
snapshots whatever clients do: cache_snapshots. --set read=pages is clients that read all pages.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1 pagination=kept
		writers=2 writes=30 readers=4 reads=10 read=page page-limit=10 keys=50 items=50 await-ready=true think=20s
		mode=timed network=1ms scheduling=500us horizon=1h steps=200000`),
	About:  testbed.Reaches{"cache: kept pages dropped after their time": 65},
	Claims: []*testbed.Property{reads.Linearizable, caches.ServedAsPromised, caches.PagesInTime},
	Known:  slices.Concat(known.EarlyProgress(reads.Linearizable), known.StaleReads(reads.Linearizable)),
})

var FutureReads = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "future-reads",
	Summary: "exact LISTs of revisions that come later, or never: the cache asks etcd first, and refuses at once what is not there",
	Doc: `KEP-4988, "Edge cases", weighs whether the cache asks etcd before it waits for a revision that it has not reached. With
future-rv=confirm it does: a revision that etcd does not have is refused without a wait, and one that etcd has is waited for.
--set future-rv=wait is what was shipped: each such LIST waits for three seconds.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-4988 caches=1 future-rv=confirm
		writers=1 writes=6 noise=1 noise-writes=6 noise-for=10s keys=2 items=2 await-ready=true think=1s
		drawn-readers=3 drawn-requests=10 mode=timed network=1ms scheduling=500us horizon=1m steps=200000`),
	About: testbed.Reaches{
		"cache: etcd asked whether a future revision exists": 20,
		"cache: future revision that etcd does not have":     20,
	},
	Claims: []*testbed.Property{
		reads.Exact, reads.Linearizable, caches.JustifiedRefusals, caches.ServedAsPromised, caches.PageSizes, caches.NeededProgress,
		caches.InvalidRequests, caches.TimersOwned,
	},
	Known: slices.Concat(
		known.EarlyVersions(reads.Exact),
		known.Rarely(known.StaleReads(reads.Linearizable)),
	),
})
