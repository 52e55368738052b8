package recordings

import (
	"cmp"
	"slices"

	"github.com/watchbed/watchbed/model"
)

// Tampering is one way to make the answer of a read wrong, so that no order of the operations explains it. Judges are
// tested with it: a judge that lets one of them pass does not look.
type Tampering struct {
	Name string
	// Breaks are the properties that are violated for certain. A list says at
	// which revision it read, so that one wrong item in it is wrong in every
	// order; where a judge may not look at that revision, or may not look at the
	// time, most wrong answers could have been right at another point.
	Breaks []string

	apply func(h *model.History, op *model.Operation) *model.Result
}

const (
	linearizable = "linearizable"
	data         = "linearizable-data"
	sequential   = "sequential"
)

// Tamperings expect a history in which every write is inside the range of every list without a limit.
func Tamperings() []Tampering {
	return []Tampering{
		{"an item is dropped from a list", []string{linearizable, sequential}, dropItem},
		{"an item of a list is reverted to an older one", []string{linearizable, sequential}, revertItem},
		{"a list shows an item that was deleted", []string{linearizable, sequential}, revive},
		{"an item has a value that was never written", []string{linearizable, data, sequential}, inventValue},
		{"the revision of a list is lowered below its newest item", []string{linearizable, sequential}, lowerRevision},
		{"the revision of a list is raised", []string{linearizable, sequential}, raiseRevision},
		{"the count of a list is raised", []string{linearizable, sequential}, raiseCount},
		{"a get shows what was overwritten before", []string{linearizable, data}, past},
		{"a get shows what was not written yet", []string{linearizable, data}, future},
	}
}

// Apply returns the history with the answer of one operation made wrong, nil if
// this way has no hold on it. The history itself stays as it is.
func (w *Tampering) Apply(h *model.History, operation int) *model.History {
	op := &h.Operations[operation]
	if op.Outcome != model.Done || op.Result.Err != model.OK {
		return nil
	}
	res := w.apply(h, op)
	if res == nil {
		return nil
	}
	wrong := *h
	wrong.Operations = slices.Clone(h.Operations)
	wrong.Operations[operation].Result = res
	return &wrong
}

func dropItem(_ *model.History, op *model.Operation) *model.Result {
	if !showsItems(op, model.List) {
		return nil
	}
	wrong := *op.Result
	wrong.Items = slices.Clone(op.Result.Items[1:])
	// The list is consistent in itself: only other operations show that it is
	// wrong.
	wrong.Count--
	return &wrong
}

func revertItem(h *model.History, op *model.Operation) *model.Result {
	if !showsItems(op, model.List) || op.Request.KeysOnly {
		return nil
	}
	for i, it := range op.Result.Items {
		for _, old := range shown(h, it.Key) {
			if old.ModRevision < it.ModRevision {
				return withItem(op.Result, i, old)
			}
		}
	}
	return nil
}

func revive(h *model.History, op *model.Operation) *model.Result {
	if !isWholeList(op) || op.Request.KeysOnly {
		return nil
	}
	for i := range h.Operations {
		for _, it := range itemsShown(&h.Operations[i]) {
			at, present := slices.BinarySearchFunc(op.Result.Items, it, func(a, b *model.Item) int { return cmp.Compare(a.Key, b.Key) })
			if present || it.ModRevision >= op.Result.Revision || !model.InRange(it.Key, op.Request.Key, op.Request.End) {
				continue
			}
			wrong := *op.Result
			wrong.Items = slices.Insert(slices.Clone(op.Result.Items), at, it)
			wrong.Count++
			return &wrong
		}
	}
	return nil
}

func inventValue(_ *model.History, op *model.Operation) *model.Result {
	if !showsItems(op, model.List) && !showsItems(op, model.Get) || op.Request.KeysOnly {
		return nil
	}
	ghost := *op.Result.Items[0]
	ghost.Value = "ghost"
	return withItem(op.Result, 0, &ghost)
}

// showsItems reports whether the operation is of the kind and answered with at
// least one item.
func showsItems(op *model.Operation, kind model.Kind) bool {
	return op.Request.Kind == kind && !op.Request.CountOnly && len(op.Result.Items) > 0
}

func isWholeList(op *model.Operation) bool {
	return op.Request.Kind == model.List && op.Request.Limit == 0 && !op.Request.CountOnly
}

// itemsShown are the items with their values that a read answered.
func itemsShown(op *model.Operation) []*model.Item {
	if op.Outcome != model.Done || op.Request.Kind != model.Get && op.Request.Kind != model.List || op.Request.KeysOnly {
		return nil
	}
	return op.Result.Items
}

// shown are the items of one key that any read was answered, in the order of
// the reads' calls.
func shown(h *model.History, key string) []*model.Item {
	var all []*model.Item
	for i := range h.Operations {
		for _, it := range itemsShown(&h.Operations[i]) {
			if it.Key == key {
				all = append(all, it)
			}
		}
	}
	return all
}

func withItem(res *model.Result, at int, it *model.Item) *model.Result {
	wrong := *res
	wrong.Items = slices.Clone(res.Items)
	wrong.Items[at] = it
	return &wrong
}

func lowerRevision(_ *model.History, op *model.Operation) *model.Result {
	if !showsItems(op, model.List) {
		return nil
	}
	// Below the last change that it saw nothing else is certain: that may have
	// been a change of a key outside its limit.
	var newest int64
	for _, it := range op.Result.Items {
		newest = max(newest, it.ModRevision)
	}
	wrong := *op.Result
	wrong.Revision = newest - 1
	return &wrong
}

// raiseRevision is certain where every revision changes an item of the list, or
// was never made.
func raiseRevision(_ *model.History, op *model.Operation) *model.Result {
	if !isWholeList(op) {
		return nil
	}
	wrong := *op.Result
	wrong.Revision++
	return &wrong
}

func raiseCount(_ *model.History, op *model.Operation) *model.Result {
	if op.Request.Kind != model.List {
		return nil
	}
	wrong := *op.Result
	wrong.Count++
	return &wrong
}

// past shows an item that a later write of its key had replaced, and had been
// answered to have, before the get was called.
func past(h *model.History, op *model.Operation) *model.Result {
	if op.Request.Kind != model.Get {
		return nil
	}
	all := shown(h, op.Request.Key)
	for _, newer := range all {
		w := writer(h, newer)
		if w == nil || w.Return >= op.Call {
			continue
		}
		for _, old := range all {
			if old.ModRevision < newer.ModRevision {
				return &model.Result{Items: []*model.Item{old}, Count: 1}
			}
		}
	}
	return nil
}

// future shows an item whose write was not called when the get had returned.
func future(h *model.History, op *model.Operation) *model.Result {
	if op.Request.Kind != model.Get {
		return nil
	}
	for _, it := range shown(h, op.Request.Key) {
		if w := writer(h, it); w != nil && w.Call > op.Return {
			return &model.Result{Items: []*model.Item{it}, Count: 1}
		}
	}
	return nil
}

// writer is the operation that made an item, nil if that operation was not
// answered.
func writer(h *model.History, it *model.Item) *model.Operation {
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Outcome != model.Done || op.Result.Revision != it.ModRevision {
			continue
		}
		if puts(it, op.Request) {
			return op
		}
		for j := range op.Request.Success {
			if op.Result.Succeeded && puts(it, &op.Request.Success[j]) {
				return op
			}
		}
	}
	return nil
}

func puts(it *model.Item, r *model.Request) bool {
	return r.Kind == model.Put && r.Key == it.Key && r.Value == it.Value
}
