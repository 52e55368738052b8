package shell

import (
	"context"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/metadata"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/arena"
	"github.com/watchbed/watchbed/sim/wire"
)

// watcher is the node that stands for Kubernetes' etcd3 watcher: it opens the
// reflector's watches on clientv3 and passes progress requests on.
type watcher struct {
	passive
	loop    *loop
	client  *clientv3.Client
	sizes   *sizes
	watches map[sim.Conn]*watchChan
	// requesting: a progress request has not been taken by clientv3 yet. Those
	// that come meanwhile wait; one more serves them all.
	requesting bool
	waiting    *wire.ProgressRequest
}

// watchChan is one watch.
type watchChan struct {
	conn   sim.Conn
	cancel context.CancelFunc
	// queue is what there was no room for in the lane to the cache, which stands
	// for resultChan.
	queue arena.Queue[*wire.WatchEvent]
	// ended: nothing comes behind what is in the queue.
	ended bool
	// taken asks for the next response. clientv3 keeps what is not asked for.
	taken chan struct{}
}

// outgoingBufSize is etcd3's.
const outgoingBufSize = 100

// watchContext is what makes two requests share a stream: requests under equal
// metadata do, and WithRequireLeader is part of it. Watches that the cache does
// not need for itself have no other.
func watchContext(ctx context.Context, pair string) context.Context {
	if key, value, ok := strings.Cut(pair, "="); ok {
		ctx = metadata.NewOutgoingContext(ctx, metadata.Pairs(key, value))
	}
	return clientv3.WithRequireLeader(ctx)
}

func (w *watcher) Receive(env *sim.Env, m *sim.Message) {
	switch p := m.Payload.(type) {
	case *wire.WatchStart:
		w.watch(env, m.Conn, p)
	case *wire.ProgressRequest:
		w.requestProgress(env, p)
	case *sim.Hangup:
		if wc := w.watches[m.Conn]; wc != nil {
			delete(w.watches, m.Conn)
			wc.cancel()
		}
	}
}

func (w *watcher) watch(env *sim.Env, conn sim.Conn, p *wire.WatchStart) {
	wc := &watchChan{conn: conn, taken: make(chan struct{}, 1)}
	w.watches[conn] = wc
	env.Bound(conn, outgoingBufSize)
	ctx, cancel := context.WithCancel(watchContext(w.loop.ctx, p.Metadata))
	wc.cancel = cancel
	self := env.Self()
	if p.AnnounceStart && !startsAtCurrent(p) {
		env.Send(conn, &wire.WatchEstablished{})
	}
	w.loop.start(func(context.Context) {
		defer cancel()
		from := *p
		if startsAtCurrent(p) {
			current, err := w.currentRevision(ctx, p.Prefix)
			if err != nil {
				w.bring(ctx, self, wc, failure(err), true)
				return
			}
			w.loop.post(self, func(env *sim.Env) { w.established(env, wc, p) })
			from.Revision = current
		}
		w.startWatching(ctx, &from, func(events []*wire.WatchEvent, last bool) bool {
			return w.bring(ctx, self, wc, events, last)
		})
	})
}

// startsAtCurrent: etcd's revision is where the watch begins (getStartWatchRV). watcher.Watch
// asks for it before it returns, and for all else behind that.
func startsAtCurrent(p *wire.WatchStart) bool {
	return p.SendInitialEvents == wire.SendInitialEventsFalse && p.Revision <= 0
}

func (w *watcher) established(env *sim.Env, wc *watchChan, p *wire.WatchStart) {
	if p.AnnounceStart && w.watches[wc.conn] == wc {
		env.Send(wc.conn, &wire.WatchEstablished{})
	}
}

// bring takes events into the world and waits until the cache has room for more.
// It returns false if the cache wants no more events.
func (w *watcher) bring(ctx context.Context, self sim.NodeID, wc *watchChan, events []*wire.WatchEvent, last bool) bool {
	if !w.loop.post(self, func(env *sim.Env) { w.queueEvents(env, wc, events, last) }) || last {
		return false
	}
	select {
	case <-wc.taken:
		return true
	case <-ctx.Done():
		return false
	}
}

// startWatching brings what comes before the watch, then one response of the
// watch after the other.
func (w *watcher) startWatching(ctx context.Context, p *wire.WatchStart, bring func(events []*wire.WatchEvent, last bool) bool) {
	revision, ok := w.sync(ctx, p, bring)
	if !ok {
		return
	}
	opts := []clientv3.OpOption{clientv3.WithRev(revision + 1), clientv3.WithPrevKV()}
	if !p.Single {
		opts = append(opts, clientv3.WithPrefix())
	}
	if p.ProgressNotify {
		opts = append(opts, clientv3.WithProgressNotify())
	}
	for response := range w.client.Watch(ctx, p.Prefix, opts...) {
		w.sizes.see(response.Events)
		if events, failed := watchEvents(&response); len(events) > 0 && !bring(events, failed) {
			return
		}
	}
	// The channel was closed without an error.
	bring(nil, true)
}

func (w *watcher) queueEvents(env *sim.Env, wc *watchChan, events []*wire.WatchEvent, last bool) {
	if w.watches[wc.conn] != wc {
		return
	}
	for _, e := range events {
		wc.queue.Push(e)
	}
	wc.ended = last
	w.processEvents(env, wc)
}

// processEvents sends as much as there is room for.
func (w *watcher) processEvents(env *sim.Env, wc *watchChan) {
	for wc.queue.Len() > 0 && env.CanSend(wc.conn) {
		env.Send(wc.conn, wc.queue.Pop())
	}
	switch {
	case wc.queue.Len() > 0:
	case wc.ended:
		delete(w.watches, wc.conn)
		env.Close(wc.conn)
	default:
		wc.taken <- struct{}{}
	}
}

func (w *watcher) Drained(env *sim.Env, conn sim.Conn) {
	if wc := w.watches[conn]; wc != nil && wc.queue.Len() > 0 {
		w.processEvents(env, wc)
	}
}

func (w *watcher) requestProgress(env *sim.Env, p *wire.ProgressRequest) {
	if w.requesting {
		w.waiting = p
		return
	}
	w.requesting = true
	self := env.Self()
	w.loop.start(func(ctx context.Context) {
		// The error is dropped. Kubernetes' requester does the same: it asks
		// again as long as a read waits.
		_ = w.client.RequestProgress(watchContext(ctx, p.Metadata))
		w.loop.post(self, w.progressRequested)
	})
}

func (w *watcher) progressRequested(env *sim.Env) {
	w.requesting = false
	if p := w.waiting; p != nil {
		w.waiting = nil
		w.requestProgress(env, p)
	}
}
