package etcdapi

import (
	"cmp"
	"fmt"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
)

// Progress holds how long a watch that asks for progress notifications is sent nothing
// against the period of etcd's ticker. A tick leaves out a watch that was sent events
// since the one before, so that two periods may pass, of which each is up to a tenth
// longer than set. Only a run with a clock in which nothing breaks is judged. It is
// exercised by each time between two responses to a watch whose start exists.
var Progress = testbed.RegisterProperty(&testbed.Property{
	Name: "progress-comes", Kind: testbed.Liveness,
	Promise:  "A watch of etcd that asks for progress notifications is sent something within two periods of the ticker.",
	Violated: "no progress notification",
	Labels:   map[string]string{"late": "progress notification too late", "silent": "no progress from then on"},
	New: testbed.RecordedBy(func(s *testbed.System) *progress {
		interval := max(cmp.Or(s.Nodes().Etcd.Watch.ProgressNotifyInterval, defaultNotify), leastNotify)
		b := s.DeliveryBound().Plus(2*interval*11/10, fmt.Sprintf("two ticks of %v", interval))
		return &progress{s, b, s.WatchRules()}
	}, (*progress).judgeAll),
})

// etcd's period of progress notifications where none is set, and what it raises a shorter
// one to (server/etcdserver/api/v3rpc/watch.go).
const (
	defaultNotify = 10 * time.Minute
	leastNotify   = 100 * time.Millisecond
)

type progress struct {
	system *testbed.System
	bound  testbed.Bound
	rules  workload.WatchRules
}

func (j *progress) judgeAll(w *sim.World, all *testbed.Tally) {
	if w.Mode() == sim.Untimed || w.Phase() == sim.Safety {
		return
	}
	log := j.system.Truth().Log()
	for _, c := range j.system.Streams() {
		for _, watch := range c.Watches(j.rules) {
			if watch.ProgressNotify && watch.StartRevision <= log.First() && !c.Ended() && !c.HasLeft(watch) {
				j.judge(all, c, watch, w.Now())
			}
		}
	}
}

func (j *progress) judge(all *testbed.Tally, c *workload.EtcdWatch, watch workload.Watch, end sim.Time) {
	last := sim.Time(-1)
	for _, r := range c.ResponsesTo(watch) {
		switch {
		case r.Canceled:
			return
		case r.WatchID == watch.ID:
			j.between(all, "late", c, watch.ID, last, r.At)
			last = r.At
		}
	}
	j.between(all, "silent", c, watch.ID, last, end)
}

// between judges the time between two responses, or from the last one to the end of the run;
// a negative one is no response.
func (j *progress) between(all *testbed.Tally, label string, c *workload.EtcdWatch, watch int64, last, next sim.Time) {
	if last < 0 {
		return
	}
	all.Exercised++
	if waited := next.Sub(last); waited > j.bound.Total {
		all.Violate(label, testbed.Wrong(explore.Concern{Node: c.Name()},
			"watch %d of %s asks for progress notifications, and was sent nothing for %v; the bound is %v: %s",
			watch, c.Name(), waited, j.bound.Total, j.bound.Derivation))
	}
}
