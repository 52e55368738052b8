package cache

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/option"
)

// Amounts are sizes, limits and times. Those left at zero take the values of
// k8s.io/apiserver.
type Amounts struct {
	// ListPageSize is the reflector's, in objects: 10000.
	ListPageSize int
	// BlockTimeout is how long a read waits for the cache to be fresh: 3 s.
	BlockTimeout sim.Duration
	// ProgressRequestPeriod is the time between two progress requests: 100 ms.
	ProgressRequestPeriod sim.Duration
	// AccumulatePeriod is how long reads are gathered that share one revision
	// read, with RevisionAccumulated: 10 ms.
	AccumulatePeriod sim.Duration
	// NotifyWithin is how long ago the last progress notification may be, with
	// NotifyDetected: 1 s, four intervals of the draft of 2019.
	NotifyWithin sim.Duration
	// FallbackAfter is how long a wait counts as slow, with FallbackByWait: 1 s.
	FallbackAfter sim.Duration
	// KeepPagesFor is how long the rest of a list is kept, with PaginateKept: 60
	// s. KeptPages is how many such rests there may be at a time: 100. The oldest
	// goes first.
	KeepPagesFor sim.Duration
	KeptPages    int
	// DelegatedLimit is how many lists may be with etcd at a time; 0 is no limit,
	// as shipped. More are refused with 429.
	DelegatedLimit int
	// RequestTimeout is how long after its arrival a request may still be sent to
	// etcd: --request-timeout. 0 is no limit.
	RequestTimeout sim.Duration
	// RelistDelay is the time between the end of one ListAndWatch and the start
	// of the next: 1 s.
	RelistDelay sim.Duration

	// CompactionPollPeriod is the time between two questions to the compactor:
	// 15 s. ConsistencyCheckPeriod is the minimum time between two consistency
	// checks: 5 min. UntimedTurns is how often each of the two happens in an
	// untimed run: 2.
	CompactionPollPeriod, ConsistencyCheckPeriod sim.Duration
	UntimedTurns                                 int

	// RingCapacity is how many events the history holds at first, and its
	// minimum: 100. RingCapacityMax is how many it can grow to when timed: 102400.
	// Untimed it does not grow: small rings are what an explorer wants.
	RingCapacity, RingCapacityMax int
	// EventFreshDuration is how long events shall be kept if RingCapacityMax
	// permits: 75 s.
	EventFreshDuration sim.Duration
	// Amounts of the dispatcher and its watchers.
	dispatch.Amounts
}

// amountOptions are the amounts that scenarios set. The others stay what
// k8s.io/apiserver has, but for tests.
var amountOptions = option.NewGroup("cache",
	option.Count("ring", func(o *Options) *int { return &o.RingCapacity }, "100", "events that a cache remembers"),
	option.Count("page", func(o *Options) *int { return &o.ListPageSize }, "10000", "objects in one page of the reflector's list"),
	option.Count("delegated-limit", func(o *Options) *int { return &o.DelegatedLimit }, "no limit", "lists that each cache has with etcd at a time"),
	option.Duration("check-period", func(o *Options) *time.Duration { return &o.ConsistencyCheckPeriod }, "5m", "minimum time between two consistency checks of a cache"),
)

func (a *Amounts) setDefaults() {
	set(&a.ListPageSize, 10000)
	set(&a.BlockTimeout, 3*time.Second)
	set(&a.ProgressRequestPeriod, 100*time.Millisecond)
	set(&a.AccumulatePeriod, 10*time.Millisecond)
	set(&a.NotifyWithin, time.Second)
	set(&a.FallbackAfter, time.Second)
	set(&a.KeepPagesFor, time.Minute)
	set(&a.KeptPages, 100)
	set(&a.RelistDelay, time.Second)
	set(&a.CompactionPollPeriod, 15*time.Second)
	set(&a.ConsistencyCheckPeriod, 5*time.Minute)
	set(&a.UntimedTurns, 2)
	set(&a.RingCapacity, 100)
	set(&a.RingCapacityMax, max(a.RingCapacity, 100*1024))
	set(&a.EventFreshDuration, 75*time.Second)
}

func set[T int | sim.Duration](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}
