package clientv3

import "github.com/watchbed/watchbed/sim"

// The names of fields and functions are clientv3's.
var (
	// Requests of the subscriber.
	watchWhileAsleep      = sim.NewSituation("clientv3: a watch is requested while its stream backs off")
	watchRetriesStream    = sim.NewSituation("clientv3: a watch is requested of a stream that just closed, and opens another")
	createWaits           = sim.NewSituation("clientv3: a watch waits until the one before it is created")
	progressOpensStream   = sim.NewSituation("clientv3: a progress request opens a stream")
	progressWithoutWatch  = sim.NewSituation("clientv3: progress is requested of a stream on which no watch is registered")
	progressWhileAsleep   = sim.NewSituation("clientv3: progress is requested while the stream backs off")
	progressCallerBlocked = sim.NewSituation("clientv3: the progress requester is blocked by a stream that backs off")
	progressFails         = sim.NewSituation("clientv3: a progress request fails because its stream ended")

	// Responses of etcd.
	created                = sim.NewSituation("clientv3: a watch is created")
	createdAbandoned       = sim.NewSituation("clientv3: a watch is created that was abandoned meanwhile")
	createRefused          = sim.NewSituation("clientv3: etcd refuses to create a watch")
	watchOfThePresent      = sim.NewSituation("clientv3: a watch of the present notes the revision of its creation")
	broadcast              = sim.NewSituation("clientv3: a progress notification is broadcast")
	broadcastMisses        = sim.NewSituation("clientv3: a broadcast misses a watch that is not registered yet")
	canceledByServer       = sim.NewSituation("clientv3: etcd cancels a watch without compaction")
	unexpectedWatchID      = sim.NewSituation("clientv3: a response for an unexpected watch id makes the client cancel it")
	unexpectedAgain        = sim.NewSituation("clientv3: another response for an id that is being cancelled")
	substreamDeaf          = sim.NewSituation("clientv3: a response finds its substream closing")
	fragmentHeld           = sim.NewSituation("clientv3: a fragment waits for the next")
	fragmentMerged         = sim.NewSituation("clientv3: fragments are merged")
	lostBetweenFragments   = sim.NewSituation("clientv3: a response is lost between another's fragments")
	bufferDropped          = sim.NewSituation("clientv3: a substream closes with responses in its buffer")
	abandonedInQueue       = sim.NewSituation("clientv3: a watch is abandoned before it is registered")
	abandonedBeforeCreated = sim.NewSituation("clientv3: a watch is abandoned while its create request is under way")

	// Streams that end.
	streamBroke           = sim.NewSituation("clientv3: the stream to etcd breaks")
	brokeBetweenFragments = sim.NewSituation("clientv3: the stream to etcd breaks between fragments")
	streamFailed          = sim.NewSituation("clientv3: the stream to etcd ends because there is no leader")
	streamEnded           = sim.NewSituation("clientv3: etcd ends the stream in order")
	resumeBeforeCreated   = sim.NewSituation("clientv3: a watch resumes that was never created")
	resumeAfterEvents     = sim.NewSituation("clientv3: a watch resumes after an event or where it began")
	resumeAfterProgress   = sim.NewSituation("clientv3: a watch resumes after a progress notification")
	resumeWithBuffer      = sim.NewSituation("clientv3: a watch resumes with responses in its buffer")
	resumeStopped         = sim.NewSituation("clientv3: a watch that is closing resumes")
	lastWatchClosesStream = sim.NewSituation("clientv3: the last watch closes the stream")
	nextMember            = sim.NewSituation("clientv3: a stream is opened at the next member")
	streamWithoutWatches  = sim.NewSituation("clientv3: a stream stays open for a watch that was abandoned")
	cancelSent            = sim.NewSituation("clientv3: a closed watch is cancelled on the server")

	// Watches that end.
	stopped            = sim.NewSituation("clientv3: the cache stops a watch")
	stoppedWhileAsleep = sim.NewSituation("clientv3: the cache stops a watch that waits for a stream that backs off")
	stoppedTwice       = sim.NewSituation("clientv3: the cache stops a watch that clientv3 is closing")
	restarted          = sim.NewSituation("clientv3: the process restarts")

	// Unary calls.
	readRetried  = sim.NewSituation("clientv3: a read is repeated because etcd was unavailable")
	readGivenUp  = sim.NewSituation("clientv3: a read is given up after all retries")
	writeUnknown = sim.NewSituation("clientv3: a write is interrupted and not repeated")
	callerGone   = sim.NewSituation("clientv3: the caller of a unary request goes away")
)
