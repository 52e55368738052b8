package random

import (
	"maps"
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
		after := naiveStore{s.revision, maps.Clone(s.items)}
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

// does carries out the operation and compares everything in the answer.
func (s *naiveStore) does(op *model.Operation, prop string) bool {
	old := maps.Clone(s.items)
	got, changed, refused := s.execute(op.Request, s.revision+1, old)
	switch {
	case refused:
		// It leaves everything as it is.
		s.items, changed = old, false
	case changed:
		s.revision++
	}
	if op.Outcome == model.Unknown {
		return op.Commit == 0 || changed && s.revision == op.Commit
	}
	isRead := op.Request.Kind == model.Get || op.Request.Kind == model.List
	if rev := op.Result.Revision; rev != 0 && rev != s.revision && !(isRead && prop == linearizableData) {
		return false
	}
	return !refused && matches(op.Request, &got, op.Result)
}

func covers(r *model.Request, key string) bool {
	if r.End == "" || r.Kind == model.Get {
		return key == r.Key
	}
	return strings.Compare(key, r.Key) >= 0 && (r.End == "\x00" || strings.Compare(key, r.End) < 0)
}

// covered are the items in the range of a request, by key.
func (s *naiveStore) covered(r *model.Request) (all []*model.Item) {
	for _, key := range slices.Sorted(maps.Keys(s.items)) {
		if it := s.items[key]; covers(r, key) {
			all = append(all, &it)
		}
	}
	return all
}

// execute compares with the items before all of the request. Of a read the answer has all items in the range.
func (s *naiveStore) execute(r *model.Request, rev int64, old map[string]model.Item) (out model.Result, changed, refused bool) {
	previous := func(items []*model.Item) {
		if r.PrevKV {
			out.Prev = items
		}
	}
	switch r.Kind {
	case model.Put:
		it := model.Item{Key: r.Key, Value: r.Value, CreateRevision: rev, ModRevision: rev, Version: 1, Lease: r.Lease}
		if now, ok := s.items[r.Key]; ok {
			previous([]*model.Item{&now})
			it.CreateRevision = now.CreateRevision
			it.Version = now.Version + 1
			if r.IgnoreValue {
				it.Value = now.Value
			}
			if r.IgnoreLease {
				it.Lease = now.Lease
			}
		}
		_, was := old[r.Key]
		s.items[r.Key] = it
		return out, true, (r.IgnoreValue || r.IgnoreLease) && !was
	case model.Delete:
		gone := s.covered(r)
		previous(gone)
		for _, it := range gone {
			delete(s.items, it.Key)
		}
		out.Deleted = int64(len(gone))
		return out, len(gone) > 0, false
	case model.LeaseRevoke:
		before := len(s.items)
		maps.DeleteFunc(s.items, func(_ string, it model.Item) bool { return it.Lease == r.Lease })
		return out, len(s.items) < before, false
	case model.Get, model.List:
		out.Items = s.covered(r)
	case model.Txn:
		out.Succeeded = true
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
			out.Succeeded = out.Succeeded && holds[c.Op] && (there || c.Target != model.CompareValue)
		}
		branch := branchOf(r, out.Succeeded)
		for i := range branch {
			one, did, no := s.execute(&branch[i], rev, old)
			changed, refused = changed || did, refused || no
			out.Results = append(out.Results, one)
		}
	}
	return out, changed, refused
}

func branchOf(r *model.Request, succeeded bool) []model.Request {
	if succeeded {
		return r.Success
	}
	return r.Failure
}

func matches(r *model.Request, got, given *model.Result) bool {
	if r.Kind == model.Get || r.Kind == model.List {
		return matchesRead(r, got.Items, given)
	}
	if !slices.EqualFunc(given.Prev, got.Prev, sameItem) || given.Deleted != got.Deleted || given.Succeeded != got.Succeeded || len(given.Results) != len(got.Results) {
		return false
	}
	branch := branchOf(r, got.Succeeded)
	for i := range got.Results {
		if !matches(&branch[i], &got.Results[i], &given.Results[i]) {
			return false
		}
	}
	return true
}

func matchesRead(r *model.Request, found []*model.Item, given *model.Result) bool {
	all := int64(len(found))
	if r.CountOnly {
		return given.Count == all && given.Items == nil && !given.More
	}
	cut := r.Limit != 0 && all > r.Limit
	if cut {
		found = found[:r.Limit]
	}
	countRight := given.Count == all || cut && given.Count == r.Limit
	return given.More == cut && countRight && slices.EqualFunc(given.Items, found, func(got, want *model.Item) bool {
		if r.KeysOnly {
			want.Value = ""
		}
		return sameItem(got, want)
	})
}

// sameItem compares what an item says that was answered.
func sameItem(got, stored *model.Item) bool {
	want := *stored
	if got.Lease == 0 && (got.ModRevision == 0 || got.CreateRevision == 0 || got.Version == 0) {
		want.Lease = 0
	}
	for _, n := range [...]struct{ got, want *int64 }{
		{&got.ModRevision, &want.ModRevision}, {&got.CreateRevision, &want.CreateRevision}, {&got.Version, &want.Version},
	} {
		if *n.got == 0 {
			*n.want = 0
		}
	}
	return *got == want
}
