package random

import (
	"slices"

	"github.com/watchbed/watchbed/linearizability/items"
	"github.com/watchbed/watchbed/model"
)

// Mutated is a random history and the name of what was changed in it, empty for a tenth of them. About half of the
// mutations make no violation.
func Mutated(d Dice, operations int) (*model.History, string) {
	h := Simulate(d, operations).History
	if d(10) == 0 {
		return h, ""
	}
	for range 4 {
		if name, changed := Mutate(d, h); changed {
			return h, name
		}
	}
	return h, ""
}

// Mutate changes one thing about a history, if that is there to be changed.
func Mutate(d Dice, h *model.History) (name string, changed bool) {
	m := mutations[d(len(mutations))]
	op := pick(d, h, m.fits)
	return m.name, op != nil && m.change(d, h, op)
}

// Mutations are the names of what Mutate may change.
func Mutations() (names []string) {
	for _, m := range mutations {
		names = append(names, m.name)
	}
	return names
}

// mutations are each what a kind of bug would change about an operation. They report whether there was anything to
// change.
var mutations = []struct {
	name   string
	fits   func(*model.Operation) bool
	change func(Dice, *model.History, *model.Operation) bool
}{
	{"stale read", isAnsweredRead, func(d Dice, h *model.History, op *model.Operation) bool { return makeStale(d, h, op, false) }},
	{"stale data at the right revision", isAnsweredRead, func(d Dice, h *model.History, op *model.Operation) bool { return makeStale(d, h, op, true) }},
	{"ghost", isAnsweredRead, always(func(_ Dice, op *model.Operation) {
		op.Result.Items = append(slices.Clip(op.Result.Items), &model.Item{Key: "g", Value: "x", CreateRevision: 2, ModRevision: 2, Version: 1})
		op.Result.Count++
	})},
	{"missing item", isAnsweredRead, always(func(_ Dice, op *model.Operation) {
		if n := len(op.Result.Items); n > 0 {
			op.Result.Items = op.Result.Items[:n-1]
			op.Result.Count--
		}
	})},
	{"wrong value", showsItems, anItem(func(_ Dice, it *model.Item) { it.Value += "!" })},
	{"wrong mod revision", showsItems, anItem(func(d Dice, it *model.Item) { it.ModRevision += upOrDown(d) })},
	{"wrong version", showsItems, anItem(func(_ Dice, it *model.Item) { it.Version++ })},
	{"wrong lease", showsItems, anItem(func(d Dice, it *model.Item) { it.Lease = (it.Lease + 1 + int64(d(2))) % 3 })},
	{"revocation of another lease", func(op *model.Operation) bool { return op.Request.Kind == model.LeaseRevoke }, always(func(_ Dice, op *model.Operation) {
		op.Request = &model.Request{Kind: model.LeaseRevoke, Lease: 3 - op.Request.Lease}
	})},
	{"wrong count", isAnsweredRead, always(func(_ Dice, op *model.Operation) { op.Result.Count++ })},
	{"wrong more", isAnsweredRead, always(func(_ Dice, op *model.Operation) { op.Result.More = !op.Result.More })},
	{"wrong list revision", isAnsweredRead, always(func(d Dice, op *model.Operation) {
		if op.Result.Revision > 0 {
			op.Result.Revision += upOrDown(d)
		}
	})},
	{"duplicate revision", IsEffective, two(IsEffective, func(a, b *model.Operation) { a.Result.Revision = b.Result.Revision })},
	{"revisions in the wrong order", IsEffective, two(IsEffective, func(a, b *model.Operation) {
		a.Result.Revision, b.Result.Revision = b.Result.Revision, a.Result.Revision
	})},
	{"wrong write revision", func(op *model.Operation) bool { return isDone(op) && op.Request.IsWrite() && op.Result.Revision > 1 },
		always(func(d Dice, op *model.Operation) { op.Result.Revision += upOrDown(d) })},
	{"wrong no-op flag", func(op *model.Operation) bool { return isDone(op) && op.Request.Kind == model.Delete },
		always(func(_ Dice, op *model.Operation) { op.Result.Deleted = 1 - min(1, op.Result.Deleted) })},
	{"wrong number of deletions", func(op *model.Operation) bool { return IsEffective(op) && op.Request.Kind == model.Delete },
		always(func(_ Dice, op *model.Operation) { op.Result.Deleted++ })},
	{"wrong previous item", func(op *model.Operation) bool { return isDone(op) && len(op.Result.Prev) > 0 }, always(func(d Dice, op *model.Operation) {
		it := *op.Result.Prev[0]
		switch d(5) {
		case 0:
			it.Key += "!"
		case 1:
			it.Value += "!"
		case 2:
			it.ModRevision++
		case 3:
			it.Version++
		}
		op.Result.Prev = append([]*model.Item{&it}, op.Result.Prev[1:]...)
		if it == *op.Result.Prev[0] && d(2) == 0 {
			op.Result.Prev = op.Result.Prev[1:]
		}
	})},
	{"wrong success flag", func(op *model.Operation) bool { return isDone(op) && op.Request.Kind == model.Txn },
		always(func(_ Dice, op *model.Operation) {
			*op.Result = blank(op.Request, !op.Result.Succeeded, op.Result.Revision)
		})},
	{"wrong success flag of an inner transaction", func(op *model.Operation) bool { return isDone(op) && within(op.Request, op.Result) >= 0 },
		always(func(_ Dice, op *model.Operation) {
			i := within(op.Request, op.Result)
			inner := &op.Request.Branch(op.Result.Succeeded)[i]
			op.Result.Results[i] = blank(inner, !op.Result.Results[i].Succeeded, 0)
		})},
	{"lost write", IsEffective, always(func(_ Dice, op *model.Operation) {
		op.Outcome, op.Result = model.Failed, &model.Result{Err: model.Unavailable}
	})},
	{"real time swapped", isDone, two(isDone, func(a, b *model.Operation) {
		a.Client, b.Client = b.Client, a.Client
		a.Request, b.Request = b.Request, a.Request
		a.Result, b.Result = b.Result, a.Result
	})},
	{"ground truth elsewhere", func(op *model.Operation) bool { return op.Outcome == model.Unknown && op.Commit != 0 },
		func(_ Dice, h *model.History, op *model.Operation) bool {
			if op.Commit++; op.Commit == 0 {
				op.Commit = h.Initial.Revision + 1
			}
			return true
		}},
}

func always(change func(Dice, *model.Operation)) func(Dice, *model.History, *model.Operation) bool {
	return func(d Dice, _ *model.History, op *model.Operation) bool {
		change(d, op)
		return true
	}
}

// two changes an operation and another one.
func two(fits func(*model.Operation) bool, change func(a, b *model.Operation)) func(Dice, *model.History, *model.Operation) bool {
	return func(d Dice, h *model.History, a *model.Operation) bool {
		b := pick(d, h, fits)
		if a == b {
			return false
		}
		change(a, b)
		return true
	}
}

// anItem changes an item that a read shows.
func anItem(change func(Dice, *model.Item)) func(Dice, *model.History, *model.Operation) bool {
	return always(func(d Dice, op *model.Operation) {
		op.Result.Items = slices.Clone(op.Result.Items)
		i := d(len(op.Result.Items))
		it := *op.Result.Items[i]
		change(d, &it)
		op.Result.Items[i] = &it
	})
}

// makeStale answers a read as it would have been some revisions ago.
func makeStale(d Dice, h *model.History, op *model.Operation, revisionRight bool) bool {
	write := pick(d, h, IsEffective)
	if write == nil {
		return false
	}
	log := model.NewLog(h.Initial)
	for rev := log.Revision() + 1; rev < write.Result.Revision; rev++ {
		i := slices.IndexFunc(h.Operations, func(op model.Operation) bool {
			return IsEffective(&op) && op.Result.Revision == rev || op.Outcome == model.Unknown && op.Commit == rev
		})
		if i < 0 {
			return false
		}
		items.GrantNamed(log, h.Operations[i].Request)
		log.Append(h.Operations[i].Request)
	}
	stale := log.At(log.Revision()).Read(op.Request)
	if revisionRight || op.Result.Revision == 0 {
		stale.Revision = op.Result.Revision
	}
	*op.Result = stale
	return true
}

// blank is an answer that says of a transaction no more than whether it succeeds.
func blank(r *model.Request, succeeds bool, revision int64) model.Result {
	res := model.Result{Succeeded: succeeds, Revision: revision}
	if r.Kind == model.Txn {
		for i := range r.Branch(succeeds) {
			res.Results = append(res.Results, blank(&r.Branch(succeeds)[i], false, 0))
		}
	}
	return res
}

// within is the place of a transaction in the branch that a request took, -1 if it has none.
func within(r *model.Request, res *model.Result) int {
	return slices.IndexFunc(r.Branch(res.Succeeded), func(op model.Request) bool { return op.Kind == model.Txn })
}

// IsEffective reports whether a write was answered and changed something.
func IsEffective(op *model.Operation) bool {
	return isDone(op) && op.Request.IsWrite() && op.Request.Changed(op.Result)
}

func isDone(op *model.Operation) bool { return op.Outcome == model.Done }

func isAnsweredRead(op *model.Operation) bool { return isDone(op) && !op.Request.IsWrite() }

func showsItems(op *model.Operation) bool { return isAnsweredRead(op) && len(op.Result.Items) > 0 }

func upOrDown(d Dice) int64 { return int64(1 - 2*d(2)) }

// pick is one of the operations, nil if none fits.
func pick(d Dice, h *model.History, fits func(*model.Operation) bool) *model.Operation {
	var at []int
	for i := range h.Operations {
		if fits(&h.Operations[i]) {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return nil
	}
	return &h.Operations[at[d(len(at))]]
}
