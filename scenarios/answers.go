package scenarios

import (
	"fmt"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"
)

// Answers is the property that in the liveness phase every consistent read is
// served from the cache within a bound: a timeout, a 429 or a fallback is a
// violation, so etcd #17507 is one.
const Answers = "answers"

// Bound is how long a consistent read may take in the liveness phase.
type Bound struct {
	Total time.Duration
	// Derivation says what it is made of.
	Derivation string
}

// The parts of a bound that do not come from the declared delays: etcd's
// watchResyncPeriod and Kubernetes' progressRequestPeriod.
const (
	syncInterval = 100 * time.Millisecond
	pollPeriod   = 100 * time.Millisecond
)

// boundOf derives the bound from the declared delays. A read costs its own
// round trip and that of the revision read (4 messages). In the worst case its
// watcher is unsynced when it begins to wait: the next sync comes within the
// interval, and the first progress request after it within two polls (one may
// have been dropped just before). The request and its answer take 4 messages
// through the client library. Each hop waits for some loop, and events that are
// under way go through the same loops before it.
//
// A read that takes an echoed progress request for its proof cannot use one that
// was sent before it came, nor the event that it waits for: one poll more. One
// that waits until etcd tells by itself has its ticks for polls, which may come a
// tenth late, and leave out a watch that was sent an event.
func boundOf(p *Params, how cache.ProgressRequests) Bound {
	const messages, loops, loopsPerWrite = 8, 16, 4
	polls, period, of := 2, pollPeriod, "polls"
	switch how {
	case cache.ProgressEcho:
		polls++
	case cache.ProgressNotify:
		period, of = p.notifyInterval()*11/10, "ticks"
	}
	writes := p.Writers*p.Writes + p.OwnReaders*p.Rounds
	n := loops + loopsPerWrite*writes
	total := messages*p.Network + time.Duration(n)*p.Scheduling + syncInterval + time.Duration(polls)*period
	return Bound{total, fmt.Sprintf("%d messages of at most %v, %d turns of a loop of at most %v, a sync interval of %v and %d %s of %v",
		messages, p.Network, n, p.Scheduling, syncInterval, polls, of, period)}
}

// Bound is T of the property "answers", with its derivation.
func (s *System) Bound() Bound { return s.bound }

// slowRead is a read that was not answered as it should have been.
type slowRead struct {
	client  string
	request *model.Request
	span    workload.Span
	outcome string
	bound   Bound
}

func (r *slowRead) String() string {
	return fmt.Sprintf("%s's %s at %v %s; it should have been served from the cache within %v (%s)",
		r.client, asked(r.request), r.span.Call.Sub(0), r.outcome, r.bound.Total, r.bound.Derivation)
}

// asked is a read that is owed an answer, in words.
func asked(r *model.Request) string {
	switch r.Freshness {
	case model.Consistent:
		return "consistent LIST"
	case model.Any:
		return fmt.Sprintf("%v of any state", r.Kind)
	}
	return fmt.Sprintf("%v of revision %d or later", r.Kind, r.Revision)
}

// owed reports whether a read has to be answered in time: a consistent LIST; one
// of any state, for which there is nothing to wait; and one of a revision that
// etcd had reached, and somebody been told of, before it was asked.
func (s *System) owed(op *model.Operation) bool {
	switch {
	case op.Request.Kind != model.List && op.Request.Kind != model.Get:
	case op.Request.Freshness == model.Consistent:
		return op.Request.Kind == model.List
	case op.Request.Freshness == model.Any:
		return true
	case op.Request.Freshness == model.NotOlderThan:
		for _, c := range s.workers {
			for i := range c.Operations() {
				told := &c.Operations()[i]
				if told.Outcome == model.Done && told.Return < op.Call && told.Result.Revision >= op.Request.Revision {
					return true
				}
			}
		}
	}
	return false
}

func (s *System) answers(w *sim.World) explore.Finding {
	f := explore.Finding{Property: Answers}
	for i, c := range s.workers {
		ops, spans := c.Operations(), c.Spans()
		for j := range ops {
			op, span := &ops[j], &spans[j]
			if span.Phase != sim.Liveness || !s.owed(op) {
				continue
			}
			label, outcome := s.unanswered(op, span, w.Now())
			if label == "" {
				if span.Answered {
					f.Exercised++
				}
				continue
			}
			f.Exercised++
			f.Verdict, f.Label = model.Violated, label
			f.Why = &slowRead{s.names[i], op.Request, *span, outcome, s.bound}
			return f
		}
	}
	if f.Exercised > 0 {
		f.Verdict = model.Holds
	}
	return f
}

// unanswered says in a word and in words what was wrong with an answer; both
// are empty if it was right, or if it can still come in time.
func (s *System) unanswered(op *model.Operation, span *workload.Span, now sim.Time) (label, outcome string) {
	if !span.Answered {
		if waited := now.Sub(span.Call); waited > s.bound.Total {
			return "no-answer", fmt.Sprintf("still waits after %v", waited)
		}
		return "", ""
	}
	took := span.Return.Sub(span.Call)
	switch {
	case op.Outcome == model.Failed:
		return op.Result.Err.String(), fmt.Sprintf("was refused after %v (%v)", took, op.Result.Err)
	case op.Outcome == model.Unknown:
		return "no-answer", fmt.Sprintf("was given up after %v", took)
	case span.Origin == wire.FromFallback:
		return "fallback", fmt.Sprintf("was served by etcd, which the cache asked in the end, after %v", took)
	case took > s.bound.Total:
		return "slow", fmt.Sprintf("took %v", took)
	}
	return "", ""
}
