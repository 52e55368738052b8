package prove

import (
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
)

// Subject is what is proved: it judges states of worlds that it has not followed from
// their beginning. One worker uses it at a time.
type Subject interface {
	explore.Subject
	Remembering
	// Adopt has the subject look at a clone of the world that it has built, in the place
	// of that world.
	Adopt(w *sim.World)
	// Monitors mixes in what the judges still need to know of the steps before this state. If two
	// states have equal behaviour and equal monitors, the judges give the same verdicts on all
	// steps that follow.
	Monitors(d sim.Digest) sim.Digest
	// IsMonitored reports whether Monitors may change when a node acts. A search asks for it once for all
	// states in which these nodes are equal.
	IsMonitored(n sim.NodeID) bool
	// SeesNodes reports whether what Over, JudgeStep and Liveness say also depends on these nodes, on the
	// clock, and on nothing else, and JudgeStep on whose step it was. A search then asks as seldom for it.
	SeesNodes() bool
	// JudgeStep says what is known after a step of the adopted world: a finding for each
	// property that the step may have put to the test. It may be called for any step, and
	// twice for the same one. The slice is valid until the next call.
	JudgeStep(w *sim.World, a sim.Action) []explore.Finding
	// Endless reports whether the timers of a node can fire again and again without end, so
	// that only bounds end the search.
	Endless(n sim.NodeID) bool
	// Liveness is that of a property which is claimed; nil if there is none.
	Liveness() Liveness
}

// Remembering is for judges that need to know of the steps before a state what no node has recorded,
// such as where etcd was when a client asked. A search carries it along from state to state. It is
// never changed: states share it.
type Remembering interface {
	// Remembers reports whether there ever is something to be remembered. If so, SeesNodes is false,
	// and nothing else is called if not.
	Remembers() bool
	// Remembered is what is remembered of the world that was built.
	Remembered(w *sim.World) any
	// Recall has the judges go on from what is remembered in the adopted world.
	Recall(memory any)
	// Remember is what is remembered after a step to the adopted world.
	Remember(before any, w *sim.World, a sim.Action) (after any)
}

// Horizon is implemented by a subject whose timed runs end at some time at the latest.
type Horizon interface {
	// CutOff reports whether a run that is over ended at that time, with something still to be done.
	CutOff(w *sim.World) bool
}

// Liveness is a property that something comes sooner or later: it is open in some states of the adopted world, and
// must not stay so for ever.
type Liveness interface {
	// Open has a bit for each client that waits.
	Open() uint64
	// Failure is what a schedule shows in which one waits for ever.
	Failure() explore.Failure
}
