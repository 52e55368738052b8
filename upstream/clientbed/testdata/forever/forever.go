// Package forever is a cache that forgets nothing: what a process has read or written it believes for ever.
package forever

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// New returns one with nothing in it.
func New(c *clientv3.Client) (clientv3.KV, error) {
	return &cache{c.KV, map[string]clientv3.OpResponse{}}, nil
}

type cache struct {
	clientv3.KV
	got map[string]clientv3.OpResponse
}

// Do implements clientv3.KV.
func (c *cache) Do(ctx context.Context, op clientv3.Op) (clientv3.OpResponse, error) {
	key := string(op.KeyBytes())
	if got, known := c.got[key]; known && op.IsGet() {
		return got, nil
	}
	r, err := c.KV.Do(ctx, op)
	if delete(c.got, key); op.IsGet() && err == nil {
		c.got[key] = r
	}
	return r, err
}
