package caches

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/testbed"
)

// StartsAsChecked holds what an API server does before it serves against its version
// check and the versions of etcd's members: whether it starts, and whether it relies on
// etcd's progress notifications (KEP-2340, Beta and GA; storage/feature,
// FeatureSupportChecker). What depends on faults is not judged. It is exercised by each
// cache once in a run. What a cache asks that is no member is known where situations are counted,
// which a search does not do.
var StartsAsChecked = testbed.RegisterProperty(&testbed.Property{
	Name: "starts-as-checked", Kind: testbed.Safety,
	Promise:  "An API server starts, and relies on progress notifications, if and only if its version check and its gates say so.",
	Violated: "started against its check",
	Labels:   map[string]string{"started": "started against its check", "trusts": "trusts etcd against its check", "aborted": "did not start without need", "waits": "never starts", "asks": "asked what is no member", "distrusts": "distrusts etcd without need"},
	Past:     testbed.NoPast,
	New: func(s *testbed.System) testbed.Judge {
		return &startsAsChecked{system: s, rules: perServer[startRules]{make: func(of *testbed.Server) startRules { return startRulesOf(s, of) }}}
	},
})

type startsAsChecked struct {
	system *testbed.System
	rules  perServer[startRules]
	tally  testbed.Tally
}

// checked is a cache that checks the version of etcd.
type checked interface {
	cache.Starter
	cache.Trusting
	cache.Readiness
}

// Reset implements testbed.Judge.
func (j *startsAsChecked) Reset() { j.tally = testbed.Tally{} }

// Follows implements testbed.Follower.
func (*startsAsChecked) Follows(p testbed.Part) bool { return p == testbed.CacheNode }

// AfterStep implements testbed.StepObserver.
func (j *startsAsChecked) AfterStep(w *sim.World, a sim.Action) {
	for _, c := range j.system.Caches() {
		of, ok := c.Node.(checked)
		if !ok || a.Node != c.ID {
			continue
		}
		rules := j.rules.of(c.Server())
		if rules.allAnswer && !j.tally.Violated() && w.Count(guard.EndpointUnknown) > 0 {
			j.tally.Violate("asks", &wrongStart{c.Name, "got no version from an endpoint, and each member gives its own", rules.why})
		}
		j.look(c.Name, of, rules)
	}
}

// look judges what must not be at any time.
func (j *startsAsChecked) look(name string, of checked, rules *startRules) {
	switch {
	case of.Aborted() != "" && !rules.mayAbort:
		j.tally.Violate("aborted", &wrongStart{name, "does not start (" + of.Aborted() + ")", rules.why})
	case of.Ready() && rules.mustAbort:
		j.tally.Violate("started", &wrongStart{name, "serves", rules.why})
	case of.TrustsProgress() && !rules.mayTrust:
		j.tally.Violate("trusts", &wrongStart{name, "relies on etcd's progress notifications", rules.why})
	}
}

// Finding implements testbed.Judge.
func (j *startsAsChecked) Finding(w *sim.World) explore.Finding {
	all := j.tally
	for _, c := range j.system.Caches() {
		of, ok := c.Node.(checked)
		if !ok {
			continue
		}
		rules := j.rules.of(c.Server())
		all.Exercised++
		if !j.system.IsOver(w) {
			continue
		}
		switch {
		case of.Starting():
			all.Violate("waits", &wrongStart{c.Name, "waits for the version of etcd although nothing more can happen", rules.why})
		case of.Aborted() == "" && rules.mustAbort:
			all.Violate("started", &wrongStart{c.Name, "has started", rules.why})
		case of.Aborted() == "" && !of.TrustsProgress() && rules.mustTrust:
			all.Violate("distrusts", &wrongStart{c.Name, "does not rely on etcd's progress notifications", rules.why})
		}
	}
	return all.Finding()
}

// wrongStart is an API server that does what its version check does not allow.
type wrongStart struct{ cache, does, why string }

func (s *wrongStart) String() string { return fmt.Sprintf("%s %s; %s", s.cache, s.does, s.why) }

// Concerns implements explore.Concerned.
func (s *wrongStart) Concerns() explore.Concern { return explore.Concern{Node: s.cache} }
