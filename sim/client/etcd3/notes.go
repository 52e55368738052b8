package etcd3

import "github.com/watchbed/watchbed/sim"

// What the watcher notes while a run is observed.
var (
	watchEnds          = sim.NewNote2[string, string]("etcd3.watchEnds", "the watch of %s ends: %s")
	endWaits           = sim.NewNote2[string, string]("etcd3.endWaits", "cannot tell yet that the watch of %s ends, since its channel to the cache is full: %s", sim.IsSetback)
	parsed             = sim.NewNote2[string, int64]("etcd3.parsed", "the watch of %s parses the event of revision %r", sim.IsMeasured, sim.IsUntold)
	eventWaits         = sim.NewNote2[string, int64]("etcd3.eventWaits", "the watch of %s waits for room for the event of revision %r", sim.IsAside)
	listsInPages       = sim.NewNote2[string, string]("etcd3.listsInPages", `asks for the objects of %s in pages, since their stream ended with the error "%s"`)
	takesErrorForChunk = sim.NewNote1[string]("etcd3.takesErrorForChunk", `takes the error behind the last chunk of a page, "%s", for one more chunk`)
	progressPasses     = sim.NewNote2[int64, int64]("etcd3.progressPasses", "sends on that all is there up to revision %d, while the event of revision %r is still decoded")
	sentPast           = sim.NewNote2[int64, int64]("etcd3.sentPast", "sends the event of revision %d, while that of revision %r is still decoded")
	leftOut            = sim.NewNote1[int64]("etcd3.leftOut", "cannot decode the object of revision %r, and goes on with those behind it")
	// It came without the object, so that nothing is sent to the cache.
	deletionDropped = sim.NewNote2[string, int64]("etcd3.deletionDropped", "drops the deletion of %k at revision %r: it came without the object")
)

// The names of fields and functions are etcd3's.
var (
	compacted             = sim.NewCoveragePoint("etcd3: a watch ends because of compaction")
	missingPrevKvFailed   = sim.NewCoveragePoint("etcd3: a change without previous value ends the watch")
	deletionSkipped       = sim.NewCoveragePoint("etcd3: a deletion without an object is skipped")
	syncStarted           = sim.NewCoveragePoint("etcd3: a watch lists its initial events")
	syncPaged             = sim.NewCoveragePoint("etcd3: the initial events of a watch have several pages")
	syncBlocked           = sim.NewCoveragePoint("etcd3: initial events wait for room in incomingEventChan")
	syncEndQueued         = sim.NewCoveragePoint("etcd3: the end of the initial events is queued")
	syncStreamed          = sim.NewCoveragePoint("etcd3: the initial events of a watch come as a stream")
	syncStreamFailed      = sim.NewCoveragePoint("etcd3: the stream of initial events fails")
	streamUnsupported     = sim.NewCoveragePoint("etcd3: etcd is found not to know RangeStream")
	streamTriedAgain      = sim.NewCoveragePoint("etcd3: RangeStream is tried again after ten minutes")
	listStreamed          = sim.NewCoveragePoint("etcd3: a list comes as a stream")
	pageEndMistaken       = sim.NewCoveragePoint("etcd3: an error of a stream is taken for a chunk behind the page")
	listStreamFailed      = sim.NewCoveragePoint("etcd3: the stream of a list fails")
	syncFailed            = sim.NewCoveragePoint("etcd3: initial events cannot be listed")
	syncTooLarge          = sim.NewCoveragePoint("etcd3: initial events are wanted of a future revision")
	watchFromCurrent      = sim.NewCoveragePoint("etcd3: a watch without initial events asks where etcd is")
	stoppedWhileSyncing   = sim.NewCoveragePoint("etcd3: the cache stops a watch that still sends its initial events")
	incomingEventChanFull = sim.NewCoveragePoint("etcd3: incomingEventChan is full")
	decodedOutOfOrder     = sim.NewCoveragePoint("etcd3: an event is decoded before one that came earlier")
	decodesFull           = sim.NewCoveragePoint("etcd3: ten events are decoded, and the next one waits")
	undecodableMet        = sim.NewCoveragePoint("etcd3: an object on a watch can never be decoded")
	undecodableRead       = sim.NewCoveragePoint("etcd3: an object that is read can never be decoded")
	decodeFailed          = sim.NewCoveragePoint("etcd3: an object cannot be decoded")
	errorOvertakesDecodes = sim.NewCoveragePoint("etcd3: an error overtakes events that are decoded")
	resultChanFull        = sim.NewCoveragePoint("etcd3: resultChan is full")
	resultChanDrained     = sim.NewCoveragePoint("etcd3: events go on because resultChan has room again")
	errorWaits            = sim.NewCoveragePoint("etcd3: an error waits for room in resultChan")
	errorOvertakes        = sim.NewCoveragePoint("etcd3: an error overtakes events in incomingEventChan")
	closedWithoutError    = sim.NewCoveragePoint("etcd3: resultChan is closed without an error")
	incomingDropped       = sim.NewCoveragePoint("etcd3: a watch ends with events in incomingEventChan")
)
