package etcdtest

import (
	"context"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// cache is one as people write it in front of etcd: it lists a prefix, watches it from there on, and answers a
// consistent read once it has come to the revision that etcd is at.
type cache struct {
	client *clientv3.Client
	prefix string
	mistakes

	mu       sync.Mutex
	kvs      map[string]*mvccpb.KeyValue
	revision int64
}

// mistakes are what such a cache does wrong.
type mistakes struct {
	// resumesBehind: it watches from the revision behind the one after its list.
	resumesBehind bool
	// keepsOn: it does not list again when the history that it needs is compacted.
	keepsOn bool
	// trustsCreated: it takes the revision of the answer to a new watch for its own.
	trustsCreated bool
	// trustsHeader: it takes the revision in the header of a response with events for its own.
	trustsHeader bool
	// merges: a later list does not take away what is not in it any more.
	merges bool
}

func newCache(ctx context.Context, client *clientv3.Client, prefix string, m mistakes) *cache {
	c := &cache{client: client, prefix: prefix, mistakes: m}
	go c.run(ctx)
	return c
}

func (c *cache) run(ctx context.Context) {
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

func (c *cache) list(ctx context.Context) bool {
	listed, err := c.client.Get(ctx, c.prefix, clientv3.WithPrefix())
	if err != nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kvs == nil || !c.merges {
		c.kvs = map[string]*mvccpb.KeyValue{}
	}
	for _, kv := range listed.Kvs {
		c.kvs[string(kv.Key)] = kv
	}
	c.revision = listed.Header.Revision
	return true
}

// watch follows etcd until the watch ends.
func (c *cache) watch(ctx context.Context) {
	for ctx.Err() == nil {
		from := c.revision + 1
		if c.resumesBehind {
			from++
		}
		ctx, cancel := context.WithCancel(ctx)
		for r := range c.client.Watch(ctx, c.prefix, clientv3.WithPrefix(), clientv3.WithRev(from), clientv3.WithCreatedNotify()) {
			if r.Created && !c.trustsCreated || r.Err() != nil {
				continue
			}
			c.take(r)
		}
		cancel()
		if !c.keepsOn {
			return
		}
		pause(ctx, 100*time.Millisecond)
	}
}

func (c *cache) take(r clientv3.WatchResponse) {
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
	if n := len(r.Events); n > 0 && !c.trustsHeader {
		c.revision = r.Events[n-1].Kv.ModRevision
	} else {
		c.revision = max(c.revision, r.Header.Revision)
	}
}

// List is a consistent read.
func (c *cache) List(ctx context.Context) (*clientv3.GetResponse, error) {
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
