package story

import (
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/model"
)

// why says which client read what, what it should have been, and why.
func (r *Run) why() string {
	if again := r.repeated(); again.times > 0 {
		return r.sentence(again.String())
	}
	switch why := r.finding.Why.(type) {
	case nil:
		return ""
	case *linearizability.Explanation:
		if text := r.wrongAnswer(why); text != "" {
			return text
		}
		return r.sentence(why.Say(r.called))
	default:
		return r.sentence(why.String())
	}
}

// called names an operation by its client and its place in the story.
func (r *Run) called(op int) string {
	call, _ := r.operation(op)
	x := &r.History.Operations[op]
	what := fmt.Sprint(x.Request.Kind)
	if x.Request.Key != "" {
		what += where(x.Request.Key)
	}
	return fmt.Sprintf("%s's %s (%s)", r.History.Clients[x.Client], what, r.place(call))
}

// wrongAnswer is about one key of an answer. It is empty for other anomalies,
// which the explanation's own sentence says as well.
func (r *Run) wrongAnswer(e *linearizability.Explanation) string {
	if e.Operation < 0 || e.WriteRevision == 0 || e.Revision == 0 && e.Because < 0 || e.Anomaly != linearizability.Missing && (e.Anomaly != linearizability.Ghost || e.Want != nil) {
		return ""
	}
	h := r.History
	op := &h.Operations[e.Operation]
	var s strings.Builder
	what := asked(op.Request)
	// Then the history does not have what was really asked for.
	held := r.system.Params().Workload.AsConsistent
	if held {
		what = strings.TrimPrefix(what, "consistent ")
	}
	fmt.Fprintf(&s, "%s's %s (%s) is answered", h.Clients[op.Client], what, r.place(r.about.asked))
	if e.Revision > 0 {
		fmt.Fprintf(&s, " at revision %d", e.Revision)
	}
	switch {
	case e.Got == nil:
		fmt.Fprintf(&s, ", and %s is not in it. It should show %s=%s", e.Key, e.Key, e.Want.Value)
	case e.Want == nil:
		fmt.Fprintf(&s, " with %s=%s of revision %d. It should not show %s", e.Key, e.Got.Value, e.Got.ModRevision, e.Key)
	default:
		fmt.Fprintf(&s, " with %s=%s of revision %d. It should show %s=%s", e.Key, e.Got.Value, e.Got.ModRevision, e.Key, e.Want.Value)
	}
	verb := "written"
	if e.Want == nil {
		verb = "deleted"
	}
	fmt.Fprintf(&s, ", %s", verb)
	if e.Write >= 0 {
		fmt.Fprintf(&s, " by %s", h.Clients[h.Operations[e.Write].Client])
	}
	fmt.Fprintf(&s, " at revision %d: %s.", e.WriteRevision, r.reason(h, e))
	switch {
	case held:
		s.WriteString(" The scenario holds every read to what consistent ones promise, whatever it asked for.")
	case op.Request.Freshness == model.Any:
		s.WriteString(` A read with resourceVersion="0" asks for no freshness, so this is what it may get.`)
	}
	return s.String()
}

// reason is why the answer has to show it.
func (r *Run) reason(h *model.History, e *linearizability.Explanation) string {
	op := &h.Operations[e.Operation]
	client := h.Clients[op.Client]
	answered := func(i int) string {
		_, answer := r.operation(i)
		return r.place(answer)
	}
	switch {
	case e.Because >= 0 && h.Operations[e.Because].Client == op.Client && e.Because != e.Write:
		return fmt.Sprintf("%s had already been shown revision %d (%s)", client, e.Bound, answered(e.Because))
	case e.Because >= 0 && e.Because != e.Write:
		return fmt.Sprintf("%s had been shown revision %d (%s) before %s asked", h.Clients[h.Operations[e.Because].Client], e.Bound, answered(e.Because), client)
	case e.Write >= 0 && h.Operations[e.Write].Return < op.Call:
		return fmt.Sprintf("the write was acknowledged (%s) before %s asked", answered(e.Write), client)
	}
	return fmt.Sprintf("an answer at revision %d holds everything up to revision %d", e.Revision, e.Revision)
}

// place says when a step was.
func (r *Run) place(step int) string {
	switch {
	case step < 0:
		return "never"
	case r.Trace.Timed:
		return "at " + r.Trace.Steps[step].At.Sub(0).String()
	}
	return fmt.Sprintf("step %d", step+1)
}

// asked says what a read wants in the words of the API.
func asked(req *model.Request) string {
	what := "LIST" + where(req.Key)
	if req.Kind == model.Get {
		what = "GET of " + req.Key
	}
	switch req.Freshness {
	case model.Any:
		return what + ` with resourceVersion="0"`
	case model.NotOlderThan:
		return fmt.Sprintf("%s not older than %d", what, req.Revision)
	case model.Exact:
		return fmt.Sprintf("%s at revision %d", what, req.Revision)
	}
	return "consistent " + what
}

// where says which keys a request is about: a page behind the first begins after a key.
func where(key string) string {
	if after, page := strings.CutSuffix(key, "\x00"); page {
		return " after " + after
	}
	return " of " + key
}

// sentence gives a text a full stop, and a capital letter unless it begins with the
// name of a node.
func (r *Run) sentence(s string) string {
	if s == "" {
		return ""
	}
	if !slices.ContainsFunc(r.Trace.Nodes, func(name string) bool { return strings.HasPrefix(s, name) }) {
		s = strings.ToUpper(s[:1]) + s[1:]
	}
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}
