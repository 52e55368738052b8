// Package watchcache is a cache as people write it in front of etcd, with the mistakes that they make, and its test on
// the simulated etcd of package etcdtest.
package watchcache

import (
	"context"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// Mistakes are what such a cache does wrong.
type Mistakes struct {
	// ResumesBehind: it watches from the revision behind the one after its list.
	ResumesBehind bool
	// KeepsOn: it does not list again when the history that it needs is compacted.
	KeepsOn bool
	// TrustsCreated: it takes the revision of the answer to a new watch for its own.
	TrustsCreated bool
	// TrustsHeader: it takes the revision in the header of a response with events for its own.
	TrustsHeader bool
}

// Cache lists a prefix, watches it from there on, and answers a consistent read once it has come to the revision that
// etcd is at.
type Cache struct {
	client *clientv3.Client
	prefix string
	Mistakes

	mu       sync.Mutex
	kvs      map[string]*mvccpb.KeyValue
	revision int64
}

// New returns a cache that runs until the context ends.
func New(ctx context.Context, client *clientv3.Client, prefix string, m Mistakes) *Cache {
	c := &Cache{client: client, prefix: prefix, Mistakes: m}
	go c.run(ctx)
	return c
}

func (c *Cache) run(ctx context.Context) {
	for ctx.Err() == nil {
		if c.list(ctx) {
			c.watch(ctx)
		}
		pause(ctx, 100*time.Millisecond)
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

func (c *Cache) list(ctx context.Context) bool {
	listed, err := c.client.Get(ctx, c.prefix, clientv3.WithPrefix())
	if err != nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kvs = map[string]*mvccpb.KeyValue{}
	for _, kv := range listed.Kvs {
		c.kvs[string(kv.Key)] = kv
	}
	c.revision = listed.Header.Revision
	return true
}

// watch follows etcd until the watch ends.
func (c *Cache) watch(ctx context.Context) {
	for ctx.Err() == nil {
		from := c.revision + 1
		if c.ResumesBehind {
			from++
		}
		ctx, cancel := context.WithCancel(ctx)
		for r := range c.client.Watch(ctx, c.prefix, clientv3.WithPrefix(), clientv3.WithRev(from), clientv3.WithCreatedNotify()) {
			if r.Created && !c.TrustsCreated || r.Err() != nil {
				continue
			}
			c.take(r)
		}
		cancel()
		if !c.KeepsOn {
			return
		}
		pause(ctx, 100*time.Millisecond)
	}
}

func (c *Cache) take(r clientv3.WatchResponse) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range r.Events {
		if e.Type == clientv3.EventTypeDelete {
			delete(c.kvs, string(e.Kv.Key))
		} else {
			c.kvs[string(e.Kv.Key)] = e.Kv
		}
	}
	// The header has etcd's revision, and history comes in several responses: of those with events it says nothing.
	if n := len(r.Events); n > 0 && !c.TrustsHeader {
		c.revision = r.Events[n-1].Kv.ModRevision
	} else {
		c.revision = max(c.revision, r.Header.Revision)
	}
}

// List is a consistent read.
func (c *Cache) List(ctx context.Context) (*clientv3.GetResponse, error) {
	now, err := c.client.Get(ctx, c.prefix, clientv3.WithCountOnly())
	if err != nil {
		return nil, err
	}
	for {
		c.mu.Lock()
		if c.kvs != nil && c.revision >= now.Header.Revision {
			defer c.mu.Unlock()
			answer := &clientv3.GetResponse{Header: &pb.ResponseHeader{Revision: c.revision}}
			for _, kv := range c.kvs {
				answer.Kvs = append(answer.Kvs, kv)
			}
			return answer, nil
		}
		c.mu.Unlock()
		if err := c.client.RequestProgress(ctx); err != nil {
			return nil, err
		}
		if pause(ctx, 50*time.Millisecond); ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}
