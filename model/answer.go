package model

import "slices"

// Answers are the results that a request may have had, if its answer, shown, names a revision:
// for a write, that it made the revision, and that it changed nothing there. There is
// none if etcd has no such answer. The log must reach to that revision.
func (l *Log) Answers(r *Request, shown *Result) []Result {
	rev := shown.Revision
	if !r.IsWrite() {
		at := rev
		if r.Freshness == Exact {
			at = r.Revision
		}
		if s := l.At(at); s != nil {
			res := s.read(r, shown)
			res.Revision = rev
			return []Result{res}
		}
		return nil
	}
	var all []Result
	for _, from := range [2]int64{rev - 1, rev} {
		s := l.At(from)
		if s == nil {
			continue
		}
		if res := s.Clone().apply(r, shown); res.Revision == rev {
			l.readPast(r, shown, &res)
			all = append(all, res)
		}
	}
	return all
}

// readPast answers the reads of a transaction that ask for the past, which a store does
// not know.
func (l *Log) readPast(r *Request, shown, res *Result) {
	branch := r.Branch(res.Succeeded)
	for i := range res.Results {
		if branch[i].Kind == Txn {
			l.readPast(&branch[i], shown.at(i), &res.Results[i])
		}
		if branch[i].Freshness != Exact {
			continue
		}
		res.Results[i] = Result{}
		if s := l.At(branch[i].Revision); s != nil {
			res.Results[i] = s.read(&branch[i], shown.at(i))
			res.Results[i].Revision = 0
		}
	}
}

// at is the result of an operation of a transaction, an empty one if there is none.
func (r *Result) at(i int) *Result {
	if i < len(r.Results) {
		return &r.Results[i]
	}
	return &Result{}
}

// Equal compares everything in two results.
func (r *Result) Equal(q *Result) bool {
	return r.Revision == q.Revision && r.Count == q.Count && r.More == q.More && r.Deleted == q.Deleted &&
		r.Succeeded == q.Succeeded && r.Err == q.Err && slices.EqualFunc(r.Items, q.Items, equalItems) &&
		slices.EqualFunc(r.Prev, q.Prev, equalItems) &&
		slices.EqualFunc(r.Results, q.Results, func(a, b Result) bool { return a.Equal(&b) })
}

func equalItems(a, b *Item) bool { return *a == *b }
