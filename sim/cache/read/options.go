package read

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/request"
	"github.com/watchbed/watchbed/sim/option"
)

// Options is how a design treats reads. The zero value is KEP-2340 as written.
type Options struct {
	Freshness       Freshness
	OnTimeout       OnTimeout
	CurrentRevision CurrentRevision
	Pagination      Pagination
	// Lists are about LISTs that are valid for some designs and not for others.
	Lists request.ListRules

	DetectsNotify bool
	// SharesRevision: reads are gathered for Limits.AccumulatePeriod, and etcd is asked for its revision once for all
	// of them (the draft of 2019, "Potential Future Improvements").
	SharesRevision bool
	// AvoidsSlowCache: etcd answers consistent reads while the last read for the cache to serve waited for
	// Limits.FallbackAfter or more. One read at a time finds out whether the cache keeps up again (KEP-2340,
	// "Alternatives").
	AvoidsSlowCache bool
	// RevisionOfLastReader: a consistent LIST waits for the revision that etcd answered to the one before;
	// RevisionOfLastWatch is the same of watches that are to begin with the newest state.
	RevisionOfLastReader, RevisionOfLastWatch bool
	// GetsFromCache: a GET that gives no resourceVersion is a consistent read of the cache (KEP-6404).
	GetsFromCache bool
	HoldsLock     bool
	// ConfirmsFuture: etcd is asked first whether there is the resourceVersion of a LIST that the cache has not
	// reached (KEP-4988, "Edge cases").
	ConfirmsFuture bool
	// LimitContinues: a LIST at resourceVersion "0" has its limit behind a continue token too, as
	// findings/pages/continued-list-without-limit.md proposes. Before snapshots the cache never answered one.
	LimitContinues   bool
	ZeroIsConsistent bool
	OpenPrefixes     bool
	SilentGets       bool
	PagesOfNewest    bool
}

// Limits are sizes and times. Those left at zero take the values of
// k8s.io/apiserver.
type Limits struct {
	KeptPages int `option:"kept-pages" zero:"100" doc:"rests of lists that a cache keeps at a time, with pagination=kept"`
	// KeptBytes: the oldest rest goes first.
	KeptBytes int `option:"kept-bytes" zero:"no bound" doc:"bytes of keys and values in the rests that a cache keeps, with pagination=kept"`
	// DelegatedLimit: more lists are refused with 429. As shipped there is no limit.
	DelegatedLimit int `option:"delegated-limit" zero:"no limit" doc:"lists that each cache has with etcd at a time"`
	// AnswersLimit is of objects in answers to LISTs that clients are still being sent, by the last measurement of the
	// process: more lists are refused with 429. As shipped there is no limit.
	AnswersLimit int          `option:"answers-limit" zero:"no limit" doc:"objects in answers under way, as last measured, above which a cache refuses LISTs (KEP-3157, alternative 2)"`
	BlockTimeout sim.Duration `option:"block-timeout" zero:"3s" least:"1ms" doc:"how long a read waits for the cache to be fresh (blockTimeout)"`

	AccumulatePeriod sim.Duration `option:"accumulate-period" zero:"10ms" least:"1ms" doc:"how long reads are gathered that share one read of the revision, with revision-sharing=accumulated"`
	// NotifyWithin is four intervals of the draft of 2019.
	NotifyWithin  sim.Duration `option:"notify-within" zero:"1s" least:"1ms" doc:"how old the last progress notification may be, with notify-detection=on"`
	FallbackAfter sim.Duration `option:"slow-wait" zero:"1s" least:"1ms" doc:"from when on a wait is slow, with dynamic-fallback=wait-time"`
	KeepPagesFor  sim.Duration `option:"kept-for" zero:"1m" least:"1ms" doc:"how long the rest of a list is kept, with pagination=kept"`
	// MeasurePeriod is that of KEP-3157, Alternatives.
	MeasurePeriod sim.Duration `option:"measure-period" zero:"100ms" doc:"time between two of these measurements"`

	// RequestTimeout is how long after its arrival a request may still be sent to
	// etcd: --request-timeout. 0 is no limit.
	RequestTimeout sim.Duration
}

// Group is all options in which designs differ.
var Group = option.NewGroup("cache",
	option.SeamOption(Freshnesses, func(o *Options) *Freshness { return &o.Freshness }).
		Undrawn("what else there is answers LISTs without the cache, so that nothing is left to see", "consistent", "direct"),
	option.SeamOption(Timeouts, func(o *Options) *OnTimeout { return &o.OnTimeout }),
	option.Either("notify-detection", func(o *Options) *bool { return &o.DetectsNotify },
		"what the cache does when etcd has sent no progress notification for 1 s",
		option.Off("off", "it goes on as before"),
		option.Val("on", "it sends consistent reads to etcd (the draft of 2019)")),
	option.Choice("current-revision", func(o *Options) *CurrentRevision { return &o.CurrentRevision }, "which request reads etcd's current revision",
		option.Val("prefix-key", "a GET of the resource's bare prefix, which is no object's key: as shipped"),
		option.Val("count-only", "a count of the resource's objects"),
		option.Val("empty-range", "a range with limit 1 in which no object can be (the draft of 2019)")),
	option.Either("revision-sharing", func(o *Options) *bool { return &o.SharesRevision }, "which reads share one read of etcd's revision",
		option.Off("each", "none"),
		option.Val("accumulated", "those that come within 10 ms (the draft of 2019, Potential Future Improvements)")),
	option.Choice("pagination", func(o *Options) *Pagination { return &o.Pagination }, "what becomes of a consistent LIST with a limit",
		option.Off("first-page", "the cache answers the first page; etcd or a snapshot serves the others (KEP-2340)"),
		option.Val("etcd", "etcd answers all pages (the draft of 2019, for alpha)"),
		option.Val("fits", "the cache answers if there is one page only, else etcd"),
		option.Val("kept", "the cache answers, and keeps the rest for 60 s under the token (the draft of 2019)"),
		option.Val("ignored", "the cache answers everything in one page (the draft of 2019, Rejected Option)")),
	option.Either("dynamic-fallback", func(o *Options) *bool { return &o.AvoidsSlowCache }, "what becomes of consistent reads after one waited 1 s or longer",
		option.Off("off", "they wait for the cache"),
		option.Val("wait-time", "etcd answers them, and one at a time tries the cache (KEP-2340, Alternatives)")),
	option.Either("continue-with-version", func(o *Options) *bool { return &o.Lists.ContinueRefusesVersion },
		"what becomes of a LIST with a continue token and a resourceVersion",
		option.Val("ignored", "it reads at the token's revision (KEP-2340)"),
		option.Val("refused", "400 (Kubernetes 1.31 and later)")),
	option.Either("most-recent", func(o *Options) *bool { return &o.Lists.MostRecent },
		`what becomes of a LIST with resourceVersion "0" and resourceVersionMatch MostRecent`,
		option.Off("refused", "400: no release knows that match"),
		option.Val("served", "the cache asks etcd for its revision, waits until it is there, and answers; 504 if it waits in vain (KEP-3157)")),
	option.Either("future-rv", func(o *Options) *bool { return &o.ConfirmsFuture }, "what becomes of a LIST at a resourceVersion that the cache has not reached",
		option.Off("wait", "it waits for it like any other read: as shipped"),
		option.Val("confirm", "etcd is asked first whether there is such a revision")),
	option.Either("zero-rv", func(o *Options) *bool { return &o.ZeroIsConsistent }, `how a LIST at resourceVersion "0" is read`,
		option.Val("any", "whatever the cache has will do"),
		option.Bug("consistent", "like one without resourceVersion (kubernetes#123676)")),
	option.Either("list-prefix", func(o *Options) *bool { return &o.OpenPrefixes }, `which objects a LIST or WATCH of a prefix without a final "/" means`,
		option.Val("closed", "those below it"),
		option.Bug("open", "those whose key begins with it, siblings included (kubernetes#125584)")),
	option.Either("current-rv", func(o *Options) *bool { return &o.RevisionOfLastReader }, "which revision a consistent LIST waits for",
		option.Val("own", "the one that etcd answered to itself"),
		option.Bug("last-reader", "the one that etcd answered to the reader before it")),
	option.Either("watch-rv", func(o *Options) *bool { return &o.RevisionOfLastWatch }, "which revision a watch waits for that is to begin with the newest state",
		option.Val("own", "the one that etcd answered to itself"),
		option.Bug("last-watch", "the one that etcd answered to the watch before it")),
	option.Either("get-unset", func(o *Options) *bool { return &o.GetsFromCache }, "which server answers a GET that gives no resourceVersion",
		option.Val("etcd", "etcd, as in all releases"),
		option.Val("cache", "the cache, once it is as new as etcd was (KEP-6404)")),
	option.Either("get-wait", func(o *Options) *bool { return &o.SilentGets }, "what a GET does that waits for the cache to be fresh",
		option.Val("asks", "it has etcd asked for progress, like a LIST"),
		option.Bug("silent", "no: on a quiet range the GET times out (kubernetes#123674)")),
	option.Either("next-page", func(o *Options) *bool { return &o.PagesOfNewest }, "the state that the pages of a list after the first show",
		option.Val("exact", "that of the first page, to which the continue token points"),
		option.Bug("newest", "the present one, from the token's key on")),
	option.Either("continued-limit", func(o *Options) *bool { return &o.LimitContinues },
		`the limit of a LIST at resourceVersion "0" that goes on behind a continue token, where the cache answers it`,
		option.Val("ignored", "does not count: everything behind the token is answered (computeListLimit; findings/pages/continued-list-without-limit.md)"),
		option.Val("counts", "counts, as where etcd answers")),
	option.Either("freshness-lock", func(o *Options) *bool { return &o.HoldsLock },
		"what a WatchList does with the cache's lock while it waits for the cache to be fresh",
		option.Val("released", "it gives the lock back: events come in"),
		option.Bug("held", "it keeps a read lock: the next event, and all reads behind it, wait forever (kubernetes#117137)")),
)
