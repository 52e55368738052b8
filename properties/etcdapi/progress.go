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
	New: func(s *testbed.System) testbed.Judge {
		interval := max(cmp.Or(s.Nodes().Etcd.Watch.ProgressNotifyInterval, defaultNotify), leastNotify)
		b := s.DeliveryBound().Plus(2*interval*11/10, fmt.Sprintf("two ticks of %v", interval))
		return &progress{s, b, s.WatchRules()}
	},
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

// Reset implements testbed.Judge.
func (*progress) Reset() {}

// Finding implements testbed.Judge.
func (j *progress) Finding(w *sim.World) explore.Finding {
	var all testbed.Tally
	if w.Mode() == sim.Untimed || w.Phase() == sim.Safety {
		return all.Finding()
	}
	log := j.system.Truth().Log()
	for _, c := range j.system.Streams() {
		for _, watch := range c.Watches(j.rules) {
			if watch.ProgressNotify && watch.StartRevision <= log.First() && !c.Ended() && !c.HasLeft(watch) {
				j.judge(&all, c, watch, w.Now())
			}
		}
	}
	return all.Finding()
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
		all.Violate(label, &noProgress{c.Name(), watch, waited, j.bound})
	}
}

// noProgress is a watch that was sent nothing for too long.
type noProgress struct {
	client string
	watch  int64
	waited time.Duration
	bound  testbed.Bound
}

func (v *noProgress) String() string {
	return fmt.Sprintf("watch %d of %s asks for progress notifications, and was sent nothing for %v; the bound is %v: %s",
		v.watch, v.client, v.waited, v.bound.Total, v.bound.Derivation)
}

// Concerns implements explore.Concerned.
func (v *noProgress) Concerns() explore.Concern { return explore.Concern{Node: v.client} }
