package cache

import (
	"cmp"
	"fmt"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/option"
)

// Amounts are sizes, limits and times. Those left at zero take the values of
// k8s.io/apiserver.
type Amounts struct {
	// ListPageSize is the reflector's, in objects: 10000.
	ListPageSize int
	// ProgressRequestPeriod is the time between two progress requests: 100 ms.
	ProgressRequestPeriod sim.Duration
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
	// MemoryLimit is how many objects a process may have in memory for its clients
	// before it is killed (memory.Killer); 0 is no limit.
	MemoryLimit int
	// Limits of reads.
	read.Limits
	// Amounts of the dispatcher and its watchers.
	dispatch.Amounts
}

// amountOptions are the amounts that scenarios set. The others stay what
// k8s.io/apiserver has, but for tests.
var amountOptions = option.NewGroup("cache",
	option.Count("ring", func(o *Options) *int { return &o.RingCapacity }, "100", "events that a cache remembers"),
	option.Count("ring-max", func(o *Options) *int { return &o.RingCapacityMax }, "102400", "events that a cache remembers at most, timed, while they are young"),
	option.Period("fresh-duration", func(o *Options) *time.Duration { return &o.EventFreshDuration }, "75s", "how long an event is young: the ring grows instead of losing it (eventFreshDuration)"),
	option.Period("progress-period", func(o *Options) *time.Duration { return &o.ProgressRequestPeriod }, "100ms", "time between two progress requests of a cache (progressRequestPeriod)"),
	option.Period("relist-delay", func(o *Options) *time.Duration { return &o.RelistDelay }, "1s", "pause of a cache before it lists and watches again"),
	option.Period("compaction-poll", func(o *Options) *time.Duration { return &o.CompactionPollPeriod }, "15s", "time between two questions of a cache to the compactor, with compaction-notice=polled"),
	option.Count("page", func(o *Options) *int { return &o.ListPageSize }, "10000", "objects in one page of the reflector's list"),
	option.Count("memory-limit", func(o *Options) *int { return &o.MemoryLimit }, "no limit",
		"objects in memory for clients above which an API server is killed: 3 for each in a LIST from the cache, 5 for each from etcd, 1 for each event (KEP-3157)"),
	option.Duration("check-period", func(o *Options) *time.Duration { return &o.ConsistencyCheckPeriod }, "5m", "minimum time between two consistency checks of a cache"),
)

// Fit reports amounts that are fine by themselves and make no cache together.
func (a Amounts) Fit() error {
	a.setDefaults()
	if a.RingCapacity > a.RingCapacityMax {
		return fmt.Errorf("ring=%d and ring-max=%d: a cache cannot begin with room for more events than it has at most; lower ring, or raise ring-max", a.RingCapacity, a.RingCapacityMax)
	}
	return nil
}

func (a *Amounts) setDefaults() {
	a.ListPageSize = cmp.Or(a.ListPageSize, 10000)
	a.ProgressRequestPeriod = cmp.Or(a.ProgressRequestPeriod, 100*time.Millisecond)
	a.RelistDelay = cmp.Or(a.RelistDelay, time.Second)
	a.CompactionPollPeriod = cmp.Or(a.CompactionPollPeriod, 15*time.Second)
	a.ConsistencyCheckPeriod = cmp.Or(a.ConsistencyCheckPeriod, 5*time.Minute)
	a.UntimedTurns = cmp.Or(a.UntimedTurns, 2)
	a.RingCapacity = cmp.Or(a.RingCapacity, 100)
	a.RingCapacityMax = cmp.Or(a.RingCapacityMax, 100*1024)
	a.EventFreshDuration = cmp.Or(a.EventFreshDuration, 75*time.Second)
}
