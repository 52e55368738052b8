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
