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
