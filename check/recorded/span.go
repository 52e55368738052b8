package recorded

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/watchbed/watchbed/model"
)

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
