// Package watches has the properties of what clients are sent that watch: a cache,
// or etcd itself.
package watches

import (
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
)

// ofWatches makes the judge of one of etcd's watch guarantees.
func ofWatches(g model.WatchGuarantee) func(*testbed.System) testbed.Judge {
	return func(s *testbed.System) testbed.Judge {
		return &guarantee{testbed.Shared(s, newStreams), g}
	}
}

// streams judges every stream of a run for all guarantees together: those of
// caches and those of clients that speak to etcd directly.
type streams struct {
	system     *testbed.System
	rules      workload.WatchRules
	contract   contract
	checker    model.WatchChecker
	judgements []model.WatchJudgement
}

func newStreams(s *testbed.System) *streams {
	return &streams{system: s, rules: s.WatchRules()}
}

// Reset implements testbed.Observer.
func (*streams) Reset() {}

// BeginJudging implements testbed.Preparer.
func (t *streams) BeginJudging(*sim.World) {
	log := t.system.Truth().Log()
	t.judgements = t.judgements[:0]
	t.contract.rewind()
	judge := func(streams []model.WatchStream) {
		t.judgements = t.checker.Check(t.judgements, streams, log)
	}
	for _, r := range t.system.Watchers() {
		judge(t.contract.ofWatcher(r))
	}
	for _, c := range t.system.ListWatchers() {
		judge(t.contract.ofListWatcher(c))
	}
	for _, c := range t.system.DrawnWatchers() {
		for i := range c.Streams() {
			judge(t.contract.ofDrawnWatch(&c.Streams()[i]))
		}
	}
	for _, r := range t.system.Streams() {
		for _, watch := range r.Watches(t.rules) {
			judge(t.contract.ofEtcdWatch(r, watch))
		}
	}
}

// guarantee judges one of them.
type guarantee struct {
	*streams
	of model.WatchGuarantee
}

// Finding implements testbed.Judge.
func (j *guarantee) Finding(*sim.World) explore.Finding {
	var f explore.Finding
	for i := range j.judgements {
		judged := &j.judgements[i]
		if judged.Guarantee != j.of {
			continue
		}
		f.Exercised += judged.Exercised
		if judged.Verdict == model.Violated && f.Verdict != model.Violated {
			f.Label, f.Why = "watch", judged.Why
		}
		f.Verdict = f.Verdict.And(judged.Verdict)
	}
	return f
}
