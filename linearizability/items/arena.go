package items

import "github.com/watchbed/watchbed/model"

// Arena hands out items that live until the next reset.
type Arena struct{ block []model.Item }

// Reset takes all items back.
func (a *Arena) Reset() { a.block = a.block[:0] }

func (a *Arena) item() *model.Item {
	if len(a.block) == cap(a.block) {
		// Items handed out before stay in their old block.
		a.block = make([]model.Item, 0, min(max(16, 2*cap(a.block)), 1<<14))
	}
	a.block = a.block[:len(a.block)+1]
	return &a.block[len(a.block)-1]
}
