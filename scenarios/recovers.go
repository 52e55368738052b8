package scenarios

import (
	"fmt"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"
)

// Recovers is the property that a fault does no harm for much longer than it
// lasts: what clients ask later than Settle after the end of the faults is
// answered, by whomever, within their patience. A refusal is a violation like
// anything else. A system that goes on failing under a load that it bore before
// the fault is metastable: it fails because it fails.
const Recovers = "recovers"

// pollers are the clients that do not give up.
type pollers struct {
	nodes []*workload.Poller
	plans []workload.PollerPlan
}

// pollPause is how long a client waits that nobody told when to come back.
const pollPause = 10 * time.Millisecond

func (l *pollers) configure(s *System) {
	g := &s.params.Guard
	for i := range g.Pollers {
		l.nodes = append(l.nodes, new(workload.Poller))
		l.plans = append(l.plans, workload.PollerPlan{
			To:    s.cacheNode(i, i),
			List:  &wire.ListRequest{Prefix: prefixOf(i % s.params.resources()), ResourceVersion: wire.Unset},
			Think: s.think(), Patience: g.Patience, HonoursRetryAfter: g.Honour, Pause: pollPause,
			Healed: sim.Time(s.params.FaultsFor), Bystander: i%s.params.Caches != 0,
		})
	}
}

func (l *pollers) build(w *sim.World) {
	for i, p := range l.nodes {
		p.Reset(numbered("poller", i, len(l.nodes)), l.plans[i])
		w.Add(p.Name(), p)
	}
}

// failedAttempt is a LIST that was not answered although the faults were over.
type failedAttempt struct {
	client  string
	attempt workload.Attempt
	after   time.Duration
	ended   time.Duration
}

func (f *failedAttempt) String() string {
	what := map[workload.Ending]string{
		workload.Refused: "was refused", workload.Abandoned: "was given up by its client", workload.Pending: "was still waiting at the end",
	}[f.attempt.Ending]
	return fmt.Sprintf("%s's LIST at %v %s after %v; the faults had ended %v before it was asked",
		f.client, f.attempt.Call.Sub(0), what, f.ended, f.after)
}

// recovers judges the last run.
func (l *pollers) recovers(s *System, w *sim.World) explore.Finding {
	f := explore.Finding{Property: Recovers}
	healed := sim.Time(s.params.FaultsFor)
	from := healed + sim.Time(s.params.Guard.Settle)
	for _, p := range l.nodes {
		for _, a := range p.Attempts() {
			if a.Call < from {
				continue
			}
			if a.Ending == workload.Served {
				f.Exercised++
				continue
			}
			ended := a.Return
			if a.Ending == workload.Pending {
				// It still has its time, unless it was given all that there is.
				if ended = w.Now(); s.params.Guard.Patience == 0 || ended.Sub(a.Call) < s.params.Guard.Patience {
					continue
				}
			}
			f.Exercised++
			f.Verdict, f.Label = model.Violated, [...]string{"no-answer", "", "refused", "abandoned"}[a.Ending]
			f.Why = &failedAttempt{p.Name(), a, a.Call.Sub(healed), ended.Sub(a.Call)}
			return f
		}
	}
	if f.Exercised > 0 {
		f.Verdict = model.Holds
	}
	return f
}
