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
