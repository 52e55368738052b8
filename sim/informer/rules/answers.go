package rules

import (
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// Unavailable is a value of Unavailables.
type Unavailable uint8

// Gives reports whether a refusal of a list, or of a WatchList, makes the Reflector give
// up the resourceVersion that it named, and ask for the newest state.
type Gives func(err *wire.Error) bool

// Unavailables are the refusals that do (isExpiredError, isTooLargeResourceVersionError).
var Unavailables = option.NewSeam[Unavailable, Gives]("informer-unavailable",
	"the refusals of a list after which an informer asks for the newest state").
	Shipped("expired-or-too-large", "410, and 504 because no server has come as far: as shipped",
		func(err *wire.Error) bool {
			return err.Code == wire.ErrCompacted || err.Code == wire.TooLargeResourceVersion
		})

// BusyWatch is a value of BusyWatches.
type BusyWatch uint8

// Retries reports whether a watch that ended with an error is requested again after a
// pause, from the same resourceVersion.
type Retries func(err *wire.Error) bool

// BusyWatches are the errors after which it is (isWatchErrorRetriable).
var BusyWatches = option.NewSeam[BusyWatch, Retries]("informer-busy-watch",
	"the errors of a watch after which an informer watches again, and does not list").
	Shipped("too-many-requests", "429: as shipped", func(err *wire.Error) bool { return err.Code == wire.TooManyRequests })

// Bookmarked is a value of Bookmarks.
type Bookmarked uint8

// Moves reports whether an event moves the resourceVersion that a watch is resumed at.
type Moves func(e *wire.WatchEvent) bool

// Bookmarks are the events of a watch that do (handleAnyWatch).
var Bookmarks = option.NewSeam[Bookmarked, Moves]("informer-bookmarks",
	"the events of a watch that move the resourceVersion of an informer").
	Shipped("taken", "all of them, bookmarks included: as shipped", func(*wire.WatchEvent) bool { return true })
