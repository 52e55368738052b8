package reads

import (
	"fmt"
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
)

// AnswersInTime counts a timeout, a refusal (429) and a fallback to etcd as
// violations, so etcd #17507 is one. It is exercised by answered reads of the
// liveness phase.
var AnswersInTime = testbed.RegisterProperty(&testbed.Property{
	Name: "answers-in-time", Kind: testbed.Liveness,
	Promise:  "In the liveness phase every consistent read is served from the cache within a bound that follows from the delays.",
	Violated: "times out",
	Labels:   map[string]string{"fallback": "falls back to etcd", "slow": "too slow", "timeout": "times out", "no-answer": "times out"},
	Weight:   6,
	Monitor:  testbed.Monitor{Runs: testbed.Timed, Bound: (*testbed.System).ReadBound},
	New:      testbed.RecordedBy(func(s *testbed.System) *answersInTime { return &answersInTime{system: s, bound: s.ReadBound()} }, (*answersInTime).judge),
})

type answersInTime struct {
	system *testbed.System
	bound  testbed.Bound
}

func (j *answersInTime) judge(w *sim.World, all *testbed.Tally) {
	for o := range j.system.Operations() {
		if !j.isJudged(o.Operation, o.Span) {
			continue
		}
		label, outcome := j.fault(o.Operation, o.Span, w.Now())
		if label != "" || o.Span.Answered {
			all.Exercised++
		}
		if label != "" {
			o.Violate(all, label, "%s's %s at %v %s; it should have been served from the cache within %v (%s)",
				request(o.Request), o.Span.Call.Sub(0), outcome, j.bound.Total, j.bound.Derivation)
			return
		}
	}
}

// isJudged reports whether a read has to be answered in time and was made in the liveness phase.
func (j *answersInTime) isJudged(op *model.Operation, span *workload.Span) bool {
	return span.Phase == sim.Liveness && j.mustBeAnswered(op)
}

// mustBeAnswered reports whether a read has to be answered in time: a consistent
// LIST; one of any state, for which there is nothing to wait; and one of a
// revision that etcd had reached, and some client been told of, before it was
// asked.
func (j *answersInTime) mustBeAnswered(op *model.Operation) bool {
	switch {
	case op.Request.Kind != model.List && op.Request.Kind != model.Get:
	case op.Request.Freshness == model.Consistent:
		return op.Request.Kind == model.List
	case op.Request.Freshness == model.Any:
		return true
	case op.Request.Freshness == model.NotOlderThan:
		return j.toldBefore(op)
	}
	return false
}

// toldBefore reports whether some client had been told of the revision that a read
// names before it was asked.
func (j *answersInTime) toldBefore(op *model.Operation) bool {
	for told := range j.system.Operations() {
		if told.Outcome == model.Done && told.Return < op.Call && told.Result.Revision >= op.Request.Revision {
			return true
		}
	}
	return false
}

// fault says in a word and in words what was wrong with an answer; both are empty
// if it was right, or if it can still come in time.
func (j *answersInTime) fault(op *model.Operation, span *workload.Span, now sim.Time) (label, outcome string) {
	if span.Answered && op.Outcome == model.Done && span.Origin == wire.FromFallback {
		return "fallback", fmt.Sprintf("was served by etcd, which the cache asked in the end, after %v", span.Return.Sub(span.Call))
	}
	return missed(op, span, now, j.bound.Total)
}

// missed says in a word and in words how a read was not answered within a bound; both are
// empty if it was, or if it can still be.
func missed(op *model.Operation, span *workload.Span, now sim.Time, bound time.Duration) (label, outcome string) {
	if !span.Answered {
		if waited := now.Sub(span.Call); waited > bound {
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
	case took > bound:
		return "slow", fmt.Sprintf("took %v", took)
	}
	return "", ""
}

// Digest is since when each client waits for an answer that has to come in time. Answers are judged when
// they come.
func (j *answersInTime) Digest(d sim.Digest) sim.Digest {
	for _, c := range j.system.Clients() {
		last := len(c.Operations()) - 1
		if !c.Waiting() || !j.isJudged(&c.Operations()[last], &c.Spans()[last]) {
			d = d.Bool(false)
		} else {
			d = d.Bool(true).Int(int64(c.Spans()[last].Call))
		}
	}
	return d
}

// request is a read that must be answered, in words.
func request(r *model.Request) string {
	switch r.Freshness {
	case model.Consistent:
		return "consistent LIST"
	case model.Any:
		return fmt.Sprintf("%v of any state", r.Kind)
	}
	return fmt.Sprintf("%v of revision %d or later", r.Kind, r.Revision)
}
