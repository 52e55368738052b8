package shell

import (
	"context"
	"sync"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/watchbed/watchbed/sim/wire"
)

// Stats is how much there is of the resource (storage.Stats).
type Stats struct {
	ObjectCount int64
	// EstimatedAverageObjectSizeBytes is 0 without Config.EstimateSizes, and as long as no
	// object was seen.
	EstimatedAverageObjectSizeBytes int64
}

// Stats counts the objects: in etcd, or in the cache once that is fresh, if sizes are
// estimated. Its error is a *StatusError, or that of ctx.
func (c *Cache) Stats(ctx context.Context) (Stats, error) {
	prefix := c.cfg.Cache.Prefix
	if c.sizes == nil {
		res, err := c.client.Get(ctx, prefix, clientv3.WithPrefix(), clientv3.WithCountOnly())
		if err != nil {
			if ctx.Err() != nil {
				return Stats{}, ctx.Err()
			}
			return Stats{}, statusError(refusal(err))
		}
		return Stats{ObjectCount: res.Count}, nil
	}
	keys, err := c.List(ctx, wire.ListRequest{Prefix: prefix, ResourceVersion: wire.Unset, KeysOnly: true})
	if err != nil {
		return Stats{}, err
	}
	return Stats{ObjectCount: int64(len(keys.Items)), EstimatedAverageObjectSizeBytes: c.sizes.average(keys.Items)}, nil
}

// sizes are those of the objects as they were last seen on their way from etcd
// (resourceSizeEstimator). What comes out of order is known by its revision. The key
// of an object whose deletion the shell did not see stays until the next average. A nil
// *sizes notes nothing.
type sizes struct {
	mu   sync.Mutex
	keys map[string]sizeRevision
}

type sizeRevision struct{ bytes, revision int64 }

// put notes what etcd has answered.
func (s *sizes) put(kvs ...*mvccpb.KeyValue) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, kv := range kvs {
		if key := string(kv.Key); s.keys[key].revision < kv.ModRevision {
			s.keys[key] = sizeRevision{int64(len(kv.Value)), kv.ModRevision}
		}
	}
}

// see notes what etcd has sent to a watch.
func (s *sizes) see(events []*clientv3.Event) {
	if s == nil {
		return
	}
	for _, e := range events {
		if e.Type == clientv3.EventTypeDelete {
			s.remove(e.Kv)
		} else {
			s.put(e.Kv)
		}
	}
}

func (s *sizes) remove(kv *mvccpb.KeyValue) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if key := string(kv.Key); s.keys[key].revision < kv.ModRevision {
		delete(s.keys, key)
	}
}

// average is that of the objects that there are, of which some may not have been seen; it
// forgets all others.
func (s *sizes) average(present []*wire.KeyValue) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept, total := make(map[string]sizeRevision, len(present)), int64(0)
	for _, kv := range present {
		if size, ok := s.keys[kv.Key]; ok {
			kept[kv.Key] = size
			total += size.bytes
		}
	}
	s.keys = kept
	if len(kept) == 0 {
		return 0
	}
	return total / int64(len(kept))
}
