package largehistory

import (
	"fmt"

	"github.com/watchbed/watchbed/model"
)

func namespace(n int) string { return fmt.Sprintf("/registry/pods/namespace-%03d/", n) }

func pod(n, p int) string { return fmt.Sprintf("%spod-%02d", namespace(n), p) }

// draw is the next request of a client.
func (c *cluster) draw(i int) *model.Request {
	n := c.rng.IntN(namespaces)
	list := &model.Request{Kind: model.List, Key: namespace(n), End: model.PrefixEnd(namespace(n))}
	if i >= writers {
		list.Freshness = model.Any
		return list
	}
	key := pod(n, c.rng.IntN(pods))
	// Each value is written once.
	value := fmt.Sprintf("%x-%d", c.rng.Uint32(), len(c.history.Operations))
	switch kind := c.rng.IntN(100); {
	case kind < 32:
		return &model.Request{Kind: model.Put, Key: key, Value: value}
	case kind < 40:
		return &model.Request{Kind: model.Delete, Key: key, PrevKV: kind < 36}
	case kind < 44:
		// One object that all clients write, as those of a leader election do.
		return c.update(pod(0, 0), value)
	case kind < 54:
		return c.update(key, value)
	case kind < 64:
		return &model.Request{Kind: model.Get, Key: key}
	case kind < 68:
		list.Limit = 5
	}
	return list
}

// update is how Kubernetes creates and updates objects: if no other client has written it since.
func (c *cluster) update(key, value string) *model.Request {
	seen := int64(0)
	if it := c.store.Get(key); it != nil {
		seen = it.ModRevision
	}
	return &model.Request{
		Kind:    model.Txn,
		Compare: []model.Compare{{Key: key, Target: model.CompareMod, Operand: seen}},
		Success: []model.Request{{Kind: model.Put, Key: key, Value: value}},
		Failure: []model.Request{{Kind: model.Get, Key: key}},
	}
}
