package cache

import "github.com/watchbed/watchbed/sim/option"

// Freshness says what the cache does with a LIST that gives no resourceVersion.
type Freshness uint8

// Values of the option freshness.
const (
	FreshnessConsistent Freshness = iota
	FreshnessNone
	FreshnessDirect
)

// OnTimeout says what becomes of a consistent LIST that the cache could not
// serve within Config.BlockTimeout (KEP-2340, "What if the watch cache is
// stale?").
type OnTimeout uint8

// Values of the option on-timeout.
const (
	OnTimeoutReject OnTimeout = iota
	OnTimeoutFallback
	OnTimeoutThrottle
)

// ProgressRequests says how often a waiting read has etcd asked for progress.
type ProgressRequests uint8

// Values of the option progress-requests.
const (
	ProgressPeriodic ProgressRequests = iota
	ProgressOnce
	ProgressNotify
	ProgressEcho
)

// CurrentRevision is how etcd's revision is learned.
type CurrentRevision uint8

// Values of the option current-revision.
const (
	RevisionOfPrefixKey CurrentRevision = iota
	RevisionOfCount
	RevisionOfEmptyRange
)

// RevisionSharing says which reads share one answer of etcd.
type RevisionSharing uint8

// Values of the option revision-sharing.
const (
	RevisionEach RevisionSharing = iota
	RevisionAccumulated
)

// Pagination says what becomes of a consistent LIST with a limit.
type Pagination uint8

// Values of the option pagination.
const (
	PaginateFirstPage Pagination = iota
	PaginateInEtcd
	PaginateIfItFits
	PaginateKept
	PaginateIgnored
)

// ContinueWithVersion says what becomes of a continue token beside a
// resourceVersion or a resourceVersionMatch, where KEP-2340's table and what was
// shipped differ.
type ContinueWithVersion uint8

// Values of the option continue-with-version.
const (
	ContinueIgnoresVersion ContinueWithVersion = iota
	ContinueRefusesVersion
)

// DynamicFallback says what becomes of consistent reads after one waited long.
type DynamicFallback uint8

// Values of the option dynamic-fallback.
const (
	FallbackNever DynamicFallback = iota
	FallbackByWait
)

// NotifyDetection says whether the cache relies on an etcd that has sent no
// progress notification for some time.
type NotifyDetection uint8

// Values of the option notify-detection.
const (
	NotifyTrusted NotifyDetection = iota
	NotifyDetected
)

var readOptions = option.NewGroup("cache",
	option.Choice("freshness", func(o *Options) *Freshness { return &o.Freshness },
		"what becomes of a LIST that gives no resourceVersion",
		option.Val("consistent", "the cache asks etcd for its revision and waits until it is there (KEP-2340)"),
		option.Val("none", "it is answered at once with what the cache has, like one at resourceVersion 0"),
		option.Val("direct", "etcd answers every LIST and GET")),
	option.Choice("on-timeout", func(o *Options) *OnTimeout { return &o.OnTimeout },
		"what becomes of a consistent LIST when the cache is not fresh after 3 s",
		option.Val("reject", "504 with cause ResourceVersionTooLarge (KEP-2340)"),
		option.Val("fallback", "etcd answers: the default since Kubernetes 1.31"),
		option.Val("throttle", "429 (the alpha gate ConsistentListFromCacheSkipTimeoutFallback)")),
	option.Choice("progress-requests", func(o *Options) *ProgressRequests { return &o.ProgressRequests },
		"when the cache asks etcd for progress",
		option.Val("periodic", "every 100 ms while a read waits"),
		option.Val("once", "once for each read that begins to wait (rejected by the draft of 2019)"),
		option.Val("notify", "never: etcd sends progress by itself at a configured interval (the draft of 2019)"),
		option.Val("echo", "with an id when a consistent read begins; the notification that echoes the id proves the watch as new as the read (the draft of 2019, Potential Future Improvements)")),
	option.Choice("notify-detection", func(o *Options) *NotifyDetection { return &o.NotifyDetection },
		"what the cache does when etcd has sent no progress notification for 1 s",
		option.Val("off", "it goes on as before"),
		option.Val("on", "it sends consistent reads to etcd (the draft of 2019)")),
	option.Choice("current-revision", func(o *Options) *CurrentRevision { return &o.CurrentRevision },
		"which request reads etcd's current revision",
		option.Val("prefix-key", "a GET of the resource's bare prefix, which is no object's key: as shipped"),
		option.Val("count-only", "a count of the resource's objects"),
		option.Val("empty-range", "a range with limit 1 in which no object can be (the draft of 2019)")),
	option.Choice("revision-sharing", func(o *Options) *RevisionSharing { return &o.RevisionSharing },
		"which reads share one read of etcd's revision",
		option.Val("each", "none"),
		option.Val("accumulated", "those that come within 10 ms (the draft of 2019, Potential Future Improvements)")),
	option.Choice("pagination", func(o *Options) *Pagination { return &o.Pagination },
		"what becomes of a consistent LIST with a limit",
		option.Val("first-page", "the cache answers the first page; etcd or a snapshot serves the others (KEP-2340)"),
		option.Val("etcd", "etcd answers all pages (the draft of 2019, for alpha)"),
		option.Val("fits", "the cache answers if there is one page only, else etcd"),
		option.Val("kept", "the cache answers, and keeps the rest for 60 s under the token (the draft of 2019)"),
		option.Val("ignored", "the cache answers everything in one page (the draft of 2019, Rejected Option)")),
	option.Choice("dynamic-fallback", func(o *Options) *DynamicFallback { return &o.DynamicFallback },
		"what becomes of consistent reads after one waited 1 s or longer",
		option.Val("off", "they wait for the cache"),
		option.Val("wait-time", "etcd answers them, and one at a time tries the cache (KEP-2340, Alternatives)")),
	option.Choice("continue-with-version", func(o *Options) *ContinueWithVersion { return &o.ContinueWithVersion },
		"what becomes of a LIST with a continue token and a resourceVersion",
		option.Val("ignored", "it reads at the token's revision (KEP-2340)"),
		option.Val("refused", "400 (Kubernetes 1.31 and later)")),
)
