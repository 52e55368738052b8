package recorded

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/watchbed/watchbed/conformance/realetcd"
	"github.com/watchbed/watchbed/model"
)

// client runs its requests one after the other on a connection of its own.
type client struct {
	name   string
	rec    *Recorder
	slots  chan struct{}
	giveUp *atomic.Int64

	etcd *clientv3.Client
	work *workload
	life int
}

func (c *client) run(ctx context.Context, server *realetcd.Server, cfg Config) error {
	var err error
	if c.etcd, err = connect(server); err != nil {
		return err
	}
	defer c.etcd.Close()
	// The first request on a connection waits for the handshake: keep that out
	// of the history, or every client's first operation overlaps all others.
	if _, err := c.etcd.Get(ctx, "handshake"); err != nil {
		return err
	}
	c.work = newWorkload(cfg.Seed, c.name)
	for range cfg.PerClient {
		time.Sleep(time.Duration(c.work.rng.Int64N(int64(thinkTime))))
		if err := c.step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (c *client) step(ctx context.Context) error {
	c.slots <- struct{}{}
	defer func() { <-c.slots }()
	req := c.work.next()
	timeout := operationTimeout
	if req.Kind == model.Put && c.work.rng.IntN(3) == 0 && c.giveUp.Add(-1) >= 0 {
		timeout = time.Duration(c.work.rng.Int64N(int64(giveUpWithin)))
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	call := c.rec.Tick()
	resp, err := c.etcd.Do(ctx, operation(req))
	switch {
	case err == nil:
		res := result(req, resp)
		c.rec.Done(c.name, call, req, res)
		c.work.observe(req, res)
		return nil
	case timeout < operationTimeout:
		c.rec.Unknown(c.name, call, req)
		c.reborn()
		return nil
	default:
		return fmt.Errorf("%s: %s: %w", c.name, req.Kind, err)
	}
}

// reborn goes on as another client, as the first one's operation is still open.
func (c *client) reborn() {
	c.life++
	c.name = fmt.Sprintf("%s-%d", c.work.name, c.life)
	c.work.seen = map[string]*model.Item{}
}
