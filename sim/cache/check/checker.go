package check

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

// State is that of a Checker.
type State uint8

const (
	// Sleeping: between two checks, or off.
	Sleeping State = iota
	// Listing: a page of etcd's list is under way.
	Listing
	// Marking: a check has failed, and the next event is halfway into the cache
	// when the snapshots are dropped.
	Marking
	// Ended: the process ends.
	Ended
)

// Checker is upstream's consistency.Checker: now and then it takes a digest of
// the cache and one of etcd at the same resourceVersion (KEP-4988, "Cache
// Inconsistency Detection Mechanism").
type Checker struct {
	// cfg is never written to between two resets: clones share it.
	cfg     *Config
	process []sim.NodeID

	state State
	// turns counts the checks of an untimed run, checks those that began. They
	// survive the process.
	turns, checks int
	cause         sim.Cause
	call          sim.Conn
	// resourceVersion at which both are compared, and the digests so far.
	resourceVersion int64
	cacheDigest     store.Digest
	etcdDigest      store.Digest
	bytes           int
	// detection is the number of the present check in the log.
	detection int
}

// jitterSteps is how finely the jitter of a check's time is chosen. It adds up to
// half the period (KEP-4988 has 5 min without any).
const jitterSteps = 64

// start waits for the first check, unless there is none.
func (k *Checker) start(env *sim.Env) {
	if k.cfg.ConsistencyChecker != ConsistencyCheckerOff {
		k.sleep(env)
	}
}

// sleep is the wait of JitterUntil, which begins when a check has ended.
func (k *Checker) sleep(env *sim.Env) {
	env.Writes(cellChecker, 0)
	k.state, k.call = Sleeping, sim.NoConn
	wait := k.cfg.ConsistencyCheckPeriod
	if env.Mode() == sim.Timed {
		wait += wait / 2 * sim.Duration(env.Choose(jitterSteps, "jitter of the consistency check")) / jitterSteps
	} else {
		if k.turns == k.cfg.UntimedTurns {
			return
		}
		k.turns++
	}
	env.Arm(k.cfg.CheckTimer, wait)
}

// Check begins a check: it lists the cache, and asks etcd for the first page at
// the same resourceVersion.
func (k *Checker) Check(env *sim.Env, ready bool, s *store.Store, log *Log) {
	env.Writes(cellChecker, 0)
	k.cause = env.Begin("consistency check", k.checks)
	k.checks++
	if !ready {
		env.Cover(checkUnready)
		env.Add(checksErred, 1)
		k.sleep(env)
		return
	}
	k.read(s.Newest(env))
	k.bytes, k.etcdDigest = 0, store.NewDigest
	k.detection = log.begin(env, Detection{By: ConsistencyCheck, Prefix: k.cfg.Prefix, ResourceVersion: k.resourceVersion})
	if env.Noting() {
		env.Note(checks{at: k.resourceVersion})
	}
	k.list(env, k.cfg.Prefix, k.resourceVersion)
}

// read takes the digest of the cache.
func (k *Checker) read(newest store.View) {
	k.resourceVersion, k.cacheDigest = newest.ResourceVersion, store.NewDigest
	newest.Ascend(k.cfg.Prefix, "", func(kv *wire.KeyValue) bool {
		k.cacheDigest = k.with(k.cacheDigest, kv)
		return true
	})
}

// with adds an object to a digest.
func (k *Checker) with(d store.Digest, kv *wire.KeyValue) store.Digest {
	if k.cfg.ComparesNames {
		kv = &wire.KeyValue{Key: kv.Key}
	}
	return d.Object(k.cfg.Prefix, kv)
}

// list asks etcd for the page that begins at a key, at a revision.
func (k *Checker) list(env *sim.Env, from string, revision int64) {
	k.state = Listing
	env.Under(k.cause)
	env.Add(checkRequests, 1)
	k.call = env.Call(k.cfg.KV, &wire.RangeRequest{
		Key: from, RangeEnd: store.RangeEnd(k.cfg.Prefix), Limit: int64(k.cfg.PageSize), Revision: revision,
	})
}

// answer takes a page of etcd's list. It reports false if the call is another
// machine's.
func (k *Checker) answer(env *sim.Env, conn sim.Conn, p sim.Payload, s *store.Store, log *Log) bool {
	if conn != k.call {
		return false
	}
	env.LooksAt(cellChecker, 0)
	env.Reads(cellChecker, 0)
	env.Writes(cellChecker, 0)
	page, ok := p.(*wire.RangeResponse)
	if !ok {
		// Compacted meanwhile, or not to be reached, or a revision that etcd
		// does not have: nothing is known.
		k.failed(env, log)
		return true
	}
	for _, kv := range page.Kvs {
		k.etcdDigest = k.with(k.etcdDigest, kv)
		k.bytes += len(kv.Key) + len(kv.Value)
	}
	if page.More && len(page.Kvs) > 0 {
		env.Cover(checkPaged)
		revision := k.resourceVersion
		if k.cfg.PagesOfNewest {
			revision = 0
		}
		k.list(env, page.Kvs[len(page.Kvs)-1].Key+"\x00", revision)
		return true
	}
	env.Add(checkBytes, int64(k.bytes))
	if k.cacheDigest == k.etcdDigest {
		k.matched(env, s, log)
	} else {
		k.mismatched(env, s, log)
	}
	return true
}

func (k *Checker) failed(env *sim.Env, log *Log) {
	env.Cover(checkFailed)
	log.end(env, k.detection, Error)
	env.Add(checksErred, 1)
	k.sleep(env)
}

func (k *Checker) matched(env *sim.Env, s *store.Store, log *Log) {
	env.Cover(checkMatched)
	log.end(env, k.detection, Consistent)
	env.Add(checksSucceeded, 1)
	s.MarkConsistent(env, true)
	if k.cfg.PassedCheckDrops {
		s.DropSnapshots(env)
	}
	k.sleep(env)
}

func (k *Checker) mismatched(env *sim.Env, s *store.Store, log *Log) {
	env.Cover(checkMismatched)
	log.end(env, k.detection, Inconsistent)
	env.Add(checksFailed, 1)
	if env.Noting() {
		env.Note(differs{at: k.resourceVersion})
	}
	switch {
	case k.cfg.ConsistencyChecker == ConsistencyCheckerPanic:
		env.Cover(checkPanicked)
		process := k.process
		if process == nil {
			process = []sim.NodeID{env.Self()}
		}
		env.Crash(process)
		k.state = Ended
	case k.cfg.UnlockedMark && s.SnapshotsAllowed(env) && env.Mode() != sim.Timed && env.Choose(2, "an event is amid its way") == 1:
		s.MarkInconsistentAmidEvent(env)
		k.state = Marking
	default:
		s.MarkConsistent(env, false)
		k.sleep(env)
	}
	k.call = sim.NoConn
}

// Stored goes on after an event was stored, if that is the one that the checker
// has waited for.
func (k *Checker) Stored(env *sim.Env, s *store.Store) {
	env.LooksAt(cellChecker, 0)
	if k.state == Marking && !s.ToBeMarked() {
		k.sleep(env)
	}
}

func (k *Checker) digest() sim.Digest {
	return sim.NewDigest.Word(uint64(k.state)).Int(int64(k.turns)).Int(k.resourceVersion).
		Word(uint64(k.cacheDigest)).Word(uint64(k.etcdDigest))
}
