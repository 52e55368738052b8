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

// byItself holds what a watcher was sent against itself: the revisions and the version of an item, and the item before
// it. The judgements are violations. Events that were not asked for may lie between two that came.
func byItself(w *model.Watcher) []model.WatchJudgement {
	c := &contradictions{}
	for i := range w.Streams {
		last := map[string]*model.WatchEvent{}
		for n := range w.Streams[i].Responses {
			events := w.Streams[i].Responses[n].Events
			for k := range events {
				e := &events[k]
				c.at = model.WatchViolation{Stream: i, Response: n, Event: k}
				before := last[e.Item.Key]
				if before != nil && before.Revision >= e.Revision {
					before = nil
				}
				if e.Type == model.PutEvent && hasNumbers(e.Item) {
					c.numbers(e, before)
				}
				if e.PrevItem != nil {
					c.before(e, before)
				}
				last[e.Item.Key] = e
			}
		}
	}
	return c.found
}

// hasNumbers: Kubernetes does not send them.
func hasNumbers(it *model.Item) bool { return it.CreateRevision > 0 && it.Version > 0 }

// numbers judges the create revision and the version of an item. A revision puts a key once.
func (c *contradictions) numbers(e, before *model.WatchEvent) {
	it := e.Item
	switch {
	case (it.CreateRevision == it.ModRevision) != (it.Version == 1), it.Version > it.ModRevision-it.CreateRevision+1:
		c.violatedBy(model.Reliable, e, "has version %d, but the key was created at revision %d", it.Version, it.CreateRevision)
		return
	case before == nil:
		return
	}
	was := before.Item
	switch {
	case before.Type == model.PutEvent && was.CreateRevision == it.CreateRevision:
		if was.Version > 0 && (it.Version <= was.Version || it.Version-was.Version > it.ModRevision-was.ModRevision) {
			c.violatedBy(model.Reliable, e, "has version %d, and the one at revision %d had version %d", it.Version, before.Revision, was.Version)
		}
	case it.CreateRevision < before.Revision && (before.Type == model.DeleteEvent || was.CreateRevision > 0):
		c.violatedBy(model.Reliable, e, "says that the key was created at revision %d, but the %s at revision %d says otherwise", it.CreateRevision, before.Type, before.Revision)
	}
}

// before judges the item before an event by that, and by the event of the key before it.
func (c *contradictions) before(e, before *model.WatchEvent) {
	it, prev := e.Item, e.PrevItem
	switch {
	case prev.Key != it.Key:
		c.violatedBy(model.PrevKV, e, "carries an item of %q as the previous one", prev.Key)
	case e.Type == model.PutEvent && hasNumbers(it) && hasNumbers(prev) && (prev.CreateRevision != it.CreateRevision || prev.Version+1 != it.Version):
		c.violatedBy(model.PrevKV, e, "has version %d of the key created at revision %d, and carries version %d of that created at %d as the previous one",
			it.Version, it.CreateRevision, prev.Version, prev.CreateRevision)
	case before == nil:
	case prev.ModRevision < before.Revision:
		c.violatedBy(model.PrevKV, e, "carries the item of revision %d as the previous one, but the %s at revision %d came before it", prev.ModRevision, before.Type, before.Revision)
	case before.Type == model.PutEvent && prev.ModRevision == before.Revision && *prev != *before.Item:
		c.violatedBy(model.PrevKV, e, "carries %q of revision %d as the previous value (create %d, version %d), which was sent as %q (create %d, version %d)",
			prev.Value, prev.ModRevision, prev.CreateRevision, prev.Version, before.Item.Value, before.Item.CreateRevision, before.Item.Version)
	}
}
