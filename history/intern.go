package history

import "github.com/watchbed/watchbed/model"

// interned keeps one of each item, key and read: lists show the same items again and again, and
// a large history would be several times its file otherwise.
type interned struct {
	keys  map[string]string
	items map[model.Item]*model.Item
	reads map[question]*model.Request
}

func newInterned() *interned {
	return &interned{keys: map[string]string{}, items: map[model.Item]*model.Item{}, reads: map[question]*model.Request{}}
}

// question is all that a Get or a List may say.
type question struct {
	kind                model.Kind
	key, end            string
	revision, limit     int64
	freshness           model.Freshness
	countOnly, keysOnly bool
	selection           model.Selection
}

// request is the first one that said the same, of reads; of others the same one, with keys that
// are kept once.
func (n *interned) request(r *model.Request) *model.Request {
	stray := r.Value != "" || r.Lease != 0 || r.TTL != 0 || r.PrevKV || r.IgnoreValue || r.IgnoreLease || r.Keys ||
		r.Compare != nil || r.Success != nil || r.Failure != nil
	if r.Kind != model.Get && r.Kind != model.List || stray {
		n.keysOf(r)
		return r
	}
	same := question{r.Kind, r.Key, r.End, r.Revision, r.Limit, r.Freshness, r.CountOnly, r.KeysOnly, r.Selection}
	known, ok := n.reads[same]
	if !ok {
		n.keysOf(r)
		n.reads[same] = r
		return r
	}
	return known
}

func (n *interned) keysOf(r *model.Request) {
	r.Key, r.End = n.key(r.Key), n.key(r.End)
	for i := range r.Compare {
		r.Compare[i].Key = n.key(r.Compare[i].Key)
	}
	for _, branch := range [...][]model.Request{r.Success, r.Failure} {
		for i := range branch {
			n.keysOf(&branch[i])
		}
	}
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
