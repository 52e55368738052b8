package caches

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/moments"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/check"
	"github.com/watchbed/watchbed/sim/cache/read/variant"
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
	New: func(s *testbed.System) testbed.Judge {
		return &suspectSnapshots{system: s, moments: moments.Of(s), caches: make([]suspect, len(s.Caches()))}
	},
})

type suspectSnapshots struct {
	system  *testbed.System
	moments *moments.Recorder
	caches  []suspect
	checked int
}

// suspect is what the checks of a cache have found so far.
type suspect struct {
	// last is how many comparisons there were up to the last check with an outcome.
	last int
	// marking: a check has failed while the cache had these contents, and the next event
	// drops the snapshots.
	marking bool
	had     contents
	// times are those in which no snapshot may be served.
	times []suspension
}

// suspension is from one step to another, 0 if it goes on.
type suspension struct{ from, to int }

// contents tells the states of a cache apart: each change of an object changes the sum of
// the revisions.
type contents struct{ objects, revisions int64 }

// Reset implements testbed.Judge.
func (j *suspectSnapshots) Reset() {
	j.checked = 0
	for i := range j.caches {
		j.caches[i] = suspect{times: j.caches[i].times[:0]}
	}
}

// Follows implements testbed.Follower.
func (*suspectSnapshots) Follows(p testbed.Part) bool {
	return p == testbed.CacheNode || p == testbed.TheWorld
}

// AfterStep implements testbed.StepObserver.
func (j *suspectSnapshots) AfterStep(w *sim.World, a sim.Action) {
	for i, c := range j.system.Caches() {
		if c.Detecting == nil || c.Mirror == nil {
			continue
		}
		of := &j.caches[i]
		if !c.Ready() {
			of.end(w.Steps())
			of.marking = false
		}
		if a.Node != c.ID {
			continue
		}
		if of.marking && contentsOf(c) != of.had {
			of.marking = false
			of.times = append(of.times, suspension{from: w.Steps()})
		}
		j.look(w, c, of)
	}
}

// look takes in the outcome of a check, if there is a new one.
func (j *suspectSnapshots) look(w *sim.World, c *testbed.Cache, of *suspect) {
	all := c.Detecting.Detections()
	for k := len(all); k > of.last; k-- {
		if d := &all[k-1]; d.By != check.ConsistencyCheck || d.Outcome == check.Pending || d.Outcome == check.Error {
			continue
		}
		of.last = k
		j.checked++
		switch amid := c.Server().Cache.Checks.MarkConsistent != check.MarkConsistentLocked; {
		case all[k-1].Outcome == check.Consistent:
			of.end(w.Steps())
			of.marking = false
		case of.suspended() || !c.Ready():
		case amid:
			of.marking, of.had = true, contentsOf(c)
		default:
			of.times = append(of.times, suspension{from: w.Steps()})
		}
		return
	}
}

func (s *suspect) suspended() bool { return len(s.times) > 0 && s.times[len(s.times)-1].to == 0 }

func (s *suspect) end(step int) {
	if s.suspended() {
		s.times[len(s.times)-1].to = step
	}
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

// Finding implements testbed.Judge.
func (j *suspectSnapshots) Finding(*sim.World) explore.Finding {
	all := testbed.Tally{Exercised: j.checked}
	for i, c := range j.system.Clients() {
		ops, spans := c.Operations(), c.Spans()
		for k := range ops {
			op, at := &ops[k], &j.moments.Operations(i)[k]
			if op.Outcome == model.Done && at.Cache >= 0 && spans[k].Origin == wire.FromCache && isOfSnapshot(at) && j.caches[at.Cache].during(at) {
				all.Violate("", &suspectAnswer{c.Name(), op, j.system.Caches()[at.Cache].Name})
			}
		}
	}
	return all.Finding()
}

// isOfSnapshot reports whether a cache can answer the request only from a past state.
func isOfSnapshot(at *moments.Call) bool {
	r, lists := at.Request.(*wire.ListRequest)
	kept := lists && r.Continue != "" && at.Server.Cache.Reads.Pagination == variant.PaginateKept
	return lists && isExact(r) && !kept
}

// during reports whether no snapshot was to be served from the request to the answer.
func (s *suspect) during(at *moments.Call) bool {
	for _, t := range s.times {
		if t.from < at.Asked.Step && (t.to == 0 || at.Answered.Step <= t.to) {
			return true
		}
	}
	return false
}

// suspectAnswer is a LIST that was answered from a snapshot.
type suspectAnswer struct {
	client string
	op     *model.Operation
	cache  string
}

func (s *suspectAnswer) String() string {
	return fmt.Sprintf("%s's %s was answered by %s from a snapshot; a consistency check has failed there, and none has succeeded since", s.client, sentence(s.op.Request), s.cache)
}

// Concerns implements explore.Concerned.
func (s *suspectAnswer) Concerns() explore.Concern {
	return explore.Concern{Client: s.client, Call: s.op.Call}
}
