package tampering

import "github.com/watchbed/watchbed/model"

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
