package check

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/option"
)

// ConsistencyChecker chooses a Reaction.
type ConsistencyChecker uint8

// Reaction is what follows when a check finds cache and etcd different. It returns
// the state of the checker after that. A nil reaction is no check at all.
type Reaction func(env *sim.Env, k *Checker, s *store.Store) State

// ConsistencyCheckers are the reactions to a failed check.
var ConsistencyCheckers = option.NewSeam[ConsistencyChecker, Reaction]("consistency-checker", "what follows when a check finds cache and etcd different").
	Shipped("off", "nothing is checked", nil)

// The other values of the option consistency-checker.
var (
	ConsistencyCheckerPanic = ConsistencyCheckers.Register("panic", "the process ends (alpha; KUBE_WATCHCACHE_CONSISTENCY_CHECKER)", crash)
	// Reads of the newest state go on as they were.
	ConsistencyCheckerFallback = ConsistencyCheckers.Register("fallback",
		"snapshots are dropped until a check succeeds (beta, the gate DetectCacheInconsistency)",
		func(env *sim.Env, k *Checker, s *store.Store) State { return k.mark(env, s) })
)

func crash(env *sim.Env, k *Checker, _ *store.Store) State {
	env.Cover(checkPanicked)
	process := k.process
	if process == nil {
		process = []sim.NodeID{env.Self()}
	}
	env.Crash(process)
	return Ended
}

// MarkConsistent chooses a Mark.
type MarkConsistent uint8

// Mark drops the snapshots after a failed check (MarkConsistent(false)). It
// returns Marking if that happens with the next event, else Sleeping.
type Mark func(env *sim.Env, s *store.Store) State

// Marks are the ways to drop the snapshots.
var Marks = option.NewSeam[MarkConsistent, Mark]("mark-consistent",
	"whether a failed check can drop the snapshots while an event is halfway into the cache, untimed").
	Shipped("locked", "it cannot", locked)

// MarkConsistentLocked is the default.
const MarkConsistentLocked MarkConsistent = 0

// The other values of the option mark-consistent.
var (
	// Untimed only: no goroutine stays between two lines for long.
	MarkConsistentUnlocked = Marks.Register("unlocked",
		"it can, as shipped: the snapshot of that event outlives the time without snapshots", unlocked)
)

func locked(env *sim.Env, s *store.Store) State {
	s.MarkConsistent(env, false)
	return Sleeping
}

func unlocked(env *sim.Env, s *store.Store) State {
	if s.SnapshotsAllowed(env) && env.Mode() != sim.Timed && env.Choose(2, "an event is amid its way") == 1 {
		s.MarkInconsistentAmidEvent(env)
		return Marking
	}
	return locked(env, s)
}
