package read

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

var (
	waits  = sim.NewNote("read.waits", "%[1]R%[2]s's %[3]s waits for %[4]s; the cache is at %[5]d")
	gaveUp = sim.NewNote4[int64, sim.NodeID, sim.Payload, int64]("read.gaveUp", "gives up on %[2]s's %[3]s: it is still at resourceVersion %[4]d, not at %[1]r")
	// gaveUpProof: the read waited for an answer to a progress request.
	gaveUpProof = sim.NewNote3[sim.NodeID, sim.Payload, int64]("read.gaveUp", "gives up on %s's %s: no answer to a progress request has come; the cache is at %d")
	// waitsSilently: the cache does not ask etcd for progress for this read.
	waitsSilently = sim.NewNote1[int64]("read.waitsSilently", "%[1]Rdoes not ask etcd for progress for it")
	// unasked: the read begins.
	unasked    = sim.NewNote0("read.unasked", "does not ask etcd for its revision")
	heard      = sim.NewNote1[int64]("read.heard", "receives revision %r from etcd")
	openPrefix = sim.NewNote1[string]("read.openPrefix", "takes all keys that begin with %s, not only those below it")
	distrusts  = sim.NewNote1[string]("read.distrusts", "does not rely on progress notifications: %s")

	fellBack      = sim.NewNote("read.fellBack", "asks etcd for the list instead")
	fellBackOnGet = sim.NewNote("read.fellBack", "asks etcd for the object instead")
	passesOn      = sim.NewNote("read.passesOn", passedOn)
	// passesPageOn is of a page after another.
	passesPageOn      = sim.NewNote("read.passesPageOn", passedOn)
	refusesDelegation = sim.NewNote("read.refusesDelegation", "refuses %s's %s: %s with etcd already")

	answersRead = sim.NewNote("read.answers", "%[1]Ranswers %[2]s's %[3]s %[4]s")
	// otherState: a list goes on in another state than it began in.
	otherState  = sim.NewNote2[int64, int64]("read.otherState", "goes on with a list of resourceVersion %[2]d in the state at %[1]r")
	otherReader = sim.NewNote1[int64]("read.otherReader", "waits for revision %r, which etcd answered to the reader before")
	lockedOut   = sim.NewNote1[*wire.WatchEvent]("read.lockedOut", "cannot take in %s: a WatchList holds the lock while it waits for that event", sim.IsSetback)
)

const passedOn = "%[1]Rpasses %[2]s's %[3]s on to etcd%[4]s"
