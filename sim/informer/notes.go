package informer

import (
	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// What the informer notes while a run is observed.
var (
	serverChanged = sim.NewNote1[sim.NodeID]("informer.serverChanged", "connects to %s")
	listSent      = sim.NewNote2[sim.NodeID, sim.Payload]("informer.listSent", "asks %s: %s")
	pageSent      = sim.NewNote2[sim.NodeID, sim.Payload]("informer.pageSent", "asks %s: %s")
	watchSent     = sim.NewNote2[sim.NodeID, sim.Payload]("informer.watchSent", "asks %s: %s")
	storeReplaced = sim.NewNote2[sim.Counted, int64]("informer.storeReplaced", "has %s of resourceVersion %r")
	eventTaken    = sim.NewNote1[event]("informer.eventTaken", "takes %s")

	newestListed   = sim.NewNote1[wire.Code]("informer.newestListed", "is refused (%s) and asks for the newest list")
	wholeListed    = sim.NewNote1[wire.Code]("informer.wholeListed", "is refused the next page (%s) and lists in one piece")
	listRefused    = sim.NewNote1[wire.Code]("informer.listRefused", "cannot list: %s")
	watchRefused   = sim.NewNote1[wire.Code]("informer.watchRefused", "is refused the watch: %s")
	listFallback   = sim.NewNote0("informer.listFallback", "lists instead of streaming the list")
	detectorPanics = sim.NewNote1[int64]("informer.detectorPanics", "panics: the streamed list differs from the list of resourceVersion %r")
)

// event is what a watch has brought.
type event struct{ *wire.WatchEvent }

func (e event) About() sim.About {
	about := sim.About{Revision: e.ResourceVersion}
	if e.Item != nil {
		about.Key = e.Item.Key
	}
	return about
}

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
