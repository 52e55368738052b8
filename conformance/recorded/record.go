package recorded

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

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

// Record has clients work on the server's four keys and returns what they saw.
// A list of everything, after all else has come to rest, ends the history.
func Record(ctx context.Context, server *realetcd.Server, cfg Config) (*model.History, error) {
	initial, err := prepare(ctx, server, cfg)
	if err != nil {
		return nil, err
	}
	rec := &Recorder{}
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
	if err := readBack(ctx, server, rec); err != nil {
		return nil, err
	}
	h := rec.History(initial)
	return h, resolve(ctx, server, h)
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
		for _, key := range []string{keys[0], keys[2], keys[0]} {
			if _, err := cli.Put(ctx, key, "before"); err != nil {
				return model.Initial{}, err
			}
		}
	}
	resp, err := cli.Get(ctx, prefix, clientv3.WithPrefix())
	if err != nil {
		return model.Initial{}, err
	}
	initial := model.Initial{Revision: resp.Header.Revision}
	for _, kv := range resp.Kvs {
		initial.Items = append(initial.Items, item(kv))
	}
	return initial, nil
}

func readBack(ctx context.Context, server *realetcd.Server, rec *Recorder) error {
	cli, err := connect(server)
	if err != nil {
		return err
	}
	defer cli.Close()
	req := &model.Request{Kind: model.List, Key: prefix, End: model.PrefixEnd(prefix)}
	call := rec.Tick()
	resp, err := cli.Do(ctx, operation(req))
	if err != nil {
		return err
	}
	rec.Done("reader", call, req, result(req, resp))
	return nil
}
