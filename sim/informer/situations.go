package informer

import (
	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/sim"
)

var (
	relisted  = sim.NewSituation("informer: list and watch again")
	restarted = sim.NewSituation("informer: restarted")
	moved     = sim.NewSituation("informer: moved to another API server")
	wentBack  = sim.NewSituation("informer: resourceVersion goes back in time")
	backedOff = sim.NewSituation("informer: backed off after 429")
)

// Below the Reflector.
var (
	retriedAfter     = sim.NewSituation("informer: request sent again after Retry-After")
	retriesExhausted = sim.NewSituation("informer: request sent again too often")
	connectionLost   = sim.NewSituation("informer: connection lost during a list")
)

// LIST.
var (
	listPaged    = sim.NewSituation("informer: list of several pages")
	listExpired  = sim.NewSituation("informer: list whose second page expired")
	listedNewest = sim.NewSituation("informer: newest list after a refused resourceVersion")
	listTimedOut = sim.NewSituation("informer: list ended by its timeout")
	listFailed   = sim.NewSituation("informer: list failed")
	fellBack     = sim.NewSituation("informer: list in place of a stream")
)

// WatchList.
var (
	streamedList     = sim.NewSituation("informer: initial events ended by a bookmark")
	changedMeanwhile = sim.NewSituation("informer: change among the initial events")
	bookmarkTooEarly = sim.NewSituation("informer: bookmark before the end of the initial events")
	streamedNewest   = sim.NewSituation("informer: newest stream after a refused resourceVersion")
	patienceLost     = sim.NewSituation("informer: initial events not waited for any longer")
	streamedAgain    = sim.NewSituation("informer: stream closed before the end of its initial events")
)

// WATCH.
var (
	bookmarkTaken  = sim.NewSituation("informer: position moved by a bookmark")
	watchResumed   = sim.NewSituation("informer: watch resumed")
	watchExpired   = sim.NewSituation("informer: watch ended by 410")
	watchFailed    = sim.NewSituation("informer: watch ended by an error")
	watchVeryShort = sim.NewSituation("informer: watch closed at once")
	watchTimedOut  = sim.NewSituation("informer: watch ended by its timeout")
)

// syncDuration is how long handlers wait for a store.
var syncDuration = metric.New("informer_sync_duration_seconds", metric.Nanoseconds,
	"from the start of an informer's process, or from when its API server is ready, to its first store, whatever was tried in vain")

// followingRequests is the number of requests of one process until it follows.
var followingRequests = metric.New("informer_requests", metric.Counted,
	"LISTs and WATCHes of an informer's process until it has a store and a watch that follows, with those in vain")

// Consistency detector.
var (
	checkPassed   = sim.NewSituation("informer: streamed list compared and equal")
	checkFailed   = sim.NewSituation("informer: list for the comparison refused")
	checkPanicked = sim.NewSituation("informer: streamed list compared and different")
)
