package etcd3

import "github.com/watchbed/watchbed/sim"

// The names of fields and functions are etcd3's.
var (
	compacted             = sim.NewSituation("etcd3: a watch ends because of compaction")
	missingPrevKvFailed   = sim.NewSituation("etcd3: a change without previous value ends the watch")
	deletionSkipped       = sim.NewSituation("etcd3: a deletion without an object is skipped")
	syncStarted           = sim.NewSituation("etcd3: a watch lists its initial events")
	syncPaged             = sim.NewSituation("etcd3: the initial events of a watch have several pages")
	syncBlocked           = sim.NewSituation("etcd3: initial events wait for room in incomingEventChan")
	syncEndQueued         = sim.NewSituation("etcd3: the end of the initial events is queued")
	syncStreamed          = sim.NewSituation("etcd3: the initial events of a watch come as a stream")
	syncStreamFailed      = sim.NewSituation("etcd3: the stream of initial events fails")
	streamUnsupported     = sim.NewSituation("etcd3: etcd is found not to know RangeStream")
	streamTriedAgain      = sim.NewSituation("etcd3: RangeStream is tried again after ten minutes")
	listStreamed          = sim.NewSituation("etcd3: a whole list comes as a stream")
	listStreamFailed      = sim.NewSituation("etcd3: the stream of a list fails")
	syncFailed            = sim.NewSituation("etcd3: initial events cannot be listed")
	syncTooLarge          = sim.NewSituation("etcd3: initial events are wanted of a future revision")
	watchFromCurrent      = sim.NewSituation("etcd3: a watch without initial events asks where etcd is")
	stoppedWhileSyncing   = sim.NewSituation("etcd3: the cache stops a watch that still sends its initial events")
	incomingEventChanFull = sim.NewSituation("etcd3: incomingEventChan is full")
	resultChanFull        = sim.NewSituation("etcd3: resultChan is full")
	resultChanDrained     = sim.NewSituation("etcd3: events go on because resultChan has room again")
	errorWaits            = sim.NewSituation("etcd3: an error waits for room in resultChan")
	errorOvertakes        = sim.NewSituation("etcd3: an error overtakes events in incomingEventChan")
	closedWithoutError    = sim.NewSituation("etcd3: resultChan is closed without an error")
	incomingDropped       = sim.NewSituation("etcd3: a watch ends with events in incomingEventChan")
)
