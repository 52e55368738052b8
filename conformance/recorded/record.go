package recorded

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"

	"github.com/watchbed/watchbed/conformance/realetcd"
	"github.com/watchbed/watchbed/model"
)

// Config is what one recording looks like.
type Config struct {
	// Seed decides what the clients ask; the interleaving is the machine's.
	Seed uint64
	// Clients run at the same time, each with PerClient operations.
	Clients, PerClient int
	// Concurrent caps the operations under way at once. The cost of judging a
	// history grows exponentially with it.
	Concurrent int
	// GiveUp is how many puts are given up on the way, at most. Each is
	// concurrent with everything after it, hence expensive to judge.
	GiveUp int
	// Seeded starts the history with contents, not with an empty store.
	Seeded bool
}

const (
	// operationTimeout is never reached on a healthy machine.
	operationTimeout = 30 * time.Second
	// thinkTime is about one put's latency, so that clients overlap in part.
	thinkTime = 3 * time.Millisecond
	// giveUpWithin is less than one put's latency, most of the time.
	giveUpWithin = time.Millisecond
	// settleTime is far more than a member of one takes to commit or forget a
	// put whose client has gone.
	settleTime = time.Second
)

// prefix is that of all keys.
const prefix = "/registry/pods/"

// Record has clients work on the server's few keys and returns what they saw.
// A list of everything, after all else has come to rest, ends the history.
func Record(ctx context.Context, server *realetcd.Server, cfg Config) (*model.History, error) {
	initial, err := prepare(ctx, server, cfg)
	if err != nil {
		return nil, err
	}
	rec := &Recorder{Gets: true}
	var (
		wg     sync.WaitGroup
		giveUp atomic.Int64
		errs   = make([]error, cfg.Clients)
		slots  = make(chan struct{}, cfg.Concurrent)
	)
	giveUp.Store(int64(cfg.GiveUp))
	for i := range cfg.Clients {
		wg.Go(func() {
			c := &client{name: fmt.Sprintf("c%d", i+1), rec: rec, slots: slots, giveUp: &giveUp}
			c.rng = rand.New(rand.NewPCG(cfg.Seed, uint64(i)))
			errs[i] = c.run(ctx, server, cfg)
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	time.Sleep(settleTime)
	cli, err := connect(server)
	if err != nil {
		return nil, err
	}
	defer cli.Close()
	all := &pb.RangeRequest{Key: []byte(prefix), RangeEnd: []byte(model.PrefixEnd(prefix))}
	if _, err := rec.Do(ctx, pb.NewKVClient(cli.ActiveConnection()), "reader", all); err != nil {
		return nil, err
	}
	h := rec.History(initial)
	return h, resolve(ctx, cli, h)
}

// client sends its requests one after the other on a connection of its own.
type client struct {
	name   string
	rec    *Recorder
	rng    *rand.Rand
	slots  chan struct{}
	giveUp *atomic.Int64
}

func (c *client) run(ctx context.Context, server *realetcd.Server, cfg Config) error {
	etcd, err := connect(server)
	if err != nil {
		return err
	}
	defer etcd.Close()
	// The first request on a connection waits for the handshake: keep that out
	// of the history, or every client's first operation overlaps all others.
	if _, err := etcd.Get(ctx, "handshake"); err != nil {
		return err
	}
	kv, work := pb.NewKVClient(etcd.ActiveConnection()), &Workload{Rand: c.rng, Name: c.name, Prefix: prefix, Present: true}
	for range cfg.PerClient {
		time.Sleep(time.Duration(c.rng.Int64N(int64(thinkTime))))
		if err := c.step(ctx, kv, work); err != nil {
			return err
		}
	}
	return nil
}

func (c *client) step(ctx context.Context, kv pb.KVClient, work *Workload) error {
	c.slots <- struct{}{}
	defer func() { <-c.slots }()
	request, timeout := work.Next(), operationTimeout
	if _, put := request.(*pb.PutRequest); put && c.rng.IntN(3) == 0 && c.giveUp.Add(-1) >= 0 {
		timeout = time.Duration(c.rng.Int64N(int64(giveUpWithin)))
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	response, err := c.rec.Do(ctx, kv, c.name, request)
	switch {
	case err == nil:
		work.Observe(request, response)
	case timeout == operationTimeout:
		return fmt.Errorf("%s: %v: %w", c.name, request, err)
	}
	return nil
}

func connect(server *realetcd.Server) (*clientv3.Client, error) {
	return clientv3.New(clientv3.Config{
		Endpoints:   []string{server.Endpoint},
		DialOptions: []grpc.DialOption{grpc.WithNoProxy()},
		Logger:      zap.NewNop(),
	})
}

// prepare fills the store if asked to and reads it before the first operation.
func prepare(ctx context.Context, server *realetcd.Server, cfg Config) (model.Initial, error) {
	cli, err := connect(server)
	if err != nil {
		return model.Initial{}, err
	}
	defer cli.Close()
	if cfg.Seeded {
		for _, name := range []string{"a", "c", "a"} {
			if _, err := cli.Put(ctx, prefix+name, "before"); err != nil {
				return model.Initial{}, err
			}
		}
	}
	resp, err := cli.Get(ctx, prefix, clientv3.WithPrefix())
	if err != nil {
		return model.Initial{}, err
	}
	return model.Initial{Revision: resp.Header.Revision, Items: Items(resp.Kvs...)}, nil
}
