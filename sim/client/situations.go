package client

import "github.com/watchbed/watchbed/sim"

// The names of fields and functions are clientv3's and etcd3's.
var (
	// Requests of the cache.
	watchWhileAsleep      = sim.NewSituation("client: a watch is requested while its stream backs off")
	watchRetriesStream    = sim.NewSituation("client: a watch is requested of a stream that just closed, and opens another")
	createWaits           = sim.NewSituation("client: a watch waits until the one before it is created")
	progressOpensStream   = sim.NewSituation("client: a progress request opens a stream")
	progressWithoutWatch  = sim.NewSituation("client: progress is requested of a stream on which no watch is registered")
	progressWhileAsleep   = sim.NewSituation("client: progress is requested while the stream backs off")
	progressCallerBlocked = sim.NewSituation("client: the progress requester is blocked by a stream that backs off")
	progressFails         = sim.NewSituation("client: a progress request fails because its stream ended")

	// Responses of etcd.
	created                = sim.NewSituation("client: a watch is created")
	createdForNobody       = sim.NewSituation("client: a watch is created that was abandoned meanwhile")
	createRefused          = sim.NewSituation("client: etcd refuses to create a watch")
	watchOfThePresent      = sim.NewSituation("client: a watch of the present notes the revision of its creation")
	broadcast              = sim.NewSituation("client: a progress notification is broadcast")
	broadcastMisses        = sim.NewSituation("client: a broadcast misses a watch that is not registered yet")
	canceledByServer       = sim.NewSituation("client: etcd cancels a watch without compaction")
	unexpectedWatchID      = sim.NewSituation("client: a response for an unexpected watch id makes the client cancel it")
	unexpectedAgain        = sim.NewSituation("client: another response for an id that is being cancelled")
	substreamDeaf          = sim.NewSituation("client: a response finds its substream closing")
	fragmentHeld           = sim.NewSituation("client: a fragment waits for the next")
	fragmentMerged         = sim.NewSituation("client: fragments are merged")
	lostBetweenFragments   = sim.NewSituation("client: a response is lost between another's fragments")
	compacted              = sim.NewSituation("client: a watch ends because of compaction")
	bufferDropped          = sim.NewSituation("client: a substream closes with responses in its buffer")
	missingPrevKvFailed    = sim.NewSituation("client: a change without previous value ends the watch")
	missingPrevKvPassed    = sim.NewSituation("client: a change without previous value is passed on")
	deletionSkipped        = sim.NewSituation("client: a deletion without an object is skipped")
	abandonedInQueue       = sim.NewSituation("client: a watch is abandoned before it is registered")
	abandonedBeforeCreated = sim.NewSituation("client: a watch is abandoned while its create request is under way")

	// Initial events.
	syncStarted         = sim.NewSituation("client: a watch lists its initial events")
	syncPaged           = sim.NewSituation("client: the initial events of a watch have several pages")
	syncBlocked         = sim.NewSituation("client: initial events wait for room in incomingEventChan")
	syncEndQueued       = sim.NewSituation("client: the end of the initial events is queued")
	syncFailed          = sim.NewSituation("client: initial events cannot be listed")
	syncTooLarge        = sim.NewSituation("client: initial events are wanted of a future revision")
	watchFromCurrent    = sim.NewSituation("client: a watch without initial events asks where etcd is")
	stoppedWhileSyncing = sim.NewSituation("client: the cache stops a watch that still sends its initial events")

	// Streams that end.
	streamBroke           = sim.NewSituation("client: the stream to etcd breaks")
	brokeBetweenFragments = sim.NewSituation("client: the stream to etcd breaks between fragments")
	streamEnded           = sim.NewSituation("client: etcd ends the stream in order")
	resumeBeforeCreated   = sim.NewSituation("client: a watch resumes that was never created")
	resumeAfterEvents     = sim.NewSituation("client: a watch resumes after an event or where it began")
	resumeAfterProgress   = sim.NewSituation("client: a watch resumes after a progress notification")
	resumeWithBuffer      = sim.NewSituation("client: a watch resumes with responses in its buffer")
	resumeStopped         = sim.NewSituation("client: a watch that is closing resumes all the same")
	lastWatchClosesStream = sim.NewSituation("client: the last watch closes the stream")
	streamWithoutWatches  = sim.NewSituation("client: a stream stays open for a watch that was abandoned")
	cancelSent            = sim.NewSituation("client: a closed watch is cancelled on the server")

	// The two buffers, and watches that end.
	incomingEventChanFull = sim.NewSituation("client: incomingEventChan is full")
	resultChanFull        = sim.NewSituation("client: resultChan is full")
	resultChanDrained     = sim.NewSituation("client: events go on because resultChan has room again")
	errorWaits            = sim.NewSituation("client: an error waits for room in resultChan")
	errorOvertakes        = sim.NewSituation("client: an error overtakes events in incomingEventChan")
	closedWithoutError    = sim.NewSituation("client: resultChan is closed without an error")
	incomingDropped       = sim.NewSituation("client: a watch ends with events in incomingEventChan")
	stopped               = sim.NewSituation("client: the cache stops a watch")
	stoppedWhileAsleep    = sim.NewSituation("client: the cache stops a watch that waits for a stream that backs off")
	stoppedTwice          = sim.NewSituation("client: the cache stops a watch that clientv3 is closing")
	restarted             = sim.NewSituation("client: the process restarts")

	// Unary calls.
	readRetried  = sim.NewSituation("client: a read is repeated because etcd was unavailable")
	readGivenUp  = sim.NewSituation("client: a read is given up after all retries")
	writeUnknown = sim.NewSituation("client: a write is interrupted and not repeated")
	callerGone   = sim.NewSituation("client: the caller of a unary request goes away")
)
