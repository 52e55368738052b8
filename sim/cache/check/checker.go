package check

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/cache/traffic"
	"github.com/watchbed/watchbed/sim/wire"
)

// checker is upstream's consistency.Checker: now and then it takes a digest of
// the cache and one of etcd at the same resourceVersion (KEP-4988, "Cache
// Inconsistency Detection Mechanism").
type checker struct {
	phase phase
	// turns counts the checks of an untimed run. It survives the process.
	turns int
	call  sim.Conn
	// resourceVersion at which both are compared, and the digests so far.
	resourceVersion         int64
	cacheDigest, etcdDigest store.Digest

	cause sim.Cause `cell:"-"`
	bytes int       `cell:"-"`
	began sim.Time  `cell:"-"`
	// detection is the number of the present check in the log.
	detection int `cell:"-"`
}

type phase uint8

const (
	// sleeping: between two checks, or off.
	sleeping phase = iota
	// listing: a page of etcd's list is under way.
	listing
	// marking: a check has failed, and the next event is halfway into the cache
	// when the snapshots are dropped.
	marking
	// ended: the process ends.
	ended
)

// jitterSteps is how finely the jitter of a check's time is chosen. It adds up to
// half the period (KEP-4988 has 5 min without any).
const jitterSteps = 64

// hashBytes is what a hash takes in an answer.
const hashBytes = 8

// sleep is the wait of JitterUntil, which begins when a check has ended.
func (h *Housekeeping) sleep(env *sim.Env) {
	k := h.checker.Change(env)
	k.phase, k.call = sleeping, sim.NoConn
	wait := h.cfg.ConsistencyCheckPeriod
	if env.Mode() == sim.Timed {
		wait += wait / 2 * sim.Duration(env.Choose(jitterSteps, "jitter of the consistency check")) / jitterSteps
	} else {
		if k.turns == h.cfg.UntimedTurns {
			return
		}
		k.turns++
	}
	env.Arm(h.cfg.CheckTimer, wait)
}

// Check begins a check: it lists the cache, and asks etcd for the first page at
// the same resourceVersion.
func (h *Housekeeping) Check(env *sim.Env, ready bool) {
	k := h.checker.Change(env)
	k.cause = env.Begin("consistency check", h.began)
	h.began++
	if !ready {
		env.Cover(checkUnready)
		env.Add(checksErred, 1)
		h.sleep(env)
		return
	}
	newest := h.store.Newest(env)
	k.began = env.Now()
	k.resourceVersion, k.cacheDigest, k.etcdDigest, k.bytes = newest.ResourceVersion, store.NewDigest, store.NewDigest, 0
	newest.Ascend(h.cfg.Prefix, "", func(kv *wire.KeyValue) bool {
		k.cacheDigest = h.with(k.cacheDigest, kv)
		return true
	})
	k.detection = h.begin(env, Detection{By: ConsistencyCheck, Prefix: h.cfg.Prefix, ResourceVersion: k.resourceVersion})
	checks.Say(env, k.resourceVersion)
	h.list(env, h.cfg.Prefix, k.resourceVersion)
}

// with adds an object to a digest.
func (h *Housekeeping) with(d store.Digest, kv *wire.KeyValue) store.Digest {
	if h.cfg.ComparesNames {
		kv = &wire.KeyValue{Key: kv.Key}
	}
	if h.cfg.CheckBy != checkByList {
		return store.Digest(wire.RangeHash(d).Key(kv.Key, kv.ModRevision))
	}
	return d.Object(h.cfg.Prefix, kv)
}

// list asks etcd for the page that begins at a key, at a revision.
func (h *Housekeeping) list(env *sim.Env, from string, revision int64) {
	k := h.checker.Value()
	k.phase = listing
	env.Under(k.cause)
	env.Add(checkRequests, 1)
	r := &wire.RangeRequest{Key: from, RangeEnd: wire.PrefixEnd(h.cfg.Prefix), Limit: int64(h.cfg.PageSize), Revision: revision}
	switch h.cfg.CheckBy {
	case checkByHash:
		r.HashOnly, r.Limit = true, 0
	case checkByHashOfNewest:
		r.HashOnly, r.Limit, r.Revision = true, 0, 0
	}
	k.call = env.Call(h.cfg.KV, r)
}

// page takes a page of etcd's list.
func (h *Housekeeping) page(env *sim.Env, p sim.Payload) {
	h.checker.Read(env)
	k := h.checker.Change(env)
	page, ok := p.(*wire.RangeResponse)
	if !ok {
		// Compacted meanwhile, or not to be reached, or a revision that etcd
		// does not have: nothing is known.
		env.Cover(checkFailed)
		h.end(env, k.detection, Error)
		env.Add(checksErred, 1)
		h.sleep(env)
		return
	}
	if page.Hash != 0 {
		env.Cover(checkHashed)
		k.etcdDigest = store.Digest(page.Hash)
		k.bytes += hashBytes
	}
	// Those of an etcd that does not know the field.
	for _, kv := range page.Kvs {
		k.etcdDigest = h.with(k.etcdDigest, kv)
		k.bytes += len(kv.Key) + len(kv.Value)
	}
	if page.More && len(page.Kvs) > 0 {
		env.Cover(checkPaged)
		revision := k.resourceVersion
		if h.cfg.PagesOfNewest {
			revision = 0
		}
		h.list(env, page.Kvs[len(page.Kvs)-1].Key+"\x00", revision)
		return
	}
	env.Add(checkBytes, int64(k.bytes))
	env.Record(checkDuration, int64(env.Now()-k.began))
	if k.cacheDigest != k.etcdDigest {
		h.mismatched(env)
		return
	}
	env.Cover(checkMatched)
	h.end(env, k.detection, Consistent)
	env.Add(checksSucceeded, 1)
	h.store.MarkConsistent(env, true)
	if h.cfg.PassedCheckDrops {
		h.store.DropSnapshots(env)
	}
	h.sleep(env)
}

func (h *Housekeeping) mismatched(env *sim.Env) {
	k := h.checker.Value()
	env.Cover(checkMismatched)
	h.end(env, k.detection, Inconsistent)
	env.Add(checksFailed, 1)
	differs.Say(env, k.resourceVersion)
	switch {
	case h.cfg.ConsistencyChecker == ConsistencyCheckerPanic:
		env.Cover(checkPanicked)
		process := h.process
		if process == nil {
			process = []sim.NodeID{env.Self()}
		}
		env.Crash(process)
		k.phase = ended
	case h.cfg.UnlockedMark && h.store.SnapshotsAllowed(env) && env.Mode() != sim.Timed && env.Choose(2, "an event is amid its way") == 1:
		h.store.MarkInconsistentAmidEvent(env)
		k.phase = marking
	default:
		h.store.MarkConsistent(env, false)
		h.sleep(env)
	}
	k.call = sim.NoConn
}

// Stored goes on after an event was stored, if the checker has waited for this
// event.
func (h *Housekeeping) Stored(env *sim.Env) {
	if h.checker.Look(env).phase == marking && !h.store.ToBeMarked() {
		h.sleep(env)
	}
}

// comparison is one of KEP-2340's inconsistency detector ("What if the watch cache is
// stale?") that etcd has not answered yet. The detector asks etcd too for a list that the cache answered, at
// the resourceVersion of the answer. The client does not wait for it.
//
// client-go has such a detector in the client. Since KEP-4988 its exact LIST is
// answered from a snapshot of the same cache, so that it compares the cache with
// itself; this one asks etcd.
type comparison struct {
	call sim.Conn
	// detection is its number in the log.
	detection int
}

// Compare asks etcd what it would have answered. Pages after the first are left
// out, as upstream leaves them out: they go on where their token says. Lists of one object, of
// keys alone and of what a selector selects are left out too, since etcd is asked for a prefix.
func (h *Housekeeping) Compare(env *sim.Env, list *wire.ListRequest, answer sim.Payload) {
	p, ok := answer.(*wire.ListResponse)
	if !h.cfg.ComparesLists || !ok || p.Origin != wire.FromCache || list.Continue != "" || list.Single || list.KeysOnly || !list.Selector.Empty() {
		return
	}
	prefix := store.PreparePrefix(list.Prefix)
	limit := list.Limit
	if p.Continue == "" {
		limit = 0
	}
	env.Cover(listCompared)
	traffic.ListForDetector.Asked(env)
	call := env.Call(h.cfg.KV, &wire.RangeRequest{Key: prefix, RangeEnd: wire.PrefixEnd(prefix), Limit: limit, Revision: p.ResourceVersion})
	n := h.begin(env, Detection{By: ListDetector, Prefix: prefix, Limit: limit, ResourceVersion: p.ResourceVersion, List: list, Items: p.Items})
	listChecked.Say(env, p.ResourceVersion)
	running := h.detector.ChangeItem(env, int64(n+1))
	*running = append(*running, comparison{call, n})
}

// compared takes etcd's list.
func (h *Housekeeping) compared(env *sim.Env, i int, p sim.Payload) {
	n := (*h.detector.Value())[i].detection
	h.detector.ReadItem(env, int64(n+1))
	running := h.detector.ChangeItem(env, int64(n+1))
	*running = slices.Delete(*running, i, i+1)
	d := &h.log[n]
	list, ok := p.(*wire.RangeResponse)
	if ok {
		traffic.ListForDetector.Answered(env, list)
	}
	switch {
	case !ok:
		env.Cover(listNotCompared)
		h.end(env, n, Error)
	case slices.EqualFunc(d.Items, list.Kvs, sameObject):
		h.end(env, n, Consistent)
		answerAgrees.Say(env, d.ResourceVersion)
	default:
		env.Cover(listInconsistent)
		h.end(env, n, Inconsistent)
		answerDiffers.Say(env, d.ResourceVersion)
	}
}

func sameObject(a, b *wire.KeyValue) bool {
	return a == b || a.Key == b.Key && a.ModRevision == b.ModRevision && a.Value == b.Value
}
