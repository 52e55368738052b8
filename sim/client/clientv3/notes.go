package clientv3

import "github.com/watchbed/watchbed/sim"

// What the client library notes while a run is observed.
var (
	streamEnds   = sim.NewNote1[string]("clientv3.streamEnds", "the stream to etcd ended, and all watches on it: %s")
	callRepeated = sim.NewNote2[sim.Payload, string]("clientv3.callRepeated", `will send %s again after the error "%s"`)
	callFailed   = sim.NewNote2[string, sim.Payload]("clientv3.callFailed", `passes on the error "%s" of %s`)
	callReworded = sim.NewNote3[string, sim.Payload, string]("clientv3.callFailed", `makes of the error "%s" of %s the answer "%s"`)
	callKept     = sim.NewNote1[sim.Payload]("clientv3.callKept", "keeps the call %s, whose caller is gone", sim.IsSetback)
	createQueued = sim.NewNote2[string, int]("clientv3.createQueued", "will request the watch of %s when those before it on the stream are created: %d")
	received     = sim.NewNote3[string, sim.Payload, int64]("clientv3.received", "the watch of %s receives %s%R", sim.IsAside)
	dropped      = sim.NewNote2[sim.Payload, int64]("clientv3.received", "drops %s, of which no watch is left%R", sim.IsAside)
	watchResumes = sim.NewNote2[string, int64]("clientv3.watchResumes", "resumes the watch of %s from revision %r")
	// The revision comes from a progress notification.
	watchResumesAtProgress = sim.NewNote2[string, int64]("clientv3.watchResumes", "resumes the watch of %s from revision %r, because of a progress notification")
	closingsLeft           = sim.NewNote1[int]("clientv3.closingsLeft", "does not take %d watches that closed while the stream waited to be opened again", sim.IsSetback)
	runWaits               = sim.NewNote0("clientv3.runWaits", "waits for ever for a watch that etcd refused to create, and takes no request for the stream any more", sim.IsSetback)
	givenToOthers          = sim.NewNote1[int64]("clientv3.givenToOthers", "gives progress %r to the watches of another stream, too")
)

// The names of fields and functions are clientv3's.
var (
	// Requests of the subscriber.
	watchWhileAsleep      = sim.NewCoveragePoint("clientv3: a watch is requested while its stream backs off")
	watchRetriesStream    = sim.NewCoveragePoint("clientv3: a watch is requested of a stream that just closed, and opens another")
	createWaits           = sim.NewCoveragePoint("clientv3: a watch waits until the one before it is created")
	progressOpensStream   = sim.NewCoveragePoint("clientv3: a progress request opens a stream")
	progressWithoutWatch  = sim.NewCoveragePoint("clientv3: progress is requested of a stream on which no watch is registered")
	progressWhileAsleep   = sim.NewCoveragePoint("clientv3: progress is requested while the stream backs off")
	progressCallerBlocked = sim.NewCoveragePoint("clientv3: the progress requester is blocked by a stream that backs off")
	progressFails         = sim.NewCoveragePoint("clientv3: a progress request fails because its stream ended")

	// Responses of etcd.
	created                = sim.NewCoveragePoint("clientv3: a watch is created")
	createdAbandoned       = sim.NewCoveragePoint("clientv3: a watch is created that was abandoned meanwhile")
	createRefused          = sim.NewCoveragePoint("clientv3: etcd refuses to create a watch")
	waitsForRefused        = sim.NewCoveragePoint("clientv3: run waits for ever for a watch that etcd refused to create")
	watchOfThePresent      = sim.NewCoveragePoint("clientv3: a watch of the present notes the revision of its creation")
	broadcast              = sim.NewCoveragePoint("clientv3: a progress notification is broadcast")
	broadcastMisses        = sim.NewCoveragePoint("clientv3: a broadcast misses a watch that is not registered yet")
	canceledByServer       = sim.NewCoveragePoint("clientv3: etcd cancels a watch without compaction")
	unexpectedWatchID      = sim.NewCoveragePoint("clientv3: a response for an unexpected watch id makes the client cancel it")
	unexpectedAgain        = sim.NewCoveragePoint("clientv3: another response for an id that is being cancelled")
	substreamDeaf          = sim.NewCoveragePoint("clientv3: a response finds its substream closing")
	fragmentHeld           = sim.NewCoveragePoint("clientv3: a fragment waits for the next")
	fragmentMerged         = sim.NewCoveragePoint("clientv3: fragments are merged")
	lostBetweenFragments   = sim.NewCoveragePoint("clientv3: a response is lost between another's fragments")
	bufferDropped          = sim.NewCoveragePoint("clientv3: a substream closes with responses in its buffer")
	abandonedInQueue       = sim.NewCoveragePoint("clientv3: a watch is abandoned before it is registered")
	abandonedBeforeCreated = sim.NewCoveragePoint("clientv3: a watch is abandoned while its create request is under way")

	// Streams that end.
	streamBroke           = sim.NewCoveragePoint("clientv3: the stream to etcd breaks")
	brokeBetweenFragments = sim.NewCoveragePoint("clientv3: the stream to etcd breaks between fragments")
	streamFailed          = sim.NewCoveragePoint("clientv3: the stream to etcd ends because there is no leader")
	streamEnded           = sim.NewCoveragePoint("clientv3: etcd ends the stream in order")
	resumeBeforeCreated   = sim.NewCoveragePoint("clientv3: a watch resumes that was never created")
	resumeAfterEvents     = sim.NewCoveragePoint("clientv3: a watch resumes after an event or where it began")
	resumeAfterProgress   = sim.NewCoveragePoint("clientv3: a watch resumes after a progress notification")
	resumeWithBuffer      = sim.NewCoveragePoint("clientv3: a watch resumes with responses in its buffer")
	resumeStopped         = sim.NewCoveragePoint("clientv3: a watch that is closing resumes")
	lastWatchClosesStream = sim.NewCoveragePoint("clientv3: the last watch closes the stream")
	nextMember            = sim.NewCoveragePoint("clientv3: a stream is opened at the next member")
	streamWithoutWatches  = sim.NewCoveragePoint("clientv3: a stream stays open for a watch that was abandoned")
	cancelSent            = sim.NewCoveragePoint("clientv3: a closed watch is cancelled on the server")

	// Watches that end.
	stopped            = sim.NewCoveragePoint("clientv3: the cache stops a watch")
	stoppedWhileAsleep = sim.NewCoveragePoint("clientv3: the cache stops a watch that waits for a stream that backs off")
	stoppedTwice       = sim.NewCoveragePoint("clientv3: the cache stops a watch that clientv3 is closing")
	restarted          = sim.NewCoveragePoint("clientv3: the process restarts")

	// Unary calls.
	readRetried  = sim.NewCoveragePoint("clientv3: a read is repeated because etcd was unavailable")
	readGivenUp  = sim.NewCoveragePoint("clientv3: a read is given up after all retries")
	writeUnknown = sim.NewCoveragePoint("clientv3: a write is interrupted and not repeated")
	callerGone   = sim.NewCoveragePoint("clientv3: the caller of a unary request goes away")
)
