package check

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
)

// Options are those of the package.
type Options struct {
	CompactionNotice      CompactionNotice
	ConsistencyChecker    ConsistencyChecker
	PassedCheck           PassedCheck
	MarkConsistent        MarkConsistent
	CheckDigest           CheckDigest
	CheckPages            CheckPage
	InconsistencyDetector InconsistencyDetector
}

// Group is the options of the package.
var Group = option.NewGroup("cache",
	option.SeamOption(CompactionNotices, func(o *Options) *CompactionNotice { return &o.CompactionNotice }),
	option.SeamOption(Marks, func(o *Options) *MarkConsistent { return &o.MarkConsistent }),
	option.SeamOption(ConsistencyCheckers, func(o *Options) *ConsistencyChecker { return &o.ConsistencyChecker }),
	option.SeamOption(PassedChecks, func(o *Options) *PassedCheck { return &o.PassedCheck }),
	option.SeamOption(CheckDigests, func(o *Options) *CheckDigest { return &o.CheckDigest }),
	option.SeamOption(CheckPages, func(o *Options) *CheckPage { return &o.CheckPages }),
	option.Choice("inconsistency-detector", func(o *Options) *InconsistencyDetector { return &o.InconsistencyDetector },
		"whether lists that the cache answered are compared with etcd (KEP-2340)",
		option.Val("off", "none is"),
		option.Val("on", "each is")),
)

// Config is what the machines are made of.
type Config struct {
	Options
	// Prefix of the resource's keys.
	Prefix string
	// KV is the node that answers lists, Compactor the one that knows how far etcd
	// is compacted; 0 if there is none.
	KV, Compactor sim.NodeID
	// PageSize is how many objects a page of a list has.
	PageSize int
	// CompactionPollPeriod is the time between two questions to the compactor,
	// ConsistencyCheckPeriod the minimum time between two consistency checks.
	// UntimedTurns is how often each of the two happens in an untimed run.
	CompactionPollPeriod, ConsistencyCheckPeriod sim.Duration
	UntimedTurns                                 int
	// CompactionTimer and CheckTimer are the timers of the two.
	CompactionTimer, CheckTimer sim.Timer
}
