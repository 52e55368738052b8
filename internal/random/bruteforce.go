package random

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/model"
)

// The properties that are not judged as linearizability is, by their names.
const sequential, linearizableData = "sequential", "linearizable-data"

// BruteForce tries every order of the operations on a store of its own, which
// shares nothing with the two judges nor with model.Store. It is the oracle for
// at most seven operations.
func BruteForce[Property ~string](h *model.History, of Property) bool {
	prop := string(of)
	var ops []*model.Operation
	for i := range h.Operations {
		op := &h.Operations[i]
		isWrite := op.Request.Kind == model.Put || op.Request.Kind == model.Delete || op.Request.Kind == model.Txn || op.Request.Kind == model.LeaseRevoke
		switch {
		case op.Outcome == model.Failed:
		case op.Outcome == model.Unknown && (!isWrite || op.Commit == -1):
		case isWrite:
			ops = append(ops, op)
		case prop == sequential && op.Request.Freshness != model.Exact:
			ops = append(ops, op)
		case prop != sequential && op.Request.Freshness == model.Consistent:
			ops = append(ops, op)
		}
	}
	first := naiveStore{revision: h.Initial.Revision, items: map[string]model.Item{}}
	for _, it := range h.Initial.Items {
		first.items[it.Key] = *it
	}
	return permute(ops, make([]bool, len(ops)), first, prop)
}

func permute(ops []*model.Operation, used []bool, s naiveStore, prop string) bool {
	finished := true
	for i, op := range ops {
		if used[i] {
			continue
		}
		// A write with unknown outcome may never happen.
		finished = finished && op.Outcome == model.Unknown && op.Commit == 0
		if !mayBeNext(ops, used, i, prop) {
			continue
		}
		after := s.copy()
		if !after.does(op, prop) {
			continue
		}
		used[i] = true
		if permute(ops, used, after, prop) {
			used[i] = false
			return true
		}
		used[i] = false
	}
	return finished
}

func mayBeNext(ops []*model.Operation, used []bool, i int, prop string) bool {
	for j, other := range ops {
		if used[j] || j == i || other.Outcome == model.Unknown {
			continue
		}
		if prop == sequential {
			if other.Client == ops[i].Client && other.Call < ops[i].Call {
				return false
			}
		} else if other.Return < ops[i].Call {
			return false
		}
	}
	return true
}

type naiveStore struct {
	revision int64
	items    map[string]model.Item
}

func (s naiveStore) copy() naiveStore {
	items := make(map[string]model.Item, len(s.items))
	for k, it := range s.items {
		items[k] = it
	}
	return naiveStore{s.revision, items}
}

// does carries out the operation and compares everything in the answer.
func (s *naiveStore) does(op *model.Operation, prop string) bool {
	before := s.revision
	got := s.carriesOut(op.Request, before+1)
	if got.changed {
		s.revision++
	}
	if op.Outcome == model.Unknown {
		return op.Commit == 0 || got.changed && s.revision == op.Commit
	}
	given := op.Result
	isRead := op.Request.Kind == model.Get || op.Request.Kind == model.List
	if given.Revision != 0 && given.Revision != s.revision && !(isRead && prop == linearizableData) {
		return false
	}
	return got.matches(op.Request, given)
}

// carriesOut leaves everything as it is if a put keeps what is not there.
func (s *naiveStore) carriesOut(r *model.Request, rev int64) naiveAnswer {
	old := s.copy()
	got := s.execute(r, rev, old.items)
	if got.refused {
		*s = old
		return naiveAnswer{refused: true}
	}
	return got
}

type naiveAnswer struct {
	changed bool
	refused bool
	found   []model.Item
	// previous are those that a write replaced or deleted, if it asked for them.
	previous  []model.Item
	deleted   int64
	succeeded bool
	nested    []naiveAnswer
}

func covers(r *model.Request, key string) bool {
	if r.End == "" || r.Kind == model.Get {
		return key == r.Key
	}
	return strings.Compare(key, r.Key) >= 0 && (r.End == "\x00" || strings.Compare(key, r.End) < 0)
}

// execute compares with the items before all of the request.
func (s *naiveStore) execute(r *model.Request, rev int64, old map[string]model.Item) naiveAnswer {
	var out naiveAnswer
	switch r.Kind {
	case model.Put:
		it := model.Item{Key: r.Key, Value: r.Value, CreateRevision: rev, ModRevision: rev, Version: 1, Lease: r.Lease}
		if now, ok := s.items[r.Key]; ok {
			if r.PrevKV {
				out.previous = append(out.previous, now)
			}
			it.CreateRevision = now.CreateRevision
			it.Version = now.Version + 1
			if r.IgnoreValue {
				it.Value = now.Value
			}
			if r.IgnoreLease {
				it.Lease = now.Lease
			}
		}
		if _, was := old[r.Key]; (r.IgnoreValue || r.IgnoreLease) && !was {
			out.refused = true
		}
		s.items[r.Key] = it
		out.changed = true
	case model.Delete:
		for k, now := range s.items {
			if covers(r, k) {
				if r.PrevKV {
					out.previous = append(out.previous, now)
				}
				delete(s.items, k)
				out.deleted++
				out.changed = true
			}
		}
		slices.SortFunc(out.previous, func(a, b model.Item) int { return strings.Compare(a.Key, b.Key) })
	case model.LeaseRevoke:
		for k, it := range s.items {
			if it.Lease == r.Lease {
				delete(s.items, k)
				out.changed = true
			}
		}
	case model.Get, model.List:
		for k, it := range s.items {
			if covers(r, k) {
				out.found = append(out.found, it)
			}
		}
		slices.SortFunc(out.found, func(a, b model.Item) int { return strings.Compare(a.Key, b.Key) })
	case model.Txn:
		out.succeeded = true
		for _, c := range r.Compare {
			it, there := old[c.Key]
			v, operand := it.ModRevision, c.Operand
			switch c.Target {
			case model.CompareVersion:
				v = it.Version
			case model.CompareCreate:
				v = it.CreateRevision
			case model.CompareLease:
				v = it.Lease
			case model.CompareValue:
				v, operand = int64(strings.Compare(it.Value, c.Value)), 0
			}
			holds := [...]bool{model.Equal: v == operand, model.NotEqual: v != operand, model.Greater: v > operand, model.Less: v < operand}
			out.succeeded = out.succeeded && holds[c.Op] && (there || c.Target != model.CompareValue)
		}
		branch := r.Failure
		if out.succeeded {
			branch = r.Success
		}
		for i := range branch {
			one := s.execute(&branch[i], rev, old)
			out.changed = out.changed || one.changed
			out.refused = out.refused || one.refused
			out.nested = append(out.nested, one)
		}
	}
	return out
}

func (a *naiveAnswer) matches(r *model.Request, given *model.Result) bool {
	if a.refused {
		return false
	}
	if r.Kind == model.Get || r.Kind == model.List {
		return a.matchesRead(r, given)
	}
	if !slices.EqualFunc(given.Prev, a.previous, sameItem) || given.Deleted != a.deleted || given.Succeeded != a.succeeded || len(given.Results) != len(a.nested) {
		return false
	}
	branch := r.Failure
	if a.succeeded {
		branch = r.Success
	}
	for i := range a.nested {
		if !a.nested[i].matches(&branch[i], &given.Results[i]) {
			return false
		}
	}
	return true
}

func (a *naiveAnswer) matchesRead(r *model.Request, given *model.Result) bool {
	all := int64(len(a.found))
	if r.CountOnly {
		return given.Count == all && given.Items == nil && !given.More
	}
	shown := a.found
	cut := r.Limit != 0 && all > r.Limit
	if cut {
		shown = shown[:r.Limit]
	}
	countRight := given.Count == all || cut && given.Count == r.Limit
	if given.More != cut || !countRight || len(given.Items) != len(shown) {
		return false
	}
	for i, want := range shown {
		if r.KeysOnly {
			want.Value = ""
		}
		if !sameItem(given.Items[i], want) {
			return false
		}
	}
	return true
}

func sameItem(got *model.Item, want model.Item) bool {
	if got.ModRevision == 0 {
		want.ModRevision = 0
	}
	if got.CreateRevision == 0 {
		want.CreateRevision = 0
	}
	if got.Version == 0 {
		want.Version = 0
	}
	if got.Lease == 0 && (want.ModRevision == 0 || want.CreateRevision == 0 || want.Version == 0) {
		want.Lease = 0
	}
	return *got == want
}
