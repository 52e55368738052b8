package tampering

import "github.com/watchbed/watchbed/model"

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
