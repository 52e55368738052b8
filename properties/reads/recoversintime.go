package reads

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
)

// RecoversInTime is violated by a refusal as by anything else that is no answer;
// it does not matter whether the cache or etcd answers. A system that goes on
// failing under a load that it bore before the fault is metastable: the overload
// sustains itself after the fault. It is exercised by LISTs that are asked after
// the time to settle.
var RecoversInTime = testbed.RegisterProperty(&testbed.Property{
	Name: "recovers-in-time", Kind: testbed.Liveness,
	Promise:  "Some time after the end of the faults (the parameter settle) every LIST is answered before its client gives up.",
	Violated: "does not recover after a fault",
	Labels:   map[string]string{"no-answer": "does not recover after a fault", "abandoned": "does not recover after a fault", "refused": "does not recover after a fault"},
	Monitor:  testbed.Monitor{Runs: testbed.Timed, State: attemptsPast},
	New: testbed.RecordedBy(func(s *testbed.System) *recoversInTime {
		p := s.Params()
		return &recoversInTime{s, sim.Time(p.Faults.For), p.Workload.Polling.Settle, p.Workload.Polling.Patience}
	}, (*recoversInTime).judgeAll),
})

type recoversInTime struct {
	system *testbed.System
	healed sim.Time
	// settle is how long after that clients may still be refused, patience how
	// long each of them waits.
	settle, patience time.Duration
}

// failures are the ways in which a LIST is not answered: the label of each, and what is said of it.
var failures = map[workload.Ending]struct{ label, what string }{
	workload.Pending: {"no-answer", "was still waiting at the end"}, workload.Refused: {"refused", "was refused"},
	workload.Abandoned: {"abandoned", "was given up by its client"},
}

func (j *recoversInTime) judgeAll(w *sim.World, all *testbed.Tally) {
	from := j.healed + sim.Time(j.settle)
	for _, p := range j.system.Pollers() {
		for _, a := range p.Attempts() {
			if a.Call < from {
				continue
			}
			if a.Ending == workload.Served {
				all.Exercised++
				continue
			}
			ended := a.Return
			if a.Ending == workload.Pending {
				// It still has its time, unless it was given all that there is.
				if ended = w.Now(); j.patience == 0 || ended.Sub(a.Call) < j.patience {
					continue
				}
			}
			all.Exercised++
			f := failures[a.Ending]
			all.Violatef(f.label, testbed.Concern{Node: p.Name(), Began: a.Call}, "%s's LIST at %v %s after %v; the faults had ended %v before it was asked",
				p.Name(), a.Call.Sub(0), f.what, ended.Sub(a.Call), a.Call.Sub(j.healed))
			return
		}
	}
}

// attemptsPast is since when each client waits for a LIST that has to be answered. Others were judged when they
// ended.
func attemptsPast(s *testbed.System, d sim.Digest) sim.Digest {
	for _, c := range s.Pollers() {
		if all := c.Attempts(); len(all) > 0 && all[len(all)-1].Ending == workload.Pending {
			d = d.Bool(true).Int(int64(all[len(all)-1].Call))
		} else {
			d = d.Bool(false)
		}
	}
	return d
}
