package history

import "github.com/watchbed/watchbed/model"

// interned keeps one of each item and key: lists show the same items again and again, and a
// large history would be several times its file otherwise.
type interned struct {
	keys  map[string]string
	items map[model.Item]*model.Item
}

func newInterned() *interned {
	return &interned{keys: map[string]string{}, items: map[model.Item]*model.Item{}}
}

func (n *interned) key(key string) string {
	known, ok := n.keys[key]
	if !ok {
		n.keys[key] = key
		return key
	}
	return known
}

func (n *interned) result(res *model.Result) {
	if res == nil {
		return
	}
	for _, items := range [...][]*model.Item{res.Items, res.Prev} {
		for i, it := range items {
			if it == nil {
				continue
			}
			known, ok := n.items[*it]
			if !ok {
				it.Key = n.key(it.Key)
				n.items[*it] = it
				continue
			}
			items[i] = known
		}
	}
	for i := range res.Results {
		n.result(&res.Results[i])
	}
}
