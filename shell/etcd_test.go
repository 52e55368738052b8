package shell_test

import (
	"context"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/watchbed/watchbed/shell"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/wire"
)

const prefix = "/registry/pods/"

// etcd stands for a server behind clientv3's interfaces, so that these tests
// need none. conformance/shell has real ones.
type etcd struct {
	clientv3.KV
	clientv3.Watcher

	mu        sync.Mutex
	changed   *sync.Cond
	revision  int64
	compacted int64
	objects   map[string]*mvccpb.KeyValue
	events    []*clientv3.Event
	// hanging: reads are not answered.
	hanging bool
	// waiting counts the reads that are not answered.
	waiting int
	// gaveUp are the contexts of the reads that ended unanswered.
	gaveUp []context.Context
	// broken ends all watches in this way, once.
	broken *clientv3.WatchResponse
	// asked counts the progress requests.
	asked int
	// watched are the options of the last watch.
	watched clientv3.Op
}

func newEtcd() *etcd {
	e := &etcd{revision: 1, objects: map[string]*mvccpb.KeyValue{}}
	e.changed = sync.NewCond(&e.mu)
	return e
}

func (e *etcd) client(t testing.TB) *clientv3.Client {
	c := clientv3.NewCtxClient(t.Context())
	c.KV, c.Watcher = e, e
	return c
}

func (e *etcd) set(key, value string) int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer e.changed.Broadcast()
	e.revision++
	previous := e.objects[key]
	kv := &mvccpb.KeyValue{Key: []byte(key), Value: []byte(value), CreateRevision: e.revision, ModRevision: e.revision, Version: 1}
	if previous != nil {
		kv.CreateRevision, kv.Version = previous.CreateRevision, previous.Version+1
	}
	e.objects[key] = kv
	e.events = append(e.events, &clientv3.Event{Type: clientv3.EventTypePut, Kv: kv, PrevKv: previous})
	return e.revision
}

func (e *etcd) remove(key string) int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer e.changed.Broadcast()
	e.revision++
	e.events = append(e.events, &clientv3.Event{
		Type: clientv3.EventTypeDelete, Kv: &mvccpb.KeyValue{Key: []byte(key), ModRevision: e.revision}, PrevKv: e.objects[key],
	})
	delete(e.objects, key)
	return e.revision
}

// forget drops the objects. No watch is sent an event.
func (e *etcd) forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.objects = map[string]*mvccpb.KeyValue{}
	e.events = nil
}

// breakWatches ends them with a response, or without any.
func (e *etcd) breakWatches(r *clientv3.WatchResponse) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.broken = r
	e.changed.Broadcast()
}

func (e *etcd) hang(hanging bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.hanging = hanging
	e.changed.Broadcast()
}

// await waits for a state of the server, or for the end of ctx.
func (e *etcd) await(ctx context.Context, state func() bool) error {
	defer context.AfterFunc(ctx, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.changed.Broadcast()
	})()
	for !state() && ctx.Err() == nil {
		e.changed.Wait()
	}
	return ctx.Err()
}

// Get implements clientv3.KV.
func (e *etcd) Get(ctx context.Context, key string, opts ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.waiting++
	err := e.await(ctx, func() bool { return !e.hanging })
	if e.waiting--; err != nil {
		e.gaveUp = append(e.gaveUp, ctx)
		return nil, err
	}
	op := clientv3.OpGet(key, opts...)
	if op.Rev() > e.revision {
		return nil, rpctypes.ErrFutureRev
	}
	if op.Rev() > 0 && op.Rev() < e.compacted {
		return nil, rpctypes.ErrCompacted
	}
	var keys []string
	for k := range e.objects {
		if inRange(op, k) {
			keys = append(keys, k)
		}
	}
	sort.Strings(keys)
	res := &clientv3.GetResponse{Header: &pb.ResponseHeader{Revision: e.revision}, Count: int64(len(keys))}
	if limit := op.Limit(); limit > 0 && int64(len(keys)) > limit {
		keys, res.More = keys[:limit], true
	}
	if op.IsCountOnly() {
		keys = nil
	}
	for _, k := range keys {
		kv := *e.objects[k]
		if op.IsKeysOnly() {
			kv.Value = nil
		}
		res.Kvs = append(res.Kvs, &kv)
	}
	return res, nil
}

// inRange reports whether a key is in the range that is asked for.
func inRange(op clientv3.Op, k string) bool {
	key, end := string(op.KeyBytes()), string(op.RangeBytes())
	return k == key || end != "" && k >= key && k < end
}

// Watch implements clientv3.Watcher.
func (e *etcd) Watch(ctx context.Context, key string, opts ...clientv3.OpOption) clientv3.WatchChan {
	op := clientv3.OpGet(key, opts...)
	out := make(chan clientv3.WatchResponse)
	e.mu.Lock()
	e.watched = op
	e.mu.Unlock()
	go func() {
		defer close(out)
		next, asked := op.Rev(), 0
		for {
			r, again := e.response(ctx, op, &next, &asked)
			if r != nil {
				select {
				case out <- *r:
				case <-ctx.Done():
					return
				}
			}
			if !again {
				return
			}
		}
	}()
	return out
}

// response is the next one of a watch that has seen everything below next and
// answered the first asked progress requests.
func (e *etcd) response(ctx context.Context, op clientv3.Op, next *int64, asked *int) (r *clientv3.WatchResponse, again bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var events []*clientv3.Event
	if e.await(ctx, func() bool {
		for _, ev := range e.events {
			if ev.Kv.ModRevision >= *next && inRange(op, string(ev.Kv.Key)) {
				events = append(events, ev)
			}
		}
		return len(events) > 0 || e.broken != nil || *asked < e.asked || *next < e.compacted
	}) != nil {
		return nil, false
	}
	switch {
	case e.broken != nil:
		r, e.broken = e.broken, nil
		return r, false
	case *next < e.compacted:
		return &clientv3.WatchResponse{Canceled: true, CompactRevision: e.compacted}, false
	}
	if len(events) == 0 {
		*asked = e.asked
	}
	*next = e.revision + 1
	return &clientv3.WatchResponse{Header: pb.ResponseHeader{Revision: e.revision}, Events: events}, true
}

// RequestProgress implements clientv3.Watcher.
func (e *etcd) RequestProgress(context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked++
	e.changed.Broadcast()
	return nil
}

// with is a configuration with amounts of its own.
func with(a cache.Amounts) cache.Config {
	return cache.Config{Prefix: prefix, Options: cache.Options{Amounts: a}}
}

// start starts a cache that is ready.
func start(t testing.TB, e *etcd, cfg cache.Config) *shell.Cache {
	t.Helper()
	cfg.Prefix = prefix
	c, err := shell.Start(t.Context(), e.client(t), shell.Config{Cache: cfg})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	require.NoError(t, c.Ready(t.Context()))
	return c
}

var consistent = wire.ListRequest{Prefix: prefix, ResourceVersion: wire.Unset}

func list(t testing.TB, c *shell.Cache, req wire.ListRequest) *wire.ListResponse {
	t.Helper()
	got, err := c.List(t.Context(), req)
	require.NoError(t, err)
	return got
}

func keysOf(items []*wire.KeyValue) (keys []string) {
	for _, kv := range items {
		keys = append(keys, strings.TrimPrefix(kv.Key, prefix)+"="+kv.Value)
	}
	return keys
}
