// Package reads (unstable) has the properties of what clients read and write.
package reads

import (
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/linearizability/items"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/evidence"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// Exact is exercised by answered reads at an exact resourceVersion.
var Exact = afterRestore(guarantee("exact", 5, "not the state of that revision",
	"A read at an exact resourceVersion is answered with the state at that version, or refused."))

// Linearizable is judged by the revision witness and by porcupine. It is exercised
// by consistent reads after a completed write.
var Linearizable = afterRestore(guarantee("linearizable", 7, "not linearizable",
	"Writes and consistent reads have one total order that respects real time; a LIST's items and its resourceVersion must both fit."))

// LinearizableAnswers is linearizable as clients can judge it, who do not know what
// became of the writes that were not answered: porcupine tries every fate of them. Ground
// truth, which Linearizable has, would explain the effect of a write that a client was
// told to be refused. It is exercised by consistent reads after a completed write, in
// histories with a write that was not answered.
var LinearizableAnswers = testbed.RegisterProperty(&testbed.Property{
	Name:     "linearizable-answers",
	Promise:  "Some fate of each write that was not answered explains all answers to the others: writes and consistent reads have one total order.",
	Violated: "no order of the answers fits", Labels: anomalies,
	Weight: 6,
	New:    ofAnswers(linearizability.Linearizable),
})

// LinearizableData is Linearizable without the LIST's own resourceVersion: if it
// is violated, a completed write is missing, or what was gone is seen. It is
// exercised by consistent reads after a completed write.
var LinearizableData = afterRestore(guarantee("linearizable-data", 8, "not linearizable",
	"Writes and consistent reads have one total order that respects real time; only the items of a LIST must fit, whatever resourceVersion it names."))

// Monotonic is exercised by reads after another read of the same client.
var Monotonic = guarantee("monotonic", 4, "client goes back in time",
	"No client reads an older state than it has read before, whichever cache it asks.")

// afterRestore has a property judge what clients did since etcd was restored from a backup.
func afterRestore(p *testbed.Property) *testbed.Property {
	p.AfterRestore = true
	return p
}

// guarantee is a property that package linearizability knows by the same name.
func guarantee(name string, weight int, violated, promise string) *testbed.Property {
	return testbed.RegisterProperty(&testbed.Property{
		Name: name, Promise: promise, Violated: violated, Labels: anomalies, Weight: weight,
		Monitor: testbed.Monitor{Runs: testbed.EveryRun}, New: ofHistory(linearizability.Property(name)),
	})
}

// ofHistory makes the judge of a property that package linearizability knows.
func ofHistory(p linearizability.Property) func(*testbed.System) testbed.Judge {
	return func(s *testbed.System) testbed.Judge {
		return testbed.Shared(s, func(s *testbed.System) *history { return &history{system: s} }).newJudge(p)
	}
}

// ofAnswers is ofHistory without ground truth.
func ofAnswers(p linearizability.Property) func(*testbed.System) testbed.Judge {
	return func(s *testbed.System) testbed.Judge {
		return testbed.Shared(s, func(s *testbed.System) *answers { return &answers{history{system: s}} }).newJudge(p)
	}
}

// history judges the history of a run for all properties together: it is loaded
// once.
type history struct {
	system     *testbed.System
	judge      linearizability.Judge
	properties []linearizability.Property
	judgements []linearizability.Judgement
}

// newJudge makes the judge of one property more.
func (h *history) newJudge(p linearizability.Property) testbed.Judge {
	h.properties = append(h.properties, p)
	return &historyJudge{h, len(h.properties) - 1}
}

func (h *history) Reset() { h.judge.Operations = h.system.JudgedOperations() }

func (h *history) BeginJudging(*sim.World) {
	recorded := h.system.History()
	h.check(recorded, logFor(h.system, recorded))
}

func (h *history) check(recorded *model.History, log *model.Log) {
	judgements, err := h.judge.Check(recorded, log, h.properties...)
	if err != nil {
		// The witness and porcupine disagree: nothing else would be worth saying.
		panic(&explore.Disputed{Err: err, History: recorded})
	}
	h.judgements = judgements
}

// answers judges the history of a run like a history recorded from real servers:
// nothing says what became of an unanswered write. A history without
// such a write is left to the properties of the whole history.
type answers struct{ history }

// answersSteps is porcupine's budget without ground truth, in which a history holds
// after some hundred steps.
const answersSteps = 20_000

func (a *answers) Reset() {
	a.history.Reset()
	a.judge.Steps = answersSteps
}

func (a *answers) BeginJudging(*sim.World) {
	recorded := a.system.History()
	if !hasUnknownWrites(recorded) {
		recorded = &model.History{Clients: recorded.Clients, Initial: recorded.Initial}
	}
	a.check(items.WithExpiries(recorded), nil)
	for i := range a.judgements {
		if j := &a.judgements[i]; j.Verdict == model.VerdictUnknown {
			// There are too many orders to try: the run says nothing about it.
			j.Verdict, j.Exercised = model.Vacuous, 0
		}
	}
}

// logFor is what etcd committed, nil if the history has all of that. What was asked for before a backup was restored
// may be carried out behind it.
func logFor(s *testbed.System, recorded *model.History) *model.Log {
	if s.Restored() != nil || hasUnknownWrites(recorded) || items.ExpiryPossible(recorded) {
		return s.Truth().Log()
	}
	return nil
}

func hasUnknownWrites(h *model.History) bool {
	for i := range h.Operations {
		if op := &h.Operations[i]; op.Outcome == model.Unknown && op.Request.IsWrite() {
			return true
		}
	}
	return false
}

// historyJudge judges one property of the history.
type historyJudge struct {
	*history
	index int
}

func (*historyJudge) Reset() {}

func (j *historyJudge) Finding(*sim.World) explore.Finding {
	judged := &j.judgements[j.index]
	f := explore.Finding{Verdict: judged.Verdict, Exercised: judged.Exercised, By: explore.Porcupine}
	if judged.By == linearizability.ByWitness {
		f.By = explore.WitnessAlone
	}
	if judged.Why != nil {
		f.Label, f.Why = string(judged.Why.Anomaly), judged.Why
	}
	return f
}

// anomalies says in a few words what the labels of these properties mean.
var anomalies = map[string]string{
	string(linearizability.Missing):         "stale read",
	string(linearizability.Ghost):           "deleted object seen",
	string(linearizability.Foreign):         "object outside the range",
	string(linearizability.Premature):       "later write seen",
	string(linearizability.Corrupt):         "wrong contents read",
	string(linearizability.Miscounted):      "wrong count",
	string(linearizability.OldRevision):     "old revision",
	string(linearizability.UnmadeRevision):  "revision does not exist",
	string(linearizability.TakenRevision):   "two writes with one revision",
	string(linearizability.SkippedRevision): "revision without a write",
	string(linearizability.Reordered):       "writes out of order",
	string(linearizability.WrongFlag):       "wrong answer to a write",
	string(linearizability.Contradicted):    "write contradicts etcd",
	string(linearizability.Torn):            "pages of different revisions",
	string(linearizability.Unexplained):     "no order of the operations fits",
}

func (j *historyJudge) MonitorState() testbed.MonitorState {
	p := j.properties[j.index]
	if p == linearizability.Exact || p == linearizability.NotOlderThan {
		return nil
	}
	return &past{system: j.system, property: p}
}

// past is what the witness keeps of the history.
type past struct {
	system   *testbed.System
	property linearizability.Property
	witness  linearizability.Witness
	kept     []linearizability.Kept
}

// Digest implements testbed.MonitorState. What is kept is summed up: in which order clients made
// their calls does not matter any more.
func (p *past) Digest(d sim.Digest) sim.Digest {
	recorded := p.system.History()
	p.witness.Load(recorded, logFor(p.system, recorded))
	p.kept = p.witness.Past(p.kept[:0], p.property)
	var sum sim.Digest
	for _, k := range p.kept {
		sum = sum.And(sim.NewDigest.Int(int64(k.Client)).Int(int64(k.Operation)).Int(k.Revision))
	}
	return d.Fold(sum)
}

// NotOlderThan is exercised by answered reads that name a minimum resourceVersion.
var NotOlderThan = guarantee("not-older-than", 0, "older than asked for",
	"A read that names a minimum resourceVersion is answered at that version or later.")

// Pages is exercised by pages after the first.
var Pages = afterRestore(guarantee("pages", 4, "pages of different states",
	"The pages of one list are together the state at one revision."))

// ReadYourWrites is exercised by reads after a completed write of the same client.
var ReadYourWrites = guarantee("read-your-writes", 5, "own write missing",
	"No client reads a state without its own completed writes.")

// Sequential is exercised by reads of a client that had written or seen a write
// before.
var Sequential = guarantee("sequential", 3, "not sequential",
	"All operations of all clients have one total order that respects the program order of each client.")

// Repeated counts the attempts of a client library at a read. It is exercised by each
// read that etcd has answered with an error at least once. Of what connections break it
// knows nothing, so that it is for scenarios in which etcd keeps those of calls.
var Repeated = testbed.RegisterProperty(&testbed.Property{
	Name: "reads-repeated", Kind: testbed.Safety,
	Promise:  "A client library repeats a read while etcd is unavailable, and gives it up after as many attempts as it may make.",
	Violated: "read given up too soon",
	Labels:   map[string]string{"given-up": "read given up too soon", "again": "read tried too often"},
	Monitor:  testbed.Monitor{Runs: testbed.Untimed},
	New:      evidence.Recorded(repeated),
})

func repeated(r *evidence.Recorder, _ *sim.World, all *testbed.Tally) {
	s := r.System()
	failed := s.Etcd().Failed()
	if len(failed) == 0 || !s.Params().Topology.ClientWrites {
		return
	}
	for o := range s.Operations() {
		if _, isRange := o.Message.(*wire.RangeRequest); !isRange {
			continue
		}
		// Each request of a client is a message of its own, which every attempt at it carries.
		attempts := 0
		for _, p := range failed {
			if r.Same(p, o.Message) {
				attempts++
			}
		}
		if attempts > 0 {
			all.Exercised++
		}
		switch least, most := attemptsOf(s, r.Of(o).To); {
		case o.Span.Code == wire.Unavailable && attempts < least:
			o.Violate(all, "given-up", "%s asked for %s, and its client library gave up after attempt %d of %d", o.Message.Label(), attempts, least)
		case attempts > most:
			o.Violate(all, "again", "%s asked for %s, and its client library has tried it %d times, of %d", o.Message.Label(), attempts, most)
		}
	}
}

// attemptsOf is how often the client library at a node tries: its API server may be replaced in a run.
func attemptsOf(s *testbed.System, library sim.NodeID) (least, most int) {
	for i := range s.Topology().APIServers {
		if server := &s.Topology().APIServers[i]; server.Client == library {
			own := slices.DeleteFunc(slices.Clone(s.Caches()), func(c *testbed.Cache) bool { return !slices.Contains(server.Caches, c.ID) })
			return testbed.Extremes(own, func(of *testbed.Server) int { return of.Client.Library.Attempts() })
		}
	}
	nodes := s.Nodes()
	limit := nodes.Client.Library.Attempts()
	return limit, limit
}

// AtMostOnce compares the writes of clients with the writes that etcd has
// committed. It is exercised by each write of a client.
var AtMostOnce = testbed.RegisterProperty(&testbed.Property{
	Name: "at-most-once", Kind: testbed.Safety,
	Promise:  "Each write that a client asks for once is carried out at most once, and one that is refused is not carried out.",
	Violated: "write carried out twice",
	Labels:   map[string]string{"refused": "refused write carried out", "repeated": "write carried out twice"},
	Weight:   8,
	New:      testbed.Recorded(atMostOnce),
})

func atMostOnce(s *testbed.System, _ *sim.World, all *testbed.Tally) {
	commits := s.Etcd().Committed()
	for o := range s.Operations() {
		if !o.Request.IsWrite() {
			continue
		}
		all.Exercised++
		revisions := revisionsOf(commits, o.Message)
		about := testbed.Concern{Client: o.Client.Name(), Call: o.Call}
		if n := len(revisions); n > 0 {
			about.Revision = revisions[n-1]
		}
		switch {
		case len(revisions) > 1:
			all.Violatef("repeated", about, "%s asked once for %s, and etcd carried it out %d times: its revisions after that were %v",
				about.Client, o.Message.Label(), len(revisions), revisions)
		case len(revisions) == 1 && o.Outcome == model.Failed:
			all.Violatef("refused", about, "%s asked for %s and was refused, and etcd carried it out: its revision after that was %d",
				about.Client, o.Message.Label(), revisions[0])
		}
	}
}

// revisionsOf are the revisions of etcd after each time that it carried out a
// request. Each request of a client is a message of its own, which every attempt at
// it carries.
func revisionsOf(commits []etcd.Commit, request sim.Payload) []int64 {
	var all []int64
	for i := range commits {
		if commits[i].Request == request {
			all = append(all, commits[i].Revision)
		}
	}
	return all
}
