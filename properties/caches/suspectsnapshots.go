package caches

import (
	"slices"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/evidence"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/check"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// SuspectSnapshots looks at the LISTs of past states that were asked for after a failed
// consistency check of the cache, and answered before the next success (KEP-4988:
// MarkConsistent(false) drops the snapshots and switches them off). A check that gets no
// answer from etcd changes nothing. The promise ends with the process.
//
// With mark-consistent=unlocked the snapshots are dropped in the middle of the next event:
// until the contents of the cache have changed, nothing is promised. It is exercised by
// consistency checks that have an outcome.
var SuspectSnapshots = testbed.RegisterProperty(&testbed.Property{
	Name: "suspect-snapshots", Kind: testbed.Safety,
	Promise:  "A cache that a consistency check has found different from etcd answers no LIST of a past state from a snapshot until a check succeeds.",
	Violated: "suspect snapshot served",
	Monitor:  testbed.Monitor{Runs: testbed.EveryRun},
	New: testbed.AfterStepsBy(func(s *testbed.System) *suspectSnapshots {
		return &suspectSnapshots{
			system: s, evidence: evidence.Of(s), caches: make([]suspect, len(s.Caches())), asked: make([]suspectCall, len(s.Clients())),
		}
	}, (*suspectSnapshots).step, testbed.CacheNode, testbed.HistoryClient, testbed.TheWorld),
})

type suspectSnapshots struct {
	system   *testbed.System
	evidence *evidence.Recorder
	caches   []suspect
	// asked is the last call of each client.
	asked []suspectCall
}

// suspect is what the checks of a cache have found so far.
type suspect struct {
	// last is how many comparisons there were up to the last check with an outcome.
	last int
	// suspended: no snapshot may be served.
	suspended bool
	// marking: a check has failed while the cache had these contents, and the next event
	// drops the snapshots.
	marking bool
	had     contents
}

// suspectCall is a call of a client.
type suspectCall struct {
	// number counts the client's calls.
	number int
	// suspended: no snapshot was to be served when it was made, nor since.
	suspended bool
}

// contents tells the states of a cache apart: each change of an object changes the sum of
// the revisions.
type contents struct{ objects, revisions int64 }

func (j *suspectSnapshots) Reset() {
	clear(j.caches)
	clear(j.asked)
}

func (j *suspectSnapshots) step(w *sim.World, a sim.Action, all *testbed.Tally) {
	if role := j.system.Role(a.Node); role.Part == testbed.HistoryClient {
		j.called(all, role.Place)
		return
	}
	for i, c := range j.system.Caches() {
		if c.Detecting == nil || c.Mirror == nil {
			continue
		}
		of := &j.caches[i]
		if !c.Ready() {
			j.end(i)
		}
		if c.Hidden() {
			// A check may have passed meanwhile.
			j.forgive(i)
		}
		if a.Node != c.ID {
			continue
		}
		if of.marking && contentsOf(c) != of.had {
			of.marking, of.suspended = false, true
		}
		j.look(all, i, c)
	}
}

// called judges the last call of a client if it is over, and begins with the next one.
func (j *suspectSnapshots) called(all *testbed.Tally, client int) {
	asked, n := &j.asked[client], 0
	for o := range j.system.OperationsOf(client) {
		n++
		if n != asked.number || !asked.suspended || o.Outcome == model.Unknown {
			continue
		}
		asked.suspended = false
		at := j.evidence.Of(o)
		if o.Outcome == model.Done && o.Span.Origin == wire.FromCache && isOfSnapshot(at) {
			o.Violate(all, "", "%s's %s was answered by %s from a snapshot; a consistency check has failed there, and none has succeeded since",
				sentence(o.Request), j.system.Caches()[at.Cache].Name)
		}
	}
	if n > asked.number {
		at := j.evidence.Operations(client)[n-1].Cache
		*asked = suspectCall{n, at >= 0 && j.caches[at].suspended && !j.system.Caches()[at].Hidden()}
	}
}

// look takes in the outcome of a check, if there is a new one.
func (j *suspectSnapshots) look(all *testbed.Tally, i int, c *testbed.Cache) {
	of, found := &j.caches[i], c.Detecting.Detections()
	for k := len(found); k > of.last; k-- {
		if d := &found[k-1]; d.By != check.ConsistencyCheck || d.Outcome == check.Pending || d.Outcome == check.Error {
			continue
		}
		of.last = k
		all.Exercised++
		// Code that ships is looked at after it has dropped the snapshots.
		amid := c.Server().Cache.Checks.UnlockedMark && !c.Server().Design.OwnNode()
		switch {
		case found[k-1].Outcome == check.Consistent:
			j.end(i)
		case of.suspended || !c.Ready():
		case amid:
			of.marking, of.had = true, contentsOf(c)
		default:
			of.suspended = true
		}
		return
	}
}

// end is the time from which on a cache may serve snapshots, also to clients that have asked before.
func (j *suspectSnapshots) end(cache int) {
	of := &j.caches[cache]
	of.marking = false
	if !of.suspended {
		return
	}
	of.suspended = false
	j.forgive(cache)
}

// forgive lets clients that have asked be answered from snapshots.
func (j *suspectSnapshots) forgive(cache int) {
	for i := range j.asked {
		if k := j.asked[i].number - 1; k >= 0 && j.evidence.Operations(i)[k].Cache == cache {
			j.asked[i].suspended = false
		}
	}
}

// Copy has seen what the same judge of another system has.
func (j *suspectSnapshots) Copy(seen *suspectSnapshots) *suspectSnapshots {
	return &suspectSnapshots{j.system, j.evidence, slices.Clone(seen.caches), slices.Clone(seen.asked)}
}

// Digest is which caches may serve no snapshot, or will not after the next event, and which calls were made since.
func (j *suspectSnapshots) Digest(d sim.Digest) sim.Digest {
	for i := range j.caches {
		of := &j.caches[i]
		d = d.Bool(of.suspended).Bool(of.marking)
		if of.marking {
			d = d.Int(of.had.objects).Int(of.had.revisions)
		}
	}
	for i := range j.asked {
		d = d.Bool(j.asked[i].suspended)
	}
	return d
}

func contentsOf(c *testbed.Cache) contents {
	var all contents
	c.Mirror.Ascend(func(kv *wire.KeyValue) bool {
		all.objects++
		all.revisions += kv.ModRevision
		return true
	})
	return all
}

// isOfSnapshot reports whether a cache can answer the request only from a past state.
func isOfSnapshot(at *evidence.Call) bool {
	r, lists := at.Request.(*wire.ListRequest)
	kept := lists && r.Continue != "" && at.Server.Cache.Reads.Pagination == read.PaginateKept
	return lists && isExact(r) && !kept
}
