package cache

import (
	"slices"

	"github.com/watchbed/watchbed/sim/dimension"
)

// Freshness says what the cache does with a LIST that gives no
// resourceVersion.
type Freshness uint8

const (
	// FreshnessConsistent asks etcd for its revision and waits for the cache to
	// get there (KEP-2340).
	FreshnessConsistent Freshness = iota
	// FreshnessNone answers at once with what is there, as with
	// resourceVersion "0".
	FreshnessNone
	// FreshnessDirect lets etcd answer every LIST and GET.
	FreshnessDirect
)

// OnTimeout says what becomes of a consistent LIST that the cache could not
// serve within Config.BlockTimeout.
type OnTimeout uint8

const (
	// OnTimeoutReject answers 504 with cause ResourceVersionTooLarge
	// (KEP-2340, "What if the watch cache is stale?").
	OnTimeoutReject OnTimeout = iota
	// OnTimeoutFallback lets etcd answer: the default of what was shipped.
	OnTimeoutFallback
	// OnTimeoutThrottle answers 429 (the alpha gate
	// ConsistentListFromCacheSkipTimeoutFallback).
	OnTimeoutThrottle
)

// ProgressRequests says how often a waiting read has etcd asked for progress.
type ProgressRequests uint8

const (
	// ProgressPeriodic asks as long as somebody waits, one
	// Config.ProgressRequestPeriod apart.
	ProgressPeriodic ProgressRequests = iota
	// ProgressOnce asks once for each read that begins to wait (the alternative
	// that the draft of 2019 rejected).
	ProgressOnce
	// ProgressNotify never asks: etcd tells by itself, at the interval that it
	// was given (WithProgressNotify, the draft of 2019).
	ProgressNotify
	// ProgressEcho asks with an id at the beginning of a consistent read, and
	// takes the answer with this id for the proof that the watch is as new as
	// the read: nobody asks etcd for its revision (the draft of 2019, "Potential
	// Future Improvements"). It wants a server that echoes.
	ProgressEcho
)

// CurrentRevision is how etcd's revision is learned.
type CurrentRevision uint8

const (
	// RevisionOfPrefixKey reads the bare prefix of the resource, which is no
	// object's key (getCurrentResourceVersionFromStorage, as shipped).
	RevisionOfPrefixKey CurrentRevision = iota
	// RevisionOfCount counts the objects of the resource.
	RevisionOfCount
	// RevisionOfEmptyRange reads a range in which nothing can be, with limit 1
	// as an additional guard (the draft of 2019).
	RevisionOfEmptyRange
)

// RevisionSharing says which reads share one answer of etcd.
type RevisionSharing uint8

const (
	// RevisionEach asks once for each read.
	RevisionEach RevisionSharing = iota
	// RevisionAccumulated gathers reads for Config.AccumulatePeriod, and then
	// asks once for all of them (the draft of 2019, "Potential Future
	// Improvements").
	RevisionAccumulated
)

// Pagination says what becomes of a consistent LIST with a limit.
type Pagination uint8

const (
	// PaginateFirstPage answers the first page from the cache; the token lets
	// etcd, or a snapshot, serve the others (KEP-2340, "Pagination").
	PaginateFirstPage Pagination = iota
	// PaginateInEtcd sends it to etcd like all pages (the draft of 2019, for
	// alpha).
	PaginateInEtcd
	// PaginateIfItFits answers from the cache if there is only one page, and
	// sends the client's question to etcd otherwise.
	PaginateIfItFits
	// PaginateKept keeps what does not fit under the token for
	// Config.KeepPagesFor (the draft of 2019, "Enable pagination in the watch
	// cache").
	PaginateKept
	// PaginateIgnored answers in one page whatever the limit (the draft of 2019,
	// "Rejected Option").
	PaginateIgnored
)

// ContinueWithVersion says what becomes of a continue token beside a
// resourceVersion or a resourceVersionMatch, where KEP-2340's table and what was
// shipped differ.
type ContinueWithVersion uint8

const (
	// ContinueIgnoresVersion reads at the revision of the token (KEP-2340).
	ContinueIgnoresVersion ContinueWithVersion = iota
	// ContinueRefusesVersion answers 400 (Kubernetes 1.31 and later).
	ContinueRefusesVersion
)

// DynamicFallback says what becomes of consistent reads after one waited long.
type DynamicFallback uint8

const (
	// FallbackNever makes each of them wait for the cache.
	FallbackNever DynamicFallback = iota
	// FallbackByWait sends them to etcd while the last one to be served waited
	// for Config.FallbackAfter or more. One at a time still tries the cache
	// (KEP-2340, "Alternatives").
	FallbackByWait
)

// NotifyDetection says whether the cache relies on an etcd that has sent no
// progress notification for some time.
type NotifyDetection uint8

const (
	// NotifyTrusted relies on it.
	NotifyTrusted NotifyDetection = iota
	// NotifyDetected sends consistent reads to etcd if there was no notification
	// within Config.NotifyWithin (the draft of 2019, "Determining if etcd is
	// sending progress notify events").
	NotifyDetected
)

// Options is a design of the cache: one value for each dimension. The zero
// value is KEP-2340 as written.
type Options struct {
	Freshness           Freshness
	OnTimeout           OnTimeout
	ProgressRequests    ProgressRequests
	NotifyDetection     NotifyDetection
	CurrentRevision     CurrentRevision
	RevisionSharing     RevisionSharing
	Pagination          Pagination
	DynamicFallback     DynamicFallback
	ContinueWithVersion ContinueWithVersion
	Snapshots           SnapshotOptions
	WatchList           WatchListOptions
	Guard               GuardOptions
	Defects             Defects
}

// Dimension is one way in which designs differ, with the value that a design
// has there and all values that there are.
type Dimension = dimension.Dimension

var dimensions = slices.Concat(readDimensions, snapshotDimensions, watchListDimensions, guardDimensions, defectDimensions)

var readDimensions = dimension.Table[Options]{
	{Name: "freshness", Values: []string{"consistent", "none", "direct"},
		Get: func(o *Options) int { return int(o.Freshness) },
		Set: func(o *Options, v int) { o.Freshness = Freshness(v) }},
	{Name: "on-timeout", Values: []string{"reject", "fallback", "throttle"},
		Get: func(o *Options) int { return int(o.OnTimeout) },
		Set: func(o *Options, v int) { o.OnTimeout = OnTimeout(v) }},
	{Name: "progress-requests", Values: []string{"periodic", "once", "notify", "echo"},
		Get: func(o *Options) int { return int(o.ProgressRequests) },
		Set: func(o *Options, v int) { o.ProgressRequests = ProgressRequests(v) }},
	{Name: "notify-detection", Values: []string{"off", "on"},
		Get: func(o *Options) int { return int(o.NotifyDetection) },
		Set: func(o *Options, v int) { o.NotifyDetection = NotifyDetection(v) }},
	{Name: "current-revision", Values: []string{"prefix-key", "count-only", "empty-range"},
		Get: func(o *Options) int { return int(o.CurrentRevision) },
		Set: func(o *Options, v int) { o.CurrentRevision = CurrentRevision(v) }},
	{Name: "revision-sharing", Values: []string{"each", "accumulated"},
		Get: func(o *Options) int { return int(o.RevisionSharing) },
		Set: func(o *Options, v int) { o.RevisionSharing = RevisionSharing(v) }},
	{Name: "pagination", Values: []string{"first-page", "etcd", "fits", "kept", "ignored"},
		Get: func(o *Options) int { return int(o.Pagination) },
		Set: func(o *Options, v int) { o.Pagination = Pagination(v) }},
	{Name: "dynamic-fallback", Values: []string{"off", "wait-time"},
		Get: func(o *Options) int { return int(o.DynamicFallback) },
		Set: func(o *Options, v int) { o.DynamicFallback = DynamicFallback(v) }},
	{Name: "continue-with-version", Values: []string{"ignored", "refused"},
		Get: func(o *Options) int { return int(o.ContinueWithVersion) },
		Set: func(o *Options, v int) { o.ContinueWithVersion = ContinueWithVersion(v) }},
}

// Dimensions lists all dimensions in a fixed order.
func (o Options) Dimensions() []Dimension { return dimensions.Of(o) }

// With returns the options with one dimension set. It returns an error that
// lists what there is if it does not know the dimension or the value.
func (o Options) With(dim, value string) (Options, error) {
	return dimensions.With("cache", o, dim, value)
}
