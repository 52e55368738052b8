package tampering

import (
	"cmp"
	"slices"

	"github.com/watchbed/watchbed/model"
)

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
