package reads

import (
	"fmt"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/testbed"
)

// ServedWithoutMember is about a member of etcd that is cut off from its leader while caches
// watch at it. Nothing new comes from it, so a cache cannot serve a consistent LIST. etcd ends
// the watch streams that require a leader once the member has known none for three election
// timeouts (v3rpc monitorLeader), and the client library opens them at another member
// (kubernetes/kubernetes#89488). From then on LISTs are served, although the member is still
// cut off. It is exercised by each consistent LIST that is asked in that time.
var ServedWithoutMember = testbed.RegisterProperty(&testbed.Property{
	Name: "served-without-member", Kind: testbed.Liveness, Inside: true,
	Promise:  "Consistent LISTs are served while the member that a cache watched at is cut off from the leader, once its election timeout, three more seconds and the time to watch elsewhere have passed.",
	Violated: "hangs on a leaderless member",
	Labels: map[string]string{
		"refused": "refused without a leader", "slow": "too slow without a leader", "no-answer": "no answer without a leader",
	},
	New: testbed.AfterStepsBy(func(s *testbed.System) *servedWithoutMember {
		wide := func(b testbed.Bound) testbed.Bound {
			return testbed.Bound{}.Plus(safetyDelays*b.Total, fmt.Sprintf("%d times (%s)", safetyDelays, b.Derivation))
		}
		lost := wide(s.DeliveryBound()).Plus(etcd.LongestElection(s.ElectionTimeout()), "the longest election timeout")
		return &servedWithoutMember{system: s, leaves: s.WithoutLeader(lost), served: wide(s.ReadBound())}
	}, (*servedWithoutMember).step, testbed.EtcdMember),
})

// safetyDelays is how many times as long as declared the delays are while faults strike.
const safetyDelays = 10

type servedWithoutMember struct {
	system *testbed.System
	// leaves is how long after the cut LISTs may wait, served how long each of them takes
	// after that.
	leaves, served testbed.Bound
	// cut and healed are the first time that the member was cut off.
	cut, healed sim.Time
	state       cutState
}

type cutState uint8

const (
	neverCut cutState = iota
	isCut
	wasCut
)

func (j *servedWithoutMember) Reset() { j.state = neverCut }

func (j *servedWithoutMember) step(w *sim.World, _ sim.Action, _ *testbed.Tally) {
	all := j.system.Members()
	cut := all[len(all)-1].Server.CutOff()
	switch {
	case cut && j.state == neverCut:
		j.cut, j.state = w.Now(), isCut
	case !cut && j.state == isCut:
		j.healed, j.state = w.Now(), wasCut
	}
}

func (j *servedWithoutMember) Conclude(w *sim.World, all *testbed.Tally) {
	if j.state == neverCut || w.Mode() == sim.Untimed {
		return
	}
	from, to := j.cut+sim.Time(j.leaves.Total), j.healed
	if j.state == isCut {
		to = w.Now()
	}
	for o := range j.system.Operations() {
		if o.Request.Kind != model.List || o.Request.Freshness != model.Consistent || o.Span.Call < from || o.Span.Call >= to {
			continue
		}
		label, outcome := missed(o.Operation, o.Span, w.Now(), j.served.Total)
		if o.Span.Answered && o.Outcome != model.Done {
			label = "refused"
		}
		if label != "" || o.Span.Answered {
			all.Exercised++
		}
		if label != "" {
			o.Violate(all, label, "%s's consistent LIST at %v %s; a member had been cut off from the leader for %v, and %v is enough to watch at another one (%s)",
				o.Span.Call.Sub(0), outcome, o.Span.Call.Sub(j.cut), j.leaves.Total, j.leaves.Derivation)
			return
		}
	}
}
