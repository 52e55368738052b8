// Package etcdapi (unstable) has the properties of etcd's own API: what clients
// of it are answered and sent, and what etcd keeps on their behalf.
package etcdapi

import (
	"cmp"
	"fmt"
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
)

// Physical looks at what is left in etcd's backend when a physical compaction has been
// answered: nothing that a compaction at its revision removes. One that is refused because
// etcd was compacted there before is answered when the earlier ones are done, too. It is
// exercised by each such answer.
var Physical = testbed.RegisterProperty(&testbed.Property{
	Name: "physical-compactions", Kind: testbed.Safety, Inside: true,
	Promise:  "When a physical compaction is answered, what it removes has been removed.",
	Violated: "compaction answered too early",
	Monitor:  testbed.Monitor{Runs: testbed.Untimed},
	New:      testbed.Each(testbed.HistoryClient, physical),
})

// physical judges a client of which so many operations were looked at.
func physical(s *testbed.System, _ *sim.World, client int, seen *int, all *testbed.Tally) {
	for o := range s.OperationsOf(client) {
		if o.Number < *seen {
			continue
		}
		if !o.Span.Answered {
			return
		}
		*seen = o.Number + 1
		r, compacts := o.Message.(*wire.CompactionRequest)
		if !compacts || !r.Physical || o.Outcome == model.Unknown || o.Result.Err != model.OK && o.Result.Err != model.Compacted {
			continue
		}
		all.Exercised++
		if left := s.Simulated().Superseded(r.Revision); left > 0 {
			o.Violate(all, "", "%s was answered its physical compaction at revision %d, and changes that it removes were still there: %d", r.Revision, left)
		}
	}
}

// Progress holds how long a watch that asks for progress notifications is sent nothing
// against the period of etcd's ticker, which is up to a tenth longer than set. The next
// notification comes with the next tick. A tick leaves out a watch that was sent events
// since the one before, even in front of the notification, or whose history was still to be sent:
// two periods may pass then. Only a run with a clock in which nothing breaks is judged. It is
// exercised by each time between two responses to a watch whose start exists.
var Progress = testbed.RegisterProperty(&testbed.Property{
	Name: "progress-comes", Kind: testbed.Liveness,
	Promise:  "A watch of etcd that asks for progress notifications is sent something within a period of the ticker after a notification, and within two after anything else.",
	Violated: "no progress notification",
	Labels:   map[string]string{"late": "progress notification too late", "silent": "no progress from then on"},
	New: testbed.RecordedBy(func(s *testbed.System) *progress {
		interval := max(cmp.Or(s.Nodes().Etcd.Watch.ProgressNotifyInterval, defaultNotify), leastNotify)
		delivery := s.DeliveryBound()
		tick := delivery.Plus(interval*11/10, fmt.Sprintf("a tick of %v", interval))
		return &progress{s, delivery.Total, tick, tick.Plus(interval*11/10, "and another one"), s.WatchRules()}
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
	// delivery is how long a response is on its way. tick is for a watch that was sent a notification, ticks for
	// others.
	delivery    time.Duration
	tick, ticks testbed.Bound
	rules       workload.WatchRules
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
	last, events, bound := sim.Time(-1), sim.Time(-1), j.ticks
	for _, r := range c.ResponsesTo(watch) {
		switch {
		case r.Canceled:
			return
		case r.WatchID == watch.ID:
			j.between(all, "late", c, watch.ID, last, r.At, bound)
			last, bound = r.At, j.ticks
			switch {
			case !r.IsProgressNotify():
				events = r.At
			case events < 0 || r.At.Sub(events) > j.delivery:
				bound = j.tick
			}
		}
	}
	j.between(all, "silent", c, watch.ID, last, end, bound)
}

// between judges the time between two responses, or from the last one to the end of the run;
// a negative one is no response.
func (j *progress) between(all *testbed.Tally, label string, c *workload.EtcdWatch, watch int64, last, next sim.Time, bound testbed.Bound) {
	if last < 0 {
		return
	}
	all.Exercised++
	if waited := next.Sub(last); waited > bound.Total {
		all.Violatef(label, testbed.Concern{Node: c.Name()}, "watch %d of %s asks for progress notifications, and was sent nothing for %v; the bound is %v: %s",
			watch, c.Name(), waited, bound.Total, bound.Derivation)
	}
}
