// Package check (unstable) judges recorded histories: the operations with package linearizability,
// the watches with the guarantees of package model, as a simulation does. It says of each verdict
// that says nothing why.
//
// It must never import a node of the simulation: histories come from anywhere.
package check

import (
	"fmt"
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

// contradictions finds what a watch was sent, or was not, that no write which is not recorded can
// explain: the write of a revision is recorded, and did something else.
type contradictions struct {
	writes *recordedWrites
	at     model.WatchViolation
	found  []model.WatchJudgement
	// came has the events of one stream.
	came map[changed]bool
}

type changed struct {
	revision int64
	key      string
}

// contradict judges one watcher: the judgements are violations.
func (k *recordedWrites) contradict(w *model.Watcher) []model.WatchJudgement {
	c := &contradictions{writes: k, came: map[changed]bool{}}
	covered := int64(0)
	for i := range w.Streams {
		s := &w.Streams[i]
		clear(c.came)
		c.at = model.WatchViolation{Stream: i, Response: -1, Event: -1}
		if i > 0 && covered > 0 && !s.Listed {
			c.findLacking(s, covered+1, s.Request.StartRevision-1, 0, func(at *recordedWrite, change recordedChange) {
				c.violated(model.Resumable, at.revision, change.key, change.kind, "is in neither of two watches: one was sent everything up to revision %d, the next began at %d", covered, s.Request.StartRevision)
			})
		}
		c.stream(s)
		covered = s.Covers(covered)
	}
	return c.found
}

func (c *contradictions) stream(s *model.WatchStream) {
	start, marked, torn := s.Request.StartRevision, int64(0), int64(0)
	first, last := int64(0), int64(0)
	for i := range s.Responses {
		r := &s.Responses[i]
		c.at.Response, c.at.Event = i, -1
		if r.Created && start == 0 {
			start = r.Revision + 1
		}
		for n := range r.Events {
			e := &r.Events[n]
			c.at.Event = n
			c.happened(e)
			if s.Request.PrevKV && e.PrevItem != nil {
				c.previous(e)
			}
			c.came[changed{e.Revision, e.Item.Key}] = true
			if first == 0 || e.Revision < first {
				first = e.Revision
			}
			last, torn = max(last, e.Revision), 0
			if r.Fragment {
				torn = e.Revision
			}
		}
		c.at.Event = -1
		if r.Progress {
			if start > 0 {
				c.findLacking(s, max(start, marked+1), r.Revision, 0, func(at *recordedWrite, change recordedChange) {
					c.violated(model.Bookmarkable, at.revision, change.key, change.kind, "had not come before the bookmark at revision %d", r.Revision)
				})
			}
			marked = max(marked, r.Revision)
		}
	}
	c.at.Response = -1
	if start == 0 {
		start = first
	}
	if last == 0 {
		return
	}
	c.findLacking(s, start, last, torn, func(at *recordedWrite, change recordedChange) {
		g := model.Reliable
		if at.revision < first && s.Request.StartRevision > 0 {
			g = model.Resumable
		}
		c.violated(g, at.revision, change.key, change.kind, "is missing: the watch has reached revision %d", last)
	})
}

// happened holds an event against the write of its revision.
func (c *contradictions) happened(e *model.WatchEvent) {
	w := c.writes.of(e.Revision)
	switch {
	case w == nil:
	case e.Type == model.DeleteEvent:
		if !w.mayDelete(e.Item.Key) {
			c.violatedBy(model.Reliable, e, "never happened: the recorded write of that revision did not delete it")
		}
	case w.puts(e.Item.Key) == nil:
		c.violatedBy(model.Reliable, e, "never happened: the recorded write of that revision did not put it")
	case !w.mayHave(e.Item):
		c.violatedBy(model.Reliable, e, "was sent as %q, but the recorded write of that revision wrote %q", e.Item.Value, w.puts(e.Item.Key).Value)
	}
}

// previous holds the item before an event against the writes before it.
func (c *contradictions) previous(e *model.WatchEvent) {
	rev := e.PrevItem.ModRevision
	if rev == 0 {
		return
	}
	w := c.writes.of(rev)
	switch last := c.writes.lastBefore(e.Revision, e.Item.Key); {
	case rev >= e.Revision:
		c.violatedBy(model.PrevKV, e, "carries the item of revision %d as the previous one", rev)
	case w != nil && !w.mayHave(e.PrevItem):
		c.violatedBy(model.PrevKV, e, "carries %q of revision %d as the previous value, which the recorded write of that revision did not put", e.PrevItem.Value, rev)
	case rev < last:
		c.violatedBy(model.PrevKV, e, "carries the item of revision %d as the previous one, but a recorded write changed the key at revision %d", rev, last)
	}
}

// findLacking finds the changes that are certain, were asked for and did not come, up to a revision. The
// rest of a revision that is torn never came.
func (c *contradictions) findLacking(s *model.WatchStream, from, to, torn int64, found func(at *recordedWrite, change recordedChange)) {
	for i := c.writes.from(from); i < len(c.writes.writes) && c.writes.writes[i].revision <= to; i++ {
		w := &c.writes.writes[i]
		for _, change := range w.changes {
			if change.sure && w.revision != torn && s.Request.Wants(change.kind, change.key) && !c.came[changed{w.revision, change.key}] {
				found(w, change)
			}
		}
	}
}

// violatedBy keeps an event that violates a guarantee.
func (c *contradictions) violatedBy(g model.WatchGuarantee, e *model.WatchEvent, format string, args ...any) {
	c.violated(g, e.Revision, e.Item.Key, e.Type, format, args...)
}

// violated keeps a violation of a guarantee by what came, or did not, of a revision.
func (c *contradictions) violated(g model.WatchGuarantee, rev int64, key string, kind model.EventType, format string, args ...any) {
	v := c.at
	v.Revision, v.Key = rev, key
	v.Sentence = fmt.Sprintf("the %s of %q at revision %d ", kind, key, rev) + fmt.Sprintf(format, args...)
	c.found = append(c.found, model.WatchJudgement{Guarantee: g, Verdict: model.Violated, Why: &v})
}
