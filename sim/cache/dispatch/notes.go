package dispatch

import (
	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

var (
	registered       = sim.NewNote("dispatch.registered", registration)
	registeredAmiss  = sim.NewNote("dispatch.registered", registration, sim.IsSetback)
	establishedEarly = sim.NewNote1[sim.NodeID]("dispatch.establishedEarly", "tells %s that its watch is established, before the beginning of the watch is fixed", sim.IsSetback)
	delegated        = sim.NewNote1[sim.NodeID]("dispatch.delegated", "passes the watch of %s on to etcd")

	// untriggered: a watch is not given an event that concerns what it selects.
	untriggered = sim.NewNote("dispatch.untriggered",
		"does not give the watch of %[2]s the event of revision %[1]r: the object has another value of the field now", sim.IsSetback)
	queued = sim.NewNote2[int64, sim.Counted]("dispatch.queued", "hands the event of revision %r to the dispatcher, which has %s before it to take", sim.IsAside)
	full   = sim.NewNote2[int64, sim.Counted]("dispatch.full", "cannot hand the event of revision %r to the dispatcher yet: its incoming channel is full with %s", sim.IsSetback)
	given  = sim.NewNote3[string, int64, sim.NodeID]("dispatch.given", "puts the %s of revision %r into the channel of %s", sim.IsAside, sim.IsMeasured)
	waits  = sim.NewNote3[int64, sim.NodeID, string]("dispatch.waits",
		"has no room for the event of revision %d in the channel of %s, and dispatches nothing more to any watch until there is%s", sim.IsSetback, sim.IsMeasured)
	terminated = sim.NewNote1[sim.NodeID]("dispatch.terminated", "ends the watch of %s, which does not keep up")
	missed     = sim.NewNote2[int64, sim.NodeID]("dispatch.missed", "has no room for the event of revision %r in the channel of %s, and goes on", sim.IsMeasured)
	replays    = sim.NewNote2[sim.NodeID, int64]("dispatch.replays", "begins to send %s the events of its history after revision %d")
	overtook   = sim.NewNote1[sim.NodeID]("dispatch.overtook", "ends the watch of %s without an error: its history has lost what it was sending")
	expired    = sim.NewNote1[sim.NodeID]("dispatch.expired", "ends the watch of %s with a 410: its history does not reach back far enough")
	left       = sim.NewNote1[sim.NodeID]("dispatch.left", "does not end the watcher of %s, which has left: it is to be drained, and no client reads its channel", sim.IsSetback)
	stranded   = sim.NewNote1[sim.NodeID]("dispatch.stranded", "is replaced by a new cache, and leaves the watch of %s open", sim.IsSetback)
	tornDown   = sim.NewNote("dispatch.tornDown",
		"is at resourceVersion %d, too far from %d, and tears down the connection of %s for it to connect to another API server", sim.IsSetback)

	endByTimerExpected = sim.NewNote2[sim.NodeID, int64]("dispatch.endByTimerExpected",
		"will end the initial events of %s when the bookmark timer finds that resourceVersion %d was dispatched, and has etcd asked for no progress", sim.IsSetback)
	endFound          = sim.NewNote2[int64, sim.NodeID]("dispatch.endFound", "the bookmark timer finds that resourceVersion %d was dispatched, for which %s waits")
	initialEventsSent = sim.NewNote3[sim.NodeID, int64, int64]("dispatch.initialEventsSent", "has sent %s all initial events up to resourceVersion %d; it wanted %d or later")
	injected          = sim.NewNote4[int64, *wire.WatchEvent, sim.NodeID, string]("dispatch.injected", "%[1]Rsends %[2]s before the initial events that %[3]s has not been sent yet%[4]K")
	// dereferenced: the object that is sent is newer than its event.
	dereferenced = sim.NewNote4[int64, string, int64, sim.NodeID]("dispatch.dereferenced", "finds resourceVersion %r of %k in its store for the event of %d that %s is due")
)

const registration = "begins the watch of %s with the %s %d%s"

var (
	watchRefusedUnready     = sim.NewCoveragePoint("cache: watch refused while not ready")
	watchInvalid            = sim.NewCoveragePoint("cache: invalid watch refused")
	watchListUnsupported    = sim.NewCoveragePoint("cache: watch with initial events refused, progress is not trusted")
	watchListSilent         = sim.NewCoveragePoint("cache: watch with initial events refused, no progress is heard of")
	watchEstablished        = sim.NewCoveragePoint("cache: client told that its watch is established")
	watchAsksForVersion     = sim.NewCoveragePoint("cache: watch asks etcd for its revision")
	watchRefusedWaiting     = sim.NewCoveragePoint("cache: watch refused before it began")
	watchHardClosed         = sim.NewCoveragePoint("cache: watch sent to another API server because the cache is too far behind")
	watchLeftWaiting        = sim.NewCoveragePoint("cache: watch ended by its client while it waits")
	watchFromNow            = sim.NewCoveragePoint("cache: watch begins wherever the cache is")
	watchTooOld             = sim.NewCoveragePoint("cache: watch from before the history")
	watchAcrossGenerations  = sim.NewCoveragePoint("cache: watch registered after the cache started over")
	watchFromStore          = sim.NewCoveragePoint("cache: watch begins with the present state")
	watchFromHistory        = sim.NewCoveragePoint("cache: watch begins in the history")
	watchFromFuture         = sim.NewCoveragePoint("cache: watch begins in the future")
	watchLeft               = sim.NewCoveragePoint("cache: watch ended by its client")
	watchDeadline           = sim.NewCoveragePoint("cache: watch ended by its deadline")
	watchTornDown           = sim.NewCoveragePoint("cache: watch ended because its cache was replaced")
	watcherOutlived         = sim.NewCoveragePoint("cache: watch ended by a relist")
	watcherBlocked          = sim.NewCoveragePoint("cache: watcher blocked by its client")
	watcherTerminated       = sim.NewCoveragePoint("cache: blocked watcher terminated")
	watcherDrained          = sim.NewCoveragePoint("cache: blocked watcher drained because the end of its initial events is in its channel")
	initialEventSent        = sim.NewCoveragePoint("cache: event sent from a watch's interval")
	watcherMissed           = sim.NewCoveragePoint("cache: event missed by a watcher whose channel is full")
	watcherReplays          = sim.NewCoveragePoint("cache: watcher sends what it missed from the history")
	watcherExpired          = sim.NewCoveragePoint("cache: watcher ended by a 410 because the history lost what it missed")
	stoppedTwice            = sim.NewCoveragePoint("cache: stopped watcher is to be drained before its end")
	intervalInvalidated     = sim.NewCoveragePoint("cache: interval evicted before it was sent")
	inputBelowFloor         = sim.NewCoveragePoint("cache: event dispatched that the interval had")
	eventNotTriggering      = sim.NewCoveragePoint("cache: event not given to a watch because of the value that it selects")
	dispatchBlocked         = sim.NewCoveragePoint("cache: dispatcher blocked by a watcher")
	dispatchUnblocked       = sim.NewCoveragePoint("cache: blocked watcher caught up in time")
	stopDeferred            = sim.NewCoveragePoint("cache: watcher stopped during dispatch")
	endBookmarkWithInterval = sim.NewCoveragePoint("cache: end of the initial events sent behind them")
	endBookmarkByTimer      = sim.NewCoveragePoint("cache: end of the initial events found by the bookmark timer")
	bookmarkOffered         = sim.NewCoveragePoint("cache: bookmark sent to a watcher")
	bookmarkDropped         = sim.NewCoveragePoint("cache: bookmark dropped by a full watcher")
	watchDelegated          = sim.NewCoveragePoint("cache: watch delegated to etcd")
	delegatedBlocked        = sim.NewCoveragePoint("cache: watch that etcd serves waits for its client")
	delegatedEnded          = sim.NewCoveragePoint("cache: watch that etcd serves ended")
)

// Metrics of watchers. Names that begin with apiserver_ are Kubernetes', and
// measure what they measure there.
var (
	terminatedWatchers = metric.NewCounter("apiserver_terminated_watchers_total", metric.Counted,
		"watchers that were ended because they did not keep up")
	terminatedInitial = metric.NewCounter(`apiserver_terminated_watchers_total{initial_events="unfinished"}`, metric.Counted,
		"those of them whose client had not been sent the end of its initial events")
	expiredWatchers = metric.NewCounter(`apiserver_terminated_watchers_total{reason="resource_expired"}`, metric.Counted,
		"watchers that were ended by a 410 because the history lost what they missed (KEP-6268)")
	eventsMissed = metric.NewCounter("watch_events_without_room_total", metric.Counted,
		"events for which the channel of a watcher had no room, and for which the dispatcher did not wait")
	dispatcherWaits = metric.New("dispatcher_wait_seconds", metric.Nanoseconds,
		"how long the dispatcher waited for watches whose channels were full, and dispatched nothing")
	serialised = metric.NewCounter("watch_events_serialised_total", metric.Counted,
		"objects that were encoded for watches: one for all watches of an event that the dispatcher gives them, one for each watch of an event that it is sent from an interval of its own")
	bookmarksSent = metric.NewCounter("watch_bookmarks_sent_total", metric.Counted,
		"bookmarks that watches were sent, those that end initial events included")
	fromHistory = metric.NewCounter("watch_events_from_history_total", metric.Counted,
		"events that watches were sent from the history, and not as they were dispatched")
	watcherReplaysTotal = metric.NewCounter("watcher_replays_total", metric.Counted,
		"times that a watcher began to send what it missed from the history")
	hardClosed = metric.NewCounter("watches_hard_closed", metric.Counted,
		"watches whose connection was torn down because the cache was too far behind (KEP-3157, step 2b, option 1)")
	watchDuration = metric.New(`apiserver_request_duration_seconds{verb="WATCH"}`, metric.Nanoseconds,
		"from the arrival of a watch at the API server to its end: many short ones are a sign of clients that cannot keep up (KEP-3157)")
	watchListDuration = metric.New("apiserver_watch_list_duration_seconds", metric.Nanoseconds,
		"from the arrival of a watch with initial events to the bookmark that ends them")
	initialEventsBuffered = metric.New("initial_events_buffer_entries", metric.Counted,
		"maximum of events that waited in a watcher's channel before the bookmark that ends its initial events was sent, or it was ended")
	initialEventsObjects = metric.New("initial_events_buffer_objects", metric.Counted,
		"maximum of objects that only a watcher's channel kept in memory meanwhile, since the cache has a newer one or none")
)
