package largehistory

import (
	"fmt"

	"github.com/watchbed/watchbed/model"
)

// Spoil gives the last consistent list that has an older one of the same range before it the
// answer of that: it is a stale read, which no order of the operations explains.
func Spoil(h *model.History) error {
	last := -1
	for i := len(h.Operations) - 1; i >= 0; i-- {
		op := &h.Operations[i]
		if op.Request.Kind != model.List || op.Request.Freshness != model.Consistent || op.Request.Limit != 0 || op.Outcome != model.Done {
			continue
		}
		if last < 0 {
			last = i
			continue
		}
		// Each client can have made one write that the answers before did not show.
		after := &h.Operations[last]
		if op.Request.Key == after.Request.Key && op.Result.Revision < after.Result.Revision-2*(writers+readers) {
			after.Result = op.Result
			return nil
		}
	}
	return fmt.Errorf("no list among %d operations has an older one of the same range", len(h.Operations))
}
