package informer

import (
	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/sim"
)

var (
	relisted  = sim.NewCoveragePoint("informer: list and watch again")
	restarted = sim.NewCoveragePoint("informer: restarted")
	moved     = sim.NewCoveragePoint("informer: moved to another API server")
	wentBack  = sim.NewCoveragePoint("informer: resourceVersion goes back in time")
	backedOff = sim.NewCoveragePoint("informer: backed off after 429")
)

// Below the Reflector.
var (
	retriedAfter     = sim.NewCoveragePoint("informer: request sent again after Retry-After")
	retriesExhausted = sim.NewCoveragePoint("informer: request sent again too often")
	connectionLost   = sim.NewCoveragePoint("informer: connection lost during a list")
)

// LIST.
var (
	listPaged    = sim.NewCoveragePoint("informer: list of several pages")
	listExpired  = sim.NewCoveragePoint("informer: list whose second page expired")
	listedNewest = sim.NewCoveragePoint("informer: newest list after a refused resourceVersion")
	listTimedOut = sim.NewCoveragePoint("informer: list ended by its timeout")
	listFailed   = sim.NewCoveragePoint("informer: list failed")
	fellBack     = sim.NewCoveragePoint("informer: list in place of a stream")
)

// WatchList.
var (
	streamedList     = sim.NewCoveragePoint("informer: initial events ended by a bookmark")
	changedMeanwhile = sim.NewCoveragePoint("informer: change among the initial events")
	bookmarkTooEarly = sim.NewCoveragePoint("informer: bookmark before the end of the initial events")
	streamedNewest   = sim.NewCoveragePoint("informer: newest stream after a refused resourceVersion")
	patienceLost     = sim.NewCoveragePoint("informer: initial events not waited for any longer")
	streamedAgain    = sim.NewCoveragePoint("informer: stream closed before the end of its initial events")
)

// WATCH.
var (
	bookmarkTaken  = sim.NewCoveragePoint("informer: position moved by a bookmark")
	watchResumed   = sim.NewCoveragePoint("informer: watch resumed")
	watchExpired   = sim.NewCoveragePoint("informer: watch ended by 410")
	watchFailed    = sim.NewCoveragePoint("informer: watch ended by an error")
	watchVeryShort = sim.NewCoveragePoint("informer: watch closed at once")
	watchTimedOut  = sim.NewCoveragePoint("informer: watch ended by its timeout")
)

// syncDuration is how long handlers wait for a store.
var syncDuration = metric.New("informer_sync_duration_seconds", metric.Nanoseconds,
	"from the start of an informer's process, or from when its API server is ready, to its first store, whatever was tried in vain")

// followingRequests is the number of requests of one process until it follows.
var followingRequests = metric.New("informer_requests", metric.Counted,
	"LISTs and WATCHes of an informer's process until it has a store and a watch that follows, with those in vain")

// Consistency detector.
var (
	checkPassed   = sim.NewCoveragePoint("informer: streamed list compared and equal")
	checkFailed   = sim.NewCoveragePoint("informer: list for the comparison refused")
	checkPanicked = sim.NewCoveragePoint("informer: streamed list compared and different")
)
