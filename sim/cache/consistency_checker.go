package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

// consistencyCheckSteps is how finely the jitter of a check's time is chosen. It
// adds up to half the period (KEP-4988 has 5 min without any).
const consistencyCheckSteps = 64

type checkerState uint8

const (
	// checkerSleeping: between two checks, or off.
	checkerSleeping checkerState = iota
	// checkerListing: a page of etcd's list is under way.
	checkerListing
	// checkerMarking: a check has failed, and the next event is amid its way into
	// the cache when the snapshots are dropped (MarkConsistentUnlocked).
	checkerMarking
)

// checker is upstream's consistency.Checker: now and then it takes a digest of
// the cache and one of etcd at the same resourceVersion (KEP-4988, "Cache
// Inconsistency Detection Mechanism").
type checker struct {
	state checkerState
	turns int
	cause sim.Cause
	call  sim.Conn
	// resourceVersion at which both are compared, and the digests so far.
	resourceVersion int64
	cacheDigest     store.Digest
	etcdDigest      store.Digest
	bytes, checks   int
	// detection is the number of the present check among Cache.detections.
	detection int
}

// startChecker waits for the first check.
func (c *Cache) startChecker(env *sim.Env) {
	if c.cfg.Snapshots.ConsistencyChecker == ConsistencyCheckerOff {
		return
	}
	c.sleepChecker(env)
}

// sleepChecker is the wait of JitterUntil, which begins when a check has ended.
func (c *Cache) sleepChecker(env *sim.Env) {
	k := &c.checker
	k.state, k.call = checkerSleeping, sim.NoConn
	wait := c.cfg.ConsistencyCheckPeriod
	if c.timed {
		wait += wait / 2 * sim.Duration(env.Choose(consistencyCheckSteps, "jitter of the consistency check")) / consistencyCheckSteps
	} else {
		if k.turns == c.cfg.UntimedTurns {
			return
		}
		k.turns++
	}
	env.Arm(timerChecker, wait)
}

// check begins a check: the list of the cache, which no lock is given up
// during, and the first page of etcd's.
func (c *Cache) check(env *sim.Env) {
	k := &c.checker
	k.cause = env.Begin("consistency check", k.checks)
	k.checks++
	if !c.ready.ok {
		env.Cover(checkUnready)
		env.Add(checksErred, 1)
		c.sleepChecker(env)
		return
	}
	newest := c.store.Newest(env)
	k.resourceVersion, k.cacheDigest, k.etcdDigest = newest.ResourceVersion, store.NewDigest, store.NewDigest
	k.bytes = 0
	add := func(kv *wire.KeyValue) bool {
		k.cacheDigest = k.cacheDigest.Object(c.cfg.Prefix, kv)
		return true
	}
	newest.Ascend(c.cfg.Prefix, "", add)
	k.detection = c.detections.begin(Detection{By: ConsistencyCheck, Prefix: c.cfg.Prefix, ResourceVersion: k.resourceVersion})
	if env.Noting() {
		env.Say("checks its contents against etcd's at revision " + number(k.resourceVersion))
	}
	c.listForCheck(env, c.cfg.Prefix)
}

func (c *Cache) listForCheck(env *sim.Env, from string) {
	k := &c.checker
	k.state = checkerListing
	env.Under(k.cause)
	env.Add(checkRequests, 1)
	k.call = env.Call(c.cfg.KV, &wire.RangeRequest{
		Key: from, RangeEnd: store.RangeEnd(c.cfg.Prefix), Limit: int64(c.cfg.ListPageSize), Revision: k.resourceVersion,
	})
}

// checkAnswered takes a page of etcd's list.
func (c *Cache) checkAnswered(env *sim.Env, p sim.Payload) {
	k := &c.checker
	page, ok := p.(*wire.RangeResponse)
	if !ok {
		// Compacted meanwhile, or not to be reached, or a revision that etcd
		// does not have: nothing is known.
		env.Cover(checkFailed)
		c.checked(env, DetectionError)
		return
	}
	for _, kv := range page.Kvs {
		k.etcdDigest = k.etcdDigest.Object(c.cfg.Prefix, kv)
		k.bytes += len(kv.Key) + len(kv.Value)
	}
	if page.More && len(page.Kvs) > 0 {
		env.Cover(checkPaged)
		c.listForCheck(env, page.Kvs[len(page.Kvs)-1].Key+"\x00")
		return
	}
	env.Add(checkBytes, int64(k.bytes))
	if k.cacheDigest == k.etcdDigest {
		env.Cover(checkMatched)
		c.checked(env, DetectionConsistent)
		return
	}
	env.Cover(checkMismatched)
	c.checked(env, DetectionInconsistent)
}

// checked is what follows from a check that took place.
func (c *Cache) checked(env *sim.Env, outcome DetectionOutcome) {
	c.detections[c.checker.detection].Outcome = outcome
	switch outcome {
	case DetectionConsistent:
		env.Add(checksSucceeded, 1)
		c.store.MarkConsistent(env, true)
	case DetectionError:
		env.Add(checksErred, 1)
	case DetectionInconsistent:
		env.Add(checksFailed, 1)
		if env.Noting() {
			env.Say("finds that etcd has other contents at revision " + number(c.checker.resourceVersion))
		}
		if c.cfg.Snapshots.ConsistencyChecker == ConsistencyCheckerPanic {
			env.Cover(checkPanicked)
			env.Crash(c.process(env))
			return
		}
		if c.cfg.Snapshots.MarkConsistent == MarkConsistentUnlocked && c.store.SnapshotsAllowed(env) && !c.timed &&
			env.Choose(2, "an event is amid its way") == 1 {
			c.checker.state, c.checker.call = checkerMarking, sim.NoConn
			c.store.MarkInconsistentAmidEvent(env)
			return
		}
		c.store.MarkConsistent(env, false)
	}
	c.sleepChecker(env)
}

// markedAmidEvent goes on if the event was one that the checker has waited for, to
// drop the snapshots between its look at the switch and its snapshot.
func (c *Cache) markedAmidEvent(env *sim.Env) {
	if c.checker.state == checkerMarking && !c.store.ToBeMarked() {
		c.sleepChecker(env)
	}
}

func (k *checker) fingerprint(d sim.Digest) sim.Digest {
	return d.Word(uint64(k.state)).Int(int64(k.turns)).Int(k.resourceVersion).
		Word(uint64(k.cacheDigest)).Word(uint64(k.etcdDigest))
}
