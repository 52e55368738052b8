package read

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/request"
	"github.com/watchbed/watchbed/sim/option"
)

// Options is how a design treats reads. The zero value is KEP-2340 as written.
type Options struct {
	Freshness           Freshness
	OnTimeout           OnTimeout
	NotifyDetection     NotifyDetection
	CurrentRevision     CurrentRevision
	RevisionSharing     RevisionSharing
	Pagination          Pagination
	DynamicFallback     DynamicFallback
	FutureRV            FutureRV
	ContinueWithVersion request.ContinueWithVersion
	MostRecent          request.MostRecent

	// The places where watch caches were once wrong, or easily could be.
	ZeroRV         ZeroRV
	ListPrefix     ListPrefix
	CurrentRV      CurrentRV
	WatchRV        WatchRV
	GetWait        GetWait
	NextPage       NextPage
	ContinuedLimit ContinuedLimit
	FreshnessLock  FreshnessLock
}

// Limits are sizes and times. Those left at zero take the values of
// k8s.io/apiserver.
type Limits struct {
	// BlockTimeout is how long a read waits for the cache to be fresh: 3 s.
	BlockTimeout sim.Duration
	// AccumulatePeriod is how long reads are gathered that share one revision
	// read, with RevisionAccumulated: 10 ms.
	AccumulatePeriod sim.Duration
	// NotifyWithin is how long ago the last progress notification may be, with
	// notify-detection=on: 1 s, four intervals of the draft of 2019.
	NotifyWithin sim.Duration
	// FallbackAfter is how long a wait counts as slow, with
	// dynamic-fallback=wait-time: 1 s.
	FallbackAfter sim.Duration
	// KeepPagesFor is how long the rest of a list is kept, with pagination=kept:
	// 60 s. KeptPages is how many such rests there may be at a time: 100. KeptBytes
	// is how many bytes of keys and values their objects may have together; 0 is no
	// bound. The oldest goes first.
	KeepPagesFor sim.Duration
	KeptPages    int
	KeptBytes    int
	// DelegatedLimit is how many lists may be with etcd at a time; 0 is no limit,
	// as shipped. More are refused with 429.
	DelegatedLimit int
	// AnswersLimit is how many objects a process may have in answers to LISTs that
	// clients are still being sent, by its last measurement; 0 is no limit, as shipped.
	// More lists are refused with 429. MeasurePeriod is the time between two
	// measurements: 100 ms (KEP-3157, Alternatives).
	AnswersLimit  int
	MeasurePeriod sim.Duration
	// RequestTimeout is how long after its arrival a request may still be sent to
	// etcd: --request-timeout. 0 is no limit.
	RequestTimeout sim.Duration
}

// Group is all options in which designs differ.
var Group = option.NewGroup("cache",
	option.SeamOption(Freshnesses, func(o *Options) *Freshness { return &o.Freshness }),
	option.SeamOption(Timeouts, func(o *Options) *OnTimeout { return &o.OnTimeout }),
	option.SeamOption(NotifyDetectors, func(o *Options) *NotifyDetection { return &o.NotifyDetection }),
	option.SeamOption(RevisionRequests, func(o *Options) *CurrentRevision { return &o.CurrentRevision }),
	option.SeamOption(RevisionSharings, func(o *Options) *RevisionSharing { return &o.RevisionSharing }),
	option.SeamOption(Paginations, func(o *Options) *Pagination { return &o.Pagination }),
	option.SeamOption(Fallbacks, func(o *Options) *DynamicFallback { return &o.DynamicFallback }),
	option.SeamOption(request.ContinueRules, func(o *Options) *request.ContinueWithVersion { return &o.ContinueWithVersion }),
	option.SeamOption(request.MostRecentRules, func(o *Options) *request.MostRecent { return &o.MostRecent }),
	option.SeamOption(FutureRevisions, func(o *Options) *FutureRV { return &o.FutureRV }),
	option.SeamOption(ZeroVersions, func(o *Options) *ZeroRV { return &o.ZeroRV }),
	option.SeamOption(ListPrefixes, func(o *Options) *ListPrefix { return &o.ListPrefix }),
	option.SeamOption(RevisionSources, func(o *Options) *CurrentRV { return &o.CurrentRV }),
	option.SeamOption(WatchRevisionSources, func(o *Options) *WatchRV { return &o.WatchRV }),
	option.SeamOption(GetWaits, func(o *Options) *GetWait { return &o.GetWait }),
	option.SeamOption(NextPages, func(o *Options) *NextPage { return &o.NextPage }),
	option.SeamOption(ContinuedLimits, func(o *Options) *ContinuedLimit { return &o.ContinuedLimit }),
	option.SeamOption(Locks, func(o *Options) *FreshnessLock { return &o.FreshnessLock }),
)

// LimitGroup is the limits that scenarios set.
var LimitGroup = option.NewGroup("cache",
	option.Count("kept-pages", func(l *Limits) *int { return &l.KeptPages }, "100", "rests of lists that a cache keeps at a time, with pagination=kept"),
	option.Count("kept-bytes", func(l *Limits) *int { return &l.KeptBytes }, "no bound", "bytes of keys and values in the rests that a cache keeps, with pagination=kept"),
	option.Count("delegated-limit", func(l *Limits) *int { return &l.DelegatedLimit }, "no limit", "lists that each cache has with etcd at a time"),
	option.Count("answers-limit", func(l *Limits) *int { return &l.AnswersLimit }, "no limit",
		"objects in answers under way, as last measured, above which a cache refuses LISTs (KEP-3157, alternative 2)"),
	option.Period("block-timeout", func(l *Limits) *time.Duration { return &l.BlockTimeout }, "3s", "how long a read waits for the cache to be fresh (blockTimeout)"),
	option.Period("accumulate-period", func(l *Limits) *time.Duration { return &l.AccumulatePeriod }, "10ms", "how long reads are gathered that share one read of the revision, with revision-sharing=accumulated"),
	option.Period("notify-within", func(l *Limits) *time.Duration { return &l.NotifyWithin }, "1s", "how old the last progress notification may be, with notify-detection=on"),
	option.Period("slow-wait", func(l *Limits) *time.Duration { return &l.FallbackAfter }, "1s", "from when on a wait is slow, with dynamic-fallback=wait-time"),
	option.Period("kept-for", func(l *Limits) *time.Duration { return &l.KeepPagesFor }, "1m", "how long the rest of a list is kept, with pagination=kept"),
	option.Duration("measure-period", func(l *Limits) *time.Duration { return &l.MeasurePeriod }, "100ms", "time between two of these measurements"),
)

func (l *Limits) setDefaults() {
	set(&l.BlockTimeout, 3*time.Second)
	set(&l.AccumulatePeriod, 10*time.Millisecond)
	set(&l.NotifyWithin, time.Second)
	set(&l.FallbackAfter, time.Second)
	set(&l.KeepPagesFor, time.Minute)
	set(&l.KeptPages, 100)
	set(&l.MeasurePeriod, 100*time.Millisecond)
}

func set[T int | sim.Duration](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}
