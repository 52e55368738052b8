package recorded

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/linearizability/items"
	"github.com/watchbed/watchbed/model"
)

// maxReplayed bounds a search, in writes that were replayed.
const maxReplayed = 4_000_000

// fates is a search for the writes that made the revisions which no write is known to have
// made. It goes from revision to revision, and back where an answer that names its
// revision turns out wrong.
type fates struct {
	*settling
	// points are the answers that name their revision and changed nothing, in the order of these.
	points   []*model.Operation
	chosen   []choice
	used     map[int]bool
	arena    items.Arena
	scratch  []*model.Item
	replayed int
}

type choice struct {
	write    int
	revision int64
}

// search settles all gaps, or none.
func (s *settling) search() {
	if s.gaps() > int64(len(s.lost)) {
		return
	}
	f := &fates{settling: s, used: map[int]bool{}}
	for i := range f.history.Operations {
		op := &f.history.Operations[i]
		if op.Outcome == model.Done && linearizability.Linearizable.Claims(op) && op.Result.Revision != 0 && !(op.Request.IsWrite() && op.Request.Changed(op.Result)) {
			f.points = append(f.points, op)
		}
	}
	slices.SortStableFunc(f.points, func(a, b *model.Operation) int { return cmp.Compare(a.Result.Revision, b.Result.Revision) })
	start := items.Contents{Arena: &f.arena, Persistent: true}
	start.Reset(s.history.Initial.Items, new(items.Bases).Of(s.history.Initial.Items))
	if f.from(start, s.history.Initial.Revision, f.points) {
		for _, c := range f.chosen {
			s.settle(c.write, c.revision)
		}
	}
}

// from finds writes for all gaps behind a revision, at which the store is as given.
func (f *fates) from(c items.Contents, rev int64, points []*model.Operation) bool {
	for ; ; rev++ {
		var right bool
		if points, right = f.observe(&c, rev, points); !right {
			return false
		}
		if rev == f.newest {
			return true
		}
		i, made := f.made[rev+1]
		if !made {
			return f.choose(&c, rev+1, points)
		}
		if !f.apply(&c, i, rev+1) {
			return false
		}
	}
}

// choose tries the writes that are left at a gap, those that were called first before the
// others: the order in which they most likely happened.
func (f *fates) choose(c *items.Contents, rev int64, points []*model.Operation) bool {
	for _, i := range f.lost {
		if f.used[i] || !f.mayMake(i, rev) {
			continue
		}
		after := c.Clone()
		if !f.apply(&after, i, rev) {
			continue
		}
		f.used[i] = true
		f.chosen = append(f.chosen, choice{i, rev})
		if f.from(after, rev, points) {
			return true
		}
		f.chosen = f.chosen[:len(f.chosen)-1]
		f.used[i] = false
	}
	return false
}

// apply replays a write, and reports whether it changed something and was answered so.
func (f *fates) apply(c *items.Contents, i int, rev int64) bool {
	f.replayed++
	op := &f.history.Operations[i]
	answer := op.Result
	if op.Outcome == model.Unknown {
		answer = nil
	}
	changed, right := c.Apply(op.Request, answer, rev, &f.scratch)
	return changed && right && f.replayed <= maxReplayed
}

// observe holds the store against the answers that name its revision, and returns those
// that name later ones.
func (f *fates) observe(c *items.Contents, rev int64, points []*model.Operation) ([]*model.Operation, bool) {
	for ; len(points) > 0 && points[0].Result.Revision <= rev; points = points[1:] {
		answers := c.Answers
		if points[0].Request.IsWrite() {
			answers = c.Idle
		}
		if !answers(points[0].Request, points[0].Result, &f.scratch) {
			return nil, false
		}
	}
	return points, true
}

// spans are the revisions from which to which each operation may have happened in real time,
// by the revisions of those that had returned before it, and of those that were called after
// it. An operation that had to wait for one without a revision is not counted: the spans may
// be too wide, and never too narrow.
type spans struct {
	// returned are in the order of their returns, called in the order of their calls. Each has
	// the highest revision up to it, or the lowest from it on.
	returned, called []moment
}

type moment struct{ at, revision int64 }

func newSpans(h *model.History, p property, readsAtRevision bool) *spans {
	s := &spans{}
	for i := range h.Operations {
		op := &h.Operations[i]
		if !p.Claims(op) {
			continue
		}
		switch {
		case op.Outcome == model.Unknown:
			if op.Commit > 0 {
				s.called = append(s.called, moment{op.Call, op.Commit - 1})
			}
		case op.Result.Revision == 0:
		case op.Request.IsWrite() && op.Request.Changed(op.Result):
			s.returned = append(s.returned, moment{op.Return, op.Result.Revision})
			s.called = append(s.called, moment{op.Call, op.Result.Revision - 1})
		case op.Request.IsWrite() || readsAtRevision:
			s.returned = append(s.returned, moment{op.Return, op.Result.Revision})
			s.called = append(s.called, moment{op.Call, op.Result.Revision})
		}
	}
	byTime := func(a, b moment) int { return cmp.Compare(a.at, b.at) }
	slices.SortFunc(s.returned, byTime)
	slices.SortFunc(s.called, byTime)
	for i := 1; i < len(s.returned); i++ {
		s.returned[i].revision = max(s.returned[i].revision, s.returned[i-1].revision)
	}
	for i := len(s.called) - 2; i >= 0; i-- {
		s.called[i].revision = min(s.called[i].revision, s.called[i+1].revision)
	}
	return s
}

// of is the span of an operation. It has no end if none was called after it.
func (s *spans) of(op *model.Operation) (from, to int64) {
	if n := sort.Search(len(s.returned), func(i int) bool { return s.returned[i].at >= op.Call }); n > 0 {
		from = s.returned[n-1].revision
	}
	to = math.MaxInt64
	if n := sort.Search(len(s.called), func(i int) bool { return s.called[i].at > op.Return }); n < len(s.called) {
		to = s.called[n].revision
	}
	return from, to
}

// Reason says in one line why a judgement of the last Check is unknown or vacuous: which
// operation is to blame, what was missing or which budget ran out, and what to do. It is
// empty for other verdicts.
func (j *Judge) Reason(out *linearizability.Judgement) string {
	switch out.Verdict {
	case model.Vacuous:
		if len(j.History().Operations) == 0 {
			return "the history has no operations"
		}
		return idle[out.Property]
	case model.VerdictUnknown:
		return j.unknown(out)
	}
	return ""
}

// idle says of each property what did not happen.
var idle = map[linearizability.Property]string{
	linearizability.Linearizable:     "no consistent read, and no transaction that compares, was called after a write had returned: nothing bound any answer",
	linearizability.LinearizableData: "no consistent read, and no transaction that compares, was called after a write had returned: nothing bound any answer",
	linearizability.Sequential:       "no client read or compared after a write that it had made or seen: nothing bound any answer",
	linearizability.Monotonic:        "no client read twice",
	linearizability.ReadYourWrites:   "no client read after a write of its own that was answered",
	linearizability.NotOlderThan:     `no read asked for "not-older-than" a revision`,
	linearizability.Exact:            `no read asked for "exact" a revision`,
	linearizability.Pages:            "no list went on where a page before it had ended",
}

func (j *Judge) unknown(out *linearizability.Judgement) string {
	h := j.History()
	if h == nil {
		return j.beyond
	}
	silent, lost, expired := -1, -1, -1
	others := 0
	for i := range h.Operations {
		op := &h.Operations[i]
		switch {
		case !op.Request.IsWrite():
		case op.Outcome == model.Done && op.Result.Revision == 0 && (op.Request.Changed(op.Result) || op.Request.Kind == model.LeaseRevoke):
			if silent < 0 {
				silent = i
			} else {
				others++
			}
		case op.Outcome != model.Unknown || op.Commit != 0:
		case items.IsExpiry(h, op):
			expired = i
		case lost < 0:
			lost = i
		}
	}
	if h.Partial && silent < 0 && !out.Spent {
		return "no recorded write explains " + j.Name(out.Stuck) + ", and one that is not recorded may: record all writers, or the revisions of answers"
	}
	var s strings.Builder
	do := `record the revision of every write, or "commit" where it becomes known later`
	switch {
	case silent >= 0:
		fmt.Fprintf(&s, "%s changed the store, and its answer has no revision", j.Name(silent))
		switch {
		case others == 1:
			s.WriteString(" (nor has 1 other answer)")
		case others > 1:
			fmt.Fprintf(&s, " (nor have %d other answers)", others)
		}
	case lost >= 0:
		fmt.Fprintf(&s, "what became of %s is not known, and answers depend on it", j.Name(lost))
	case expired >= 0:
		fmt.Fprintf(&s, "whether lease %d has expired is not known, and answers depend on it", h.Operations[expired].Request.Lease)
		do = "record a watch of its keys, or the revisions of lists and of the items in answers"
	default:
		s.WriteString("an answer without revision fits too many revisions to look at each")
		do = "record the revisions of lists, and of the items in answers"
	}
	switch {
	case !out.Property.IsOrder():
		fmt.Fprintf(&s, "; %s is judged by revisions alone", out.Property)
	case out.Steps > 0:
		fmt.Fprintf(&s, "; porcupine gave up after %d steps", out.Steps)
		do += fmt.Sprintf(", or give porcupine ten times as many (--budget %d), which takes up to %s", 10*out.Steps, j.Memory(10*out.Steps, out.Property))
	case h.Partial:
		s.WriteString("; porcupine does not judge histories of which writers are not recorded")
	default:
		fmt.Fprintf(&s, "; with %d operations the history is too large for porcupine", len(h.Operations))
	}
	return s.String() + ": " + do
}

// beyond says what is in a history that no judge here can judge, in a clause with what to
// do; empty if nothing is. A verdict that leaves it out could be wrong either way.
func beyond(h *model.History) string {
	for i := range h.Operations {
		switch r := h.Operations[i].Request; {
		case h.Partial && r.Kind == model.LeaseRevoke:
			return "a lease was revoked, and writes that are not recorded may have put keys on it: record all writers"
		case h.Partial && keeps(r):
			return "a put keeps the value or the lease of its key, which a write that is not recorded may have made: record all writers"
		case h.Partial && h.Operations[i].Outcome == model.Done && asksBehind(r, h.Operations[i].Result, new(bool)):
			return "a transaction asks for a previous value behind another change of its own, and what was before that may not be recorded: record all writers"
		}
	}
	return ""
}

// asksBehind reports whether an answered request asks for a previous value behind a change.
func asksBehind(r *model.Request, res *model.Result, changed *bool) bool {
	if r.Kind == model.Put || r.Kind == model.Delete {
		behind := *changed && r.PrevKV
		*changed = true
		return behind
	}
	branch := r.Branch(res.Succeeded)
	for i := range res.Results {
		if asksBehind(&branch[i], &res.Results[i], changed) {
			return true
		}
	}
	return false
}

// keeps reports whether a put of a request keeps something of the item before it.
func keeps(r *model.Request) bool {
	return items.Any(r, func(r *model.Request) bool { return r.IgnoreValue || r.IgnoreLease })
}
