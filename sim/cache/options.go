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
	// ProgressOnce asks once for each read that begins to wait.
	ProgressOnce
)

// Options is a design of the cache: one value for each dimension. The zero
// value is KEP-2340 as written.
type Options struct {
	Freshness        Freshness
	OnTimeout        OnTimeout
	ProgressRequests ProgressRequests
	Snapshots        SnapshotOptions
	WatchList        WatchListOptions
	Guard            GuardOptions
	Defects          Defects
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
	{Name: "progress-requests", Values: []string{"periodic", "once"},
		Get: func(o *Options) int { return int(o.ProgressRequests) },
		Set: func(o *Options, v int) { o.ProgressRequests = ProgressRequests(v) }},
}

// Dimensions lists all dimensions in a fixed order.
func (o Options) Dimensions() []Dimension { return dimensions.Of(o) }

// With returns the options with one dimension set. It returns an error that
// lists what there is if it does not know the dimension or the value.
func (o Options) With(dim, value string) (Options, error) {
	return dimensions.With("cache", o, dim, value)
}
