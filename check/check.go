package check

import (
	"slices"

	"github.com/watchbed/watchbed/check/recorded"
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/model"
)

// Options are what is to be judged, and at what cost.
type Options struct {
	// Properties are names as in Properties; none is Defaults, and without these those of the history.
	Properties, Defaults []string
	// Budget is porcupine's, in steps; 0 is its default.
	Budget int
}

// Judgement is the verdict on one property.
type Judgement struct {
	Property  string
	Verdict   model.Verdict
	Exercised int
	// By names the checker.
	By string
	// Reason says why the verdict is unknown or vacuous, empty for others.
	Reason string
	// Operations is set if operations violate the property, Watch if a watch does.
	Operations *linearizability.Explanation
	Watch      *WatchViolation
}

// Result are the judgements on one history.
type Result struct {
	// Verdict joins those on the properties.
	Verdict    model.Verdict
	Judgements []Judgement
}

// Properties are the names of all that can be judged.
func Properties() []string {
	var names []string
	for _, p := range linearizability.Properties() {
		names = append(names, string(p))
	}
	for _, g := range model.WatchGuarantees() {
		names = append(names, string(g))
	}
	return names
}

// defaults are the properties that every history is asked for, and those of reads at a revision
// if it has such reads. A store that is right may violate the others: two servers of Kubernetes
// need not be at the same revision, and a client may list the rest of a range anew.
func defaults(h *model.History) []string {
	names := []string{string(linearizability.Linearizable), string(linearizability.LinearizableData), string(linearizability.Sequential)}
	for _, p := range []linearizability.Property{linearizability.NotOlderThan, linearizability.Exact} {
		if slices.ContainsFunc(h.Operations, func(op model.Operation) bool { return op.Outcome == model.Done && p.Claims(&op) }) {
			names = append(names, string(p))
		}
	}
	if len(h.Watchers) == 0 {
		return names
	}
	if len(h.Operations) == 0 {
		names = nil
	}
	for _, g := range model.WatchGuarantees() {
		names = append(names, string(g))
	}
	return names
}

// History judges one history. The error is that two checkers disagree.
//
// If no property is asked for by name, what nothing exercised counts only if nothing else
// was exercised either.
func History(h *model.History, o Options) (*Result, error) {
	names := o.Properties
	if len(names) == 0 {
		names = o.Defaults
	}
	if len(names) == 0 {
		names = defaults(h)
	}
	var ordered []linearizability.Property
	var guarantees []model.WatchGuarantee
	for _, name := range names {
		if g := model.WatchGuarantee(name); slices.Contains(model.WatchGuarantees(), g) {
			guarantees = append(guarantees, g)
		} else {
			ordered = append(ordered, linearizability.Property(name))
		}
	}
	judge := &recorded.Judge{}
	judge.Steps = o.Budget
	operations, err := judge.Check(h, ordered...)
	if err != nil {
		return nil, err
	}
	r := &Result{}
	for i := range operations {
		j := &operations[i]
		r.Judgements = append(r.Judgements, Judgement{
			Property: string(j.Property), Verdict: j.Verdict, Exercised: j.Exercised,
			By: j.By.String(), Reason: judge.Reason(j), Operations: j.Why,
		})
	}
	if len(guarantees) > 0 {
		r.Judgements = append(r.Judgements, judgeWatches(h, guarantees)...)
	}
	for i := range r.Judgements {
		v := r.Judgements[i].Verdict
		switch {
		case i == 0:
			r.Verdict = v
		case len(o.Properties) > 0:
			r.Verdict = model.Worst(r.Verdict, v)
		default:
			r.Verdict = r.Verdict.And(v)
		}
	}
	return r, nil
}
