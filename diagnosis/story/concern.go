package story

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/diagnosis/trace"
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// concern is what a violation is about, found again in the trace.
type concern struct {
	// clients are those that it is about; nil is all of them.
	clients map[string]bool
	// ends are the steps at which it came to light. What led to them is the
	// story.
	ends []int
	// revision is that of what is not shown, key the one where the answer is
	// wrong; both are empty if that is not what is wrong.
	revision, key string
	// wrong is the step at which the wrong answer arrived, missed the one that
	// made what it does not show; -1 is none.
	wrong, missed int
}

// concernOf finds out what the finding of a replayed run is about. History must
// be that of the same run.
func concernOf(t *Run, why fmt.Stringer) concern {
	h := t.History
	c := concern{wrong: -1, missed: -1}
	switch e := why.(type) {
	case *linearizability.Explanation:
		c.read(t, h, e)
	case *model.WatchViolation:
		c.watch(t, e)
	case nil:
	default:
		c.sentence(t, h, e.String())
	}
	if len(c.ends) == 0 && len(t.Trace.Steps) > 0 {
		c.ends = []int{len(t.Trace.Steps) - 1}
	}
	return c
}

// read: an answer to a client is wrong.
func (c *concern) read(t *Run, h *model.History, e *linearizability.Explanation) {
	c.clients = map[string]bool{}
	for _, op := range []int{e.Operation, e.Because, e.Write} {
		if op < 0 {
			continue
		}
		c.clients[h.Clients[h.Operations[op].Client]] = true
		call, answer := t.operation(h, op)
		c.end(call)
		c.end(answer)
		if op == e.Operation {
			c.wrong = answer
			if c.key = e.Key; c.key == "" && h.Operations[op].Request.IsWrite() {
				c.key = h.Operations[op].Request.Key
			}
		}
	}
	if len(c.clients) == 0 {
		c.clients = nil
	}
	if e.WriteRevision > 0 {
		c.miss(t, e.WriteRevision)
	}
}

// watch: what came on a watch is wrong.
func (c *concern) watch(t *Run, v *model.WatchViolation) {
	c.miss(t, v.Revision)
	c.key = v.Key
	c.wrong = t.shows
	c.end(c.wrong)
}

var (
	namedRevision = regexp.MustCompile(`(?:revision|RV) (\d+)`)
	namedTime     = regexp.MustCompile(` at (\S+) `)
)

// sentence: all there is to go by is a sentence, which begins with the name of a
// client or cache.
func (c *concern) sentence(t *Run, h *model.History, text string) {
	name := strings.FieldsFunc(text, func(r rune) bool { return r == '\'' || r == ' ' })[0]
	var revisions []string
	for _, m := range namedRevision.FindAllStringSubmatch(text, -1) {
		revisions = append(revisions, m[1])
	}
	if i := slices.Index(h.Clients, name); i >= 0 {
		c.clients = map[string]bool{name: true}
		at := namedTime.FindStringSubmatch(text)
		for op := range h.Operations {
			if h.Operations[op].Client != i {
				continue
			}
			call, answer := t.operation(h, op)
			if call >= 0 && at != nil && t.Trace.Steps[call].At.Sub(0).String() == at[1] {
				c.end(call)
				c.end(answer)
				c.wrong = answer
				break
			}
		}
		return
	}
	c.wrong = t.shows
	c.end(c.wrong)
	if len(revisions) > 1 {
		rev, _ := strconv.ParseInt(revisions[len(revisions)-1], 10, 64)
		c.miss(t, rev)
	}
}

// miss: what etcd made at a revision is not shown.
func (c *concern) miss(t *Run, rev int64) {
	c.revision, c.missed = itoa(rev), t.applied(rev)
	c.end(c.missed)
}

// names reports whether somebody speaks of the revision that is not shown, or
// etcd of a write to the key.
func (c *concern) names(note string) bool {
	if strings.Contains(note, ": nothing changes,") {
		return false
	}
	return c.revision != "" && mentions(note, c.revision) ||
		c.key != "" && strings.HasPrefix(note, "applies ") && strings.Contains(note, c.key)
}

func (c *concern) end(step int) {
	if step >= 0 {
		c.ends = append(c.ends, step)
	}
}

// operation finds the steps at which a client began an operation and heard of
// its outcome; -1 is never.
func (t *Run) operation(h *model.History, op int) (call, answer int) {
	n, ok := t.Trace.Node(h.Clients[h.Operations[op].Client])
	if !ok {
		return -1, -1
	}
	nth := 0
	for i := range op {
		if h.Operations[i].Client == h.Operations[op].Client {
			nth++
		}
	}
	call, answer = -1, -1
	for i := range t.Trace.Steps {
		s := &t.Trace.Steps[i]
		switch {
		case s.Node != n || len(s.Notes) == 0:
		case s.Kind == sim.Fire && nth == 0:
			call, nth = i, -1
		case s.Kind == sim.Fire:
			nth--
		case call >= 0 && answer < 0:
			answer = i
		}
	}
	return call, answer
}

// applied finds the step at which etcd made a revision, -1 if it never did.
func (t *Run) applied(rev int64) int {
	suffix := ": revision " + itoa(rev)
	for i := range t.Trace.Steps {
		for _, n := range t.Trace.Steps[i].Notes {
			if strings.HasPrefix(n.Text, "applies ") && strings.HasSuffix(n.Text, suffix) {
				return i
			}
		}
	}
	return -1
}

// says reports whether a node says something in this step.
func says(s *trace.Step, n sim.NodeID, what func(string) bool) bool {
	for _, x := range s.Notes {
		if x.Node == n && what(x.Text) {
			return true
		}
	}
	return false
}

// changesCache: a cache says that its resourceVersion or its contents change.
func changesCache(note string) bool {
	for _, begins := range []string{"has listed ", "takes in ", "takes progress "} {
		if strings.HasPrefix(note, begins) {
			return true
		}
	}
	return false
}

// mentions looks for a number that stands by itself.
func mentions(text, number string) bool {
	return slices.Contains(strings.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' }), number)
}
