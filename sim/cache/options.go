package cache

import (
	"fmt"
	"slices"
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
}

// Dimension is one way in which designs differ, with the value that a design
// has there and all values that there are.
type Dimension struct {
	Name, Value string
	Values      []string
}

// The texts are indexed by the values of the types above.
var (
	freshnessTexts        = []string{"consistent", "none", "direct"}
	onTimeoutTexts        = []string{"reject", "fallback", "throttle"}
	progressRequestsTexts = []string{"periodic", "once"}
)

type dimension struct {
	name   string
	values []string
	get    func(*Options) int
	set    func(*Options, int)
}

var dimensions = []dimension{
	{"freshness", freshnessTexts,
		func(o *Options) int { return int(o.Freshness) },
		func(o *Options, v int) { o.Freshness = Freshness(v) }},
	{"on-timeout", onTimeoutTexts,
		func(o *Options) int { return int(o.OnTimeout) },
		func(o *Options, v int) { o.OnTimeout = OnTimeout(v) }},
	{"progress-requests", progressRequestsTexts,
		func(o *Options) int { return int(o.ProgressRequests) },
		func(o *Options, v int) { o.ProgressRequests = ProgressRequests(v) }},
}

// Dimensions lists all dimensions in a fixed order.
func (o Options) Dimensions() []Dimension {
	all := make([]Dimension, len(dimensions))
	for i, d := range dimensions {
		all[i] = Dimension{Name: d.name, Value: d.values[d.get(&o)], Values: slices.Clone(d.values)}
	}
	return all
}

// With returns the options with one dimension set. It returns an error that
// lists what there is if it does not know the dimension or the value.
func (o Options) With(dim, value string) (Options, error) {
	var names []string
	for _, d := range dimensions {
		if d.name != dim {
			names = append(names, d.name)
			continue
		}
		v := slices.Index(d.values, value)
		if v < 0 {
			return o, fmt.Errorf("cache: dimension %q has no value %q; it has %q", dim, value, d.values)
		}
		d.set(&o, v)
		return o, nil
	}
	return o, fmt.Errorf("cache: no dimension %q; there are %q", dim, names)
}
