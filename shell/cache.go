package shell

import (
	"context"
	"fmt"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/wire"
)

// Cache is a watch cache of one prefix of a real etcd. Its methods may be called
// by any number of goroutines.
type Cache struct {
	cfg    Config
	loop   *loop
	cancel context.CancelFunc
	client *clientv3.Client
	// sizes is nil unless they are estimated.
	sizes *sizes

	clients   *clients
	clientsID sim.NodeID

	compactor   *compactor
	compactorID sim.NodeID
}

// Start starts a cache on a client, which stays the caller's and must outlive
// it. The cache lives until Close, or until ctx ends.
func Start(ctx context.Context, client *clientv3.Client, cfg Config) (*Cache, error) {
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	l := newLoop(ctx)
	c := &Cache{cfg: cfg, loop: l, cancel: cancel, client: client, clients: newClients(l), compactor: &compactor{waiting: map[sim.Conn]int64{}}}
	if cfg.EstimateSizes {
		c.sizes = &sizes{keys: map[string]sizeRevision{}}
	}
	c.clientsID = l.world.Add("clients", c.clients)
	cfg.Cache.KV = l.world.Add("kv", &kv{
		loop: l, clients: c.clients, client: client, sizes: c.sizes, shares: cfg.Cache.Reads.SharesRevision,
		checker: cfg.FeatureSupportChecker,
	})
	cfg.Cache.Watch = l.world.Add("watch", &watcher{loop: l, client: client, sizes: c.sizes, watches: map[sim.Conn]*watchChan{}})
	c.compactorID = l.world.Add("compactor", c.compactor)
	cfg.Cache.Compactor = c.compactorID
	c.clients.cache = l.world.Add("cache", cache.New(cfg.Cache))
	go l.run()
	return c, nil
}

// Close ends the cache. When it returns, all goroutines of the cache have ended,
// and all calls return ErrClosed. It may be called more than once.
func (c *Cache) Close() {
	c.cancel()
	<-c.loop.done
	c.loop.running.Wait()
}

// Ready waits until the cache may be read. It returns the error of ctx if that
// ends before, or ErrClosed.
func (c *Cache) Ready(ctx context.Context) error {
	p, _, err := c.ask(ctx, &wire.ReadyzRequest{})
	if err != nil {
		return err
	}
	_, err = outcome[*wire.ReadyzResponse](p)
	return err
}

// List lists the objects under a prefix, or the one of a key. What the cache asks etcd for it
// has the deadline of ctx and ends with it. Its error is a *StatusError, or that of
// ctx. The zero ResourceVersion is Kubernetes' "0": the current state of the cache;
// wire.Unset is a consistent list. Items must not be changed.
func (c *Cache) List(ctx context.Context, req wire.ListRequest) (*wire.ListResponse, error) {
	if err := c.mine(req.Prefix); err != nil {
		return nil, err
	}
	p, times, err := c.ask(ctx, &req)
	if err != nil {
		return nil, err
	}
	list, err := outcome[*wire.ListResponse](p)
	if err != nil {
		return nil, err
	}
	c.report(times)
	// A copy: the cache makes its answers in blocks, which a caller that keeps
	// this one would keep too.
	out := *list
	return &out, nil
}

// Get returns one object, or the resourceVersion of the state in which there is none. Its
// error is a *StatusError, or that of ctx. The object must not be changed.
func (c *Cache) Get(ctx context.Context, req wire.GetRequest) (*wire.GetResponse, error) {
	if err := c.mine(req.Key); err != nil {
		return nil, err
	}
	p, times, err := c.ask(ctx, &req)
	if err != nil {
		return nil, err
	}
	got, err := outcome[*wire.GetResponse](p)
	if err != nil {
		return nil, err
	}
	c.report(times)
	out := *got
	return &out, nil
}

// Watch watches the objects under a prefix until its Stop, or until ctx ends. When it
// returns, the beginning of the watch is fixed: no later write is lost. Its error is a
// *StatusError if the request is not valid or comes too early (400, 429), or that of ctx; a
// watch that is refused for another reason (410) says so with its first Next, as an API
// server does.
func (c *Cache) Watch(ctx context.Context, req wire.WatchRequest) (*Watch, error) {
	if err := c.mine(req.Prefix); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	req.Announce = true
	w := &Watch{cache: c, events: make(chan *wire.WatchEvent, responseBuffer), begun: make(chan *wire.Error, 1), beginning: &call{ctx: ctx}}
	if !c.loop.post(c.clientsID, func(env *sim.Env) { c.clients.watch(env, w, &req) }) {
		return nil, ErrClosed
	}
	select {
	case refused := <-w.begun:
		if refused != nil {
			return nil, statusError(refused)
		}
	case <-ctx.Done():
		w.stop()
		return nil, ctx.Err()
	case <-c.loop.done:
		return nil, ErrClosed
	}
	w.forget = context.AfterFunc(ctx, w.stop)
	return w, nil
}

// mine refuses what other caches are there for: this one would say that there is
// nothing.
func (c *Cache) mine(key string) error {
	prefix := c.cfg.Cache.Prefix
	if strings.HasPrefix(key, prefix) || key == strings.TrimSuffix(prefix, "/") {
		return nil
	}
	return &StatusError{Code: wire.BadRequest, Message: fmt.Sprintf("%q is not under %q, which is all that this cache has", key, prefix)}
}

// ask has the cache answer one request.
func (c *Cache) ask(ctx context.Context, p sim.Payload) (sim.Payload, *ReadTimes, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	k := &call{ctx: ctx, request: p, answer: make(chan sim.Payload, 1), watch: stopwatch{called: time.Now()}}
	if !c.loop.post(c.clientsID, func(env *sim.Env) { c.clients.ask(env, k) }) {
		return nil, nil, ErrClosed
	}
	select {
	case answer := <-k.answer:
		k.watch.times.Total = time.Since(k.watch.called)
		return answer, &k.watch.times, nil
	case <-ctx.Done():
		c.loop.post(c.clientsID, func(env *sim.Env) { c.clients.abandon(env, k) })
		return nil, nil, ctx.Err()
	case <-c.loop.done:
		return nil, nil, ErrClosed
	}
}

func (c *Cache) report(times *ReadTimes) {
	if c.cfg.OnRead != nil {
		c.cfg.OnRead(*times)
	}
}
