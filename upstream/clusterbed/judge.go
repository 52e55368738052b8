package clusterbed

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/check"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/workload"

	"github.com/watchbed/watchbed/upstream/clusternode"
	"github.com/watchbed/watchbed/upstream/stories"
)

// claimed are the properties of the history that runs can check. Serializable reads may be old, so that a client
// which asks several members may see time go back.
func (c *Config) claimed() []string {
	all := []string{string(linearizability.Linearizable)}
	for _, g := range []struct {
		model.WatchGuarantee
		checked bool
	}{
		{model.Ordered, true}, {model.Unique, true}, {model.Reliable, true}, {model.Resumable, true},
		{model.Atomic, c.Shares.Txn+c.Shares.Rewrite > 0}, {model.Bookmarkable, c.Progress > 0 || c.Member.ProgressMs > 0},
		{model.PrevKV, true}, {model.Filter, c.Shares.Txn > 0 || c.Auth},
	} {
		if g.checked && c.Watchers > 0 {
			all = append(all, string(g.WatchGuarantee))
		}
	}
	return all
}

// Judge implements explore.Subject.
func (s *subject) Judge(w *sim.World) []explore.Finding {
	h, after := s.history()
	s.findings = s.judged(s.findings[:0], h)
	if after != nil {
		for i, f := range s.judged(nil, after) {
			if was := &s.findings[i]; was.Verdict != model.Violated {
				f.Verdict, f.Exercised = f.Verdict.And(was.Verdict), f.Exercised+was.Exercised
				*was = f
			}
		}
	}
	add := func(claimed bool, judge func() explore.Finding) {
		if claimed {
			s.findings = append(s.findings, judge())
		}
	}
	c := &s.config
	add(c.Faults.RevisionBump > 0, func() explore.Finding { return restored(h, after, int64(c.Faults.RevisionBump)) })
	add(c.machines() > 1, s.agree)
	add(true, s.sameMembers)
	add(c.machines() > 1, s.oneLeader)
	add(c.watchesAlarms(), s.alarmsMeanWhatTheySay)
	add(c.Faults.none() && c.Warm, s.takes)
	add(c.Holders > 0, s.keeps)
	add(c.Observe > 0, s.honest)
	for _, judge := range []func() explore.Finding{s.permitted, s.granted, s.samePermissions} {
		add(c.Auth, judge)
	}
	add(true, func() explore.Finding { return s.recovers(w) })
	return s.findings
}

// judged are the findings of a history.
func (s *subject) judged(all []explore.Finding, h *model.History) []explore.Finding {
	r, err := check.History(h, check.Options{Properties: s.config.claimed()})
	if err != nil {
		// Two checkers disagree, so that neither can be trusted.
		panic(&explore.Disputed{Err: err, History: h})
	}
	for i := range r.Judgements {
		j := &r.Judgements[i]
		f := explore.Finding{Property: j.Property, Verdict: j.Verdict, Exercised: j.Exercised}
		switch {
		case j.Operations != nil:
			f.Why, f.Label, f.Exercised = inSeconds{s, h, j.Operations}, string(j.Operations.Anomaly), max(f.Exercised, 1)
		case j.Watch != nil:
			f.Why, f.Label = said(j.Watch.Sentence), "watch"
		}
		all = append(all, f)
	}
	return all
}

// said is an explanation.
type said string

func (s said) String() string { return string(s) }

// claim is the finding of a judge that counts for itself. The first violation is the one that is told.
type claim struct{ explore.Finding }

func claims(property string) *claim {
	return &claim{explore.Finding{Property: property, Verdict: model.Vacuous}}
}

// exercise notes that the claim was exercised so many times.
func (c *claim) exercise(times int) {
	if c.Exercised += times; times > 0 && c.Verdict == model.Vacuous {
		c.Verdict = model.Holds
	}
}

func (c *claim) violate(label, why string, args ...any) {
	if c.Verdict != model.Violated {
		c.Verdict, c.Label, c.Why = model.Violated, label, said(fmt.Sprintf(why, args...))
	}
}

// expect exercises the claim, which is violated if it is not ok.
func (c *claim) expect(ok bool, label, why string, args ...any) {
	if c.exercise(1); !ok {
		c.violate(label, why, args...)
	}
}

// inSeconds is an explanation with times of the virtual clock in the place of ticks of the history.
type inSeconds struct {
	s   *subject
	of  *model.History
	why *linearizability.Explanation
}

// String implements fmt.Stringer.
func (i inSeconds) String() string {
	times := map[int64]sim.Time{}
	note := func(operations []model.Operation, spans []workload.Span) {
		for k := range operations {
			times[operations[k].Call], times[operations[k].Return] = spans[k].Call, spans[k].Return
		}
	}
	for _, c := range slices.Concat(i.s.clients, i.s.readers) {
		note(c.Operations(), c.Spans())
	}
	note(i.s.auditor.operations, i.s.auditor.spans)
	return i.why.Say(func(op int) string {
		return linearizability.Name(i.of, op, func(tick int64) string { return stories.Seconds(times[tick]) })
	})
}

// history is what the clients and the auditor were answered, and what the watchers were sent. after is that since a
// copy was restored, nil if none was.
func (s *subject) history() (h, after *model.History) {
	// An empty etcd is at revision 1.
	h = &model.History{Initial: model.Initial{Revision: 1}}
	for _, c := range s.clients {
		h.Clients = append(h.Clients, c.Name())
		h.Operations = append(h.Operations, c.Operations()...)
	}
	for _, op := range s.auditor.operations {
		op.Client = len(s.clients)
		h.Operations = append(h.Operations, op)
	}
	h.Clients = append(h.Clients, auditorName)
	for _, c := range s.readers {
		h.Clients = append(h.Clients, c.Name())
		h.Operations = append(h.Operations, c.Operations()...)
	}
	slices.SortStableFunc(h.Operations, func(a, b model.Operation) int { return cmp.Compare(a.Call, b.Call) })
	newest := int64(0)
	for i := range h.Operations {
		if op := &h.Operations[i]; op.Outcome == model.Done {
			newest = max(newest, op.Result.Revision)
		}
	}
	whole := false
	for _, c := range s.watchers[:s.config.Watchers] {
		h.Watchers = append(h.Watchers, model.Watcher{Client: c.name, Streams: c.streams})
		whole = whole || !c.missed && !c.some && c.next > newest
	}
	var opened [][]int64
	for _, c := range s.watchers {
		opened = append(opened, c.opened)
	}
	for _, m := range s.members {
		for _, by := range m.Losses {
			whole = false
			opened = lose(h, opened, by)
		}
	}
	if after = s.afterRestore(h, opened); after != nil {
		settle(after, false)
	}
	settle(h, whole && after == nil)
	return h, after
}

// agree judges that all members have the same data at the same revision, and are at the same revision when they have
// applied the same entries.
func (s *subject) agree() explore.Finding {
	c := claims("members-agree")
	hashes, statuses := s.auditor.hashes, s.auditor.statuses
	for i := range hashes {
		for k := range i {
			if a, b := &hashes[k], &hashes[i]; a.Compacted == b.Compacted {
				c.expect(a.Hash == b.Hash, "hash", "at revision %d, compacted at %d, the hash of the data is %08x at %s and %08x at %s",
					a.Revision, a.Compacted, uint32(a.Hash), memberName(a.member), uint32(b.Hash), memberName(b.member))
			}
		}
	}
	for i := range statuses {
		for k := range i {
			if a, b := &statuses[k], &statuses[i]; a.Status.Applied == b.Status.Applied {
				c.expect(a.Revision == b.Revision, "revision", "with all entries up to index %d applied, %s is at revision %d and %s at revision %d",
					a.Status.Applied, memberName(a.member), a.Revision, memberName(b.member), b.Revision)
			}
		}
	}
	return c.Finding
}

// sameMembers judges that all members name the same members, behind all that the one that is asked knew to be decided.
func (s *subject) sameMembers() explore.Finding {
	c := claims("same-members")
	lists := s.auditor.lists
	for i := range lists {
		a, b := membersText(lists[0].Members), membersText(lists[i].Members)
		c.expect(a == b, "list", "the members are %s as %s has them, and %s as %s has them", a, memberName(lists[0].member), b, memberName(lists[i].member))
	}
	return c.Finding
}

func membersText(all []clusternode.Listed) string {
	var texts []string
	for _, m := range all {
		text := fmt.Sprintf("%x %s at %s", m.ID, m.Name, strings.Join(m.URLs, " and "))
		if m.Learner {
			text += " (learner)"
		}
		texts = append(texts, text)
	}
	slices.Sort(texts)
	return strings.Join(texts, ", ")
}

// oneLeader judges that a term has one leader at most.
func (s *subject) oneLeader() explore.Finding {
	c := claims("one-leader-a-term")
	led := map[uint64]int{}
	for i, m := range s.members {
		for _, term := range m.Led {
			other, taken := led[term]
			c.expect(!taken || other == i, "two", "%s and %s both led in term %d", memberName(other), memberName(i), term)
			led[term] = i
		}
	}
	return c.Finding
}

// takes judges that no member rejects what its leader appends, where nothing breaks: what goes on one stream comes in
// order.
func (s *subject) takes() explore.Finding {
	c := claims("appends-taken")
	for i, m := range s.members {
		c.expect(m.Rejected == 0, "rejected", "%s has rejected %d appends of its leader, and nothing broke", memberName(i), m.Rejected)
	}
	return c.Finding
}

// recovers judges that each member reads and writes again when nothing breaks any more.
func (s *subject) recovers(w *sim.World) explore.Finding {
	c := claims("recovers")
	switch {
	case s.lying() > (s.config.Members-1)/2:
		// A database was sent from a disk of which a bit has changed.
	case s.auditor.done():
		c.exercise(1)
	case w.Now() < sim.Time(s.config.For+s.config.Settle):
	case !s.operator.settled(w.Now()):
		c.expect(false, "change", "what the operator changes has not been changed %v after the last fault: %s", s.config.Settle, s.operator.state())
	default:
		member, _, p := s.auditor.question()
		states := make([]string, len(s.members))
		for i, m := range s.members {
			states[i] = memberName(i) + " " + state(m)
		}
		c.expect(false, "silent", "%s has not answered %q %v after the last fault; %s",
			w.NodeName(member), p.Label(), s.config.Settle, strings.Join(states, ", "))
	}
	return c.Finding
}

func state(m *clusternode.Node) string {
	if m.State == clusternode.Stopped {
		return "has stopped: " + m.Why
	}
	return [...]string{"has no process", "starts", "joins", "runs", "", "was not added"}[m.State]
}
