package cache

import (
	"cmp"
	"fmt"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/option"
)

// Amounts are sizes, limits and times. A zero amount takes the value of
// k8s.io/apiserver. Amounts without an option keep that value, except in tests.
type Amounts struct {
	RingCapacity int `option:"ring" zero:"100" doc:"events that a cache remembers"`
	// RingCapacityMax: untimed the history does not grow, since small rings are what an explorer wants.
	RingCapacityMax       int          `option:"ring-max" zero:"102400" doc:"events that a cache remembers at most, timed, while they are young"`
	EventFreshDuration    sim.Duration `option:"fresh-duration" zero:"75s" least:"1ms" doc:"how long an event is young: the ring grows instead of losing it (eventFreshDuration)"`
	ProgressRequestPeriod sim.Duration `option:"progress-period" zero:"100ms" least:"1ms" doc:"time between two progress requests of a cache (progressRequestPeriod)"`
	RelistDelay           sim.Duration `option:"relist-delay" zero:"1s" least:"1ms" doc:"pause of a cache before it lists and watches again"`
	CompactionPollPeriod  sim.Duration `option:"compaction-poll" zero:"15s" least:"1ms" doc:"time between two questions of a cache to the compactor, with compaction-notice=polled"`

	ListPageSize int `option:"page" zero:"10000" doc:"objects in one page of the reflector's list"`
	// MemoryLimit is that of Killer.
	MemoryLimit int `option:"memory-limit" zero:"no limit" doc:"objects in memory for clients above which an API server is killed: 3 for each in a LIST from the cache, 5 for each from etcd, 1 for each event (KEP-3157)"`

	ConsistencyCheckPeriod sim.Duration `option:"check-period" zero:"5m" doc:"minimum time between two consistency checks of a cache"`
	// UntimedTurns is how often a cache checks its consistency, and polls the compactor, in an untimed run: 2.
	UntimedTurns int

	// Limits of reads.
	read.Limits
	// Amounts of the dispatcher and its watchers.
	dispatch.Amounts
}

var amounts = option.Fields[Amounts]("cache")

// Fit reports amounts that are fine by themselves and make no cache together.
func (a Amounts) Fit() error {
	a.setDefaults()
	if a.RingCapacity > a.RingCapacityMax {
		return fmt.Errorf("ring=%d and ring-max=%d: a cache cannot begin with room for more events than it has at most; lower ring, or raise ring-max", a.RingCapacity, a.RingCapacityMax)
	}
	return nil
}

func (a *Amounts) setDefaults() {
	amounts.Fill(a)
	a.UntimedTurns = cmp.Or(a.UntimedTurns, 2)
}
