// Package forever is a cache that forgets nothing: what a process has read it believes until it writes the key itself.
package forever

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// New returns one with nothing in it.
func New(c *clientv3.Client) (clientv3.KV, error) {
	return &cache{c.KV, map[string]*clientv3.GetResponse{}}, nil
}

type cache struct {
	clientv3.KV
	got map[string]*clientv3.GetResponse
}

// Get implements clientv3.KV.
func (c *cache) Get(ctx context.Context, key string, opts ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	if r, known := c.got[key]; known {
		return r, nil
	}
	r, err := c.KV.Get(ctx, key, opts...)
	if err == nil {
		c.got[key] = r
	}
	return r, err
}

// Put implements clientv3.KV.
func (c *cache) Put(ctx context.Context, key, value string, opts ...clientv3.OpOption) (*clientv3.PutResponse, error) {
	r, err := c.KV.Put(ctx, key, value, opts...)
	delete(c.got, key)
	return r, err
}

// Delete implements clientv3.KV.
func (c *cache) Delete(ctx context.Context, key string, opts ...clientv3.OpOption) (*clientv3.DeleteResponse, error) {
	r, err := c.KV.Delete(ctx, key, opts...)
	delete(c.got, key)
	return r, err
}
