package etcdtest

import (
	"context"
	"reflect"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/watchbed/watchbed/model"
)

// watcher is the watcher of a client, and records what its watches deliver: one of clientv3 goes on over streams that
// break, so that it is one stream to the test.
type watcher struct {
	clientv3.Watcher
	t      *T
	client string
	closed <-chan struct{}
}

// delivery is what one watch of a client, or of a cache, delivered. Its first response, an empty one, is that the watch
// is there.
type delivery struct {
	watched
	by, client string
}

// Watch implements clientv3.Watcher.
func (w *watcher) Watch(ctx context.Context, key string, opts ...clientv3.OpOption) clientv3.WatchChan {
	return w.t.deliver(ctx, w.closed, &delivery{by: byClient, client: w.client}, w.Watcher.Watch, key, opts...)
}

// Watch watches a cache by its method, and has what the watch delivers judged: as that of etcd, but that a watch
// without a revision may begin with whatever the cache has: list first, and watch from the next revision. Silence is no finding: assert by T.Eventually
// that the last change has come.
func (t *T) Watch(ctx context.Context, by func(context.Context, string, ...clientv3.OpOption) clientv3.WatchChan, key string, opts ...clientv3.OpOption) clientv3.WatchChan {
	return t.deliver(ctx, nil, &delivery{by: byCache, client: byCache}, by, key, opts...)
}

// deliver begins a watch, and takes down what it delivers.
func (t *T) deliver(ctx context.Context, closed <-chan struct{}, d *delivery,
	by func(context.Context, string, ...clientv3.OpOption) clientv3.WatchChan, key string, opts ...clientv3.OpOption,
) clientv3.WatchChan {
	from := by(ctx, key, opts...)
	d.Request = asked(clientv3.OpGet(key, opts...))
	d.Responses, d.ticks = make([]model.WatchResponse, 1), []int64{t.run.clock.tick()}
	t.mu.Lock()
	t.deliveries = append(t.deliveries, d)
	t.mu.Unlock()
	to := make(chan clientv3.WatchResponse)
	go func() {
		defer close(to)
		for r := range from {
			t.mu.Lock()
			d.Responses, d.ticks = append(d.Responses, delivered(&r)), append(d.ticks, t.run.clock.tick())
			t.mu.Unlock()
			select {
			case to <- r:
			case <-ctx.Done():
				return
			case <-closed:
				return
			}
		}
	}()
	return to
}

// asked is the request of a watch. An Op has no methods for what watches alone have.
func asked(op clientv3.Op) model.WatchRequest {
	is := func(field string) bool {
		f := reflect.ValueOf(op).FieldByName(field)
		return f.IsValid() && f.Bool()
	}
	return model.WatchRequest{
		Key: string(op.KeyBytes()), End: string(op.RangeBytes()), StartRevision: op.Rev(),
		PrevKV: is("prevKV"), NoPut: is("filterPut"), NoDelete: is("filterDelete"), ProgressNotify: is("progressNotify"),
	}
}

func delivered(r *clientv3.WatchResponse) model.WatchResponse {
	to := model.WatchResponse{
		Revision: r.Header.Revision, Created: r.Created, Progress: r.IsProgressNotify(), Canceled: r.Canceled, CompactRevision: r.CompactRevision,
	}
	for _, e := range r.Events {
		event := model.WatchEvent{Item: item(e.Kv), Revision: e.Kv.ModRevision}
		if e.Type == clientv3.EventTypeDelete {
			event.Type = model.DeleteEvent
		}
		if e.PrevKv != nil {
			event.PrevItem = item(e.PrevKv)
		}
		to.Events = append(to.Events, event)
	}
	return to
}

// from is the stream, with what is owed to it: a watch that was asked for at no revision is older than each write that
// was called when it was there.
func (d *delivery) from(h *model.History) *watched {
	first := int64(0)
	for _, op := range h.Operations {
		if op.Call > d.ticks[0] && op.Commit > 0 && (first == 0 || op.Commit < first) {
			first = op.Commit
		}
	}
	if d.by == byClient && d.Request.StartRevision == 0 && first > 0 {
		d.Responses[0] = model.WatchResponse{Created: true, Revision: first - 1}
	}
	return &d.watched
}
