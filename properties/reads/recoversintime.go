package reads

import (
	"fmt"
	"time"

	"github.com/watchbed/watchbed/explore"
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

var failureLabels = map[workload.Ending]string{
	workload.Pending: "no-answer", workload.Refused: "refused", workload.Abandoned: "abandoned",
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
			all.Violate(failureLabels[a.Ending], failedAttempt(p.Name(), a, a.Call.Sub(j.healed), ended.Sub(a.Call)))
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

// failedAttempt is a LIST that was not answered although the faults were over.
func failedAttempt(client string, attempt workload.Attempt, after, ended time.Duration) fmt.Stringer {
	what := map[workload.Ending]string{
		workload.Refused: "was refused", workload.Abandoned: "was given up by its client", workload.Pending: "was still waiting at the end",
	}[attempt.Ending]
	return testbed.Wrong(explore.Concern{Node: client, Began: attempt.Call},
		"%s's LIST at %v %s after %v; the faults had ended %v before it was asked",
		client, attempt.Call.Sub(0), what, ended, after)
}
