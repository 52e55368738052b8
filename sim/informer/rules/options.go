package rules

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// Options are a value of each seam. The zero value is what client-go does.
type Options struct {
	Unavailable Unavailable
	BusyWatch   BusyWatch
	Bookmarked  Bookmarked
	WholeList   WholeList
	NextPage    NextPage
	Retry       Retry
	Pause       Pause
	Compared    Compared
	// Of shared informers.
	Replace      Replace
	Batch        Batch
	Resync       Resync
	Count        Count
	Distribution Distribution
	LateHandler  LateHandler
	SyncWatch    SyncWatch
	Relist       Relist
	Tombstone    Tombstone
	Period       HandlerPeriod
	// Of controllers.
	Consistency Consistency
	WriteRecord WriteRecord
}

// Group is all options.
var Group = option.NewGroup("informers",
	option.SeamOption(Unavailables, func(o *Options) *Unavailable { return &o.Unavailable }),
	option.SeamOption(BusyWatches, func(o *Options) *BusyWatch { return &o.BusyWatch }),
	option.SeamOption(Bookmarks, func(o *Options) *Bookmarked { return &o.Bookmarked }),
	option.SeamOption(WholeLists, func(o *Options) *WholeList { return &o.WholeList }),
	option.SeamOption(NextPages, func(o *Options) *NextPage { return &o.NextPage }),
	option.SeamOption(RetryLimits, func(o *Options) *Retry { return &o.Retry }),
	option.SeamOption(Pauses, func(o *Options) *Pause { return &o.Pause }),
	option.SeamOption(Comparisons, func(o *Options) *Compared { return &o.Compared }),
	option.SeamOption(Replacements, func(o *Options) *Replace { return &o.Replace }),
	option.SeamOption(Batches, func(o *Options) *Batch { return &o.Batch }),
	option.SeamOption(Resyncs, func(o *Options) *Resync { return &o.Resync }),
	option.SeamOption(Counts, func(o *Options) *Count { return &o.Count }),
	option.SeamOption(Distributions, func(o *Options) *Distribution { return &o.Distribution }),
	option.SeamOption(LateHandlers, func(o *Options) *LateHandler { return &o.LateHandler }),
	option.SeamOption(SyncWatches, func(o *Options) *SyncWatch { return &o.SyncWatch }),
	option.SeamOption(Relists, func(o *Options) *Relist { return &o.Relist }),
	option.SeamOption(Tombstones, func(o *Options) *Tombstone { return &o.Tombstone }),
	option.SeamOption(HandlerPeriods, func(o *Options) *HandlerPeriod { return &o.Period }),
	option.SeamOption(Consistencies, func(o *Options) *Consistency { return &o.Consistency }),
	option.SeamOption(WriteRecords, func(o *Options) *WriteRecord { return &o.WriteRecord }),
)

// GivesUp asks Unavailables.
func (o *Options) GivesUp(err *wire.Error) bool { return Unavailables.Of(o.Unavailable)(err) }

// WatchesAgain asks BusyWatches.
func (o *Options) WatchesAgain(err *wire.Error) bool { return BusyWatches.Of(o.BusyWatch)(err) }

// Moves asks Bookmarks.
func (o *Options) Moves(e *wire.WatchEvent) bool { return Bookmarks.Of(o.Bookmarked)(e) }

// WholeLimit asks WholeLists.
func (o *Options) WholeLimit(pageSize int64) int64 { return WholeLists.Of(o.WholeList)(pageSize) }

// NextLimit asks NextPages.
func (o *Options) NextLimit(pageSize int64) int64 { return NextPages.Of(o.NextPage)(pageSize) }

// SendsAgain asks RetryLimits.
func (o *Options) SendsAgain(retries int) bool { return RetryLimits.Of(o.Retry)(retries) }

// Waits asks Pauses.
func (o *Options) Waits(backoff sim.Duration) sim.Duration { return Pauses.Of(o.Pause)(backoff) }

// Compares asks Comparisons.
func (o *Options) Compares(listed *wire.KeyValue) *wire.KeyValue {
	return Comparisons.Of(o.Compared)(listed)
}

// Replaces asks Replacements.
func (o *Options) Replaces() Replaces { return Replacements.Of(o.Replace) }

// Joins asks Batches.
func (o *Options) Joins(repeated bool) Joining { return Batches.Of(o.Batch)(repeated) }

// ResyncTakesAtOnce asks Resyncs.
func (o *Options) ResyncTakesAtOnce() bool { return bool(Resyncs.Of(o.Resync)) }

// CountsBefore asks Counts.
func (o *Options) CountsBefore() bool { return bool(Counts.Of(o.Count)) }

// HoldsListeners asks Distributions.
func (o *Options) HoldsListeners() bool { return bool(Distributions.Of(o.Distribution)) }

// AddsUnlocked asks LateHandlers.
func (o *Options) AddsUnlocked() bool { return bool(LateHandlers.Of(o.LateHandler)) }

// WatchesAlways asks SyncWatches.
func (o *Options) WatchesAlways() bool { return bool(SyncWatches.Of(o.SyncWatch)) }

// TellsListAsResync asks Relists.
func (o *Options) TellsListAsResync() bool { return bool(Relists.Of(o.Relist)) }

// HeedsTombstones asks Tombstones.
func (o *Options) HeedsTombstones() bool { return bool(Tombstones.Of(o.Tombstone)) }

// PeriodOf asks HandlerPeriods.
func (o *Options) PeriodOf(asked, checks sim.Duration) sim.Duration {
	return HandlerPeriods.Of(o.Period)(asked, checks)
}

// ActsAtOnce asks Consistencies.
func (o *Options) ActsAtOnce() bool { return bool(Consistencies.Of(o.Consistency)) }

// Records asks WriteRecords.
func (o *Options) Records(read, answered int64) int64 {
	return WriteRecords.Of(o.WriteRecord)(read, answered)
}
