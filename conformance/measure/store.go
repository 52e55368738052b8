package main

import (
	"context"
	"fmt"
	"strings"
	"sync"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"

	"github.com/watchbed/watchbed/conformance/realetcd"
	"github.com/watchbed/watchbed/sim/wire"
)

const prefix = "/registry/objects/"

// storeSpec is one store, and the selection that its lists make.
type storeSpec struct {
	name, about string
	objects     int
	bytes       int
	// nodes is how many values the selected field has.
	nodes int
	// selects is the value that is asked for, selected how many objects have it.
	selects  string
	selected int
	// writes is how many there are in a second while there are some.
	writes int
}

func stores(scale float64) []storeSpec {
	scaled := func(n int) int { return max(1, int(float64(n)*scale)) }
	pods := storeSpec{name: "pods", about: "30 of 150,000", nodes: scaled(5000), bytes: 1 << 10, selects: nodeName(0), selected: 30, writes: 100}
	pods.objects = 30 * pods.nodes
	small := storeSpec{name: "small", about: "none of 300,000 x 1 KB", objects: scaled(300_000), bytes: 1 << 10, nodes: scaled(5000), selects: "none", writes: 100}
	large := storeSpec{name: "large", about: "none of 300 x 1 MB", objects: scaled(300), bytes: 1 << 20, nodes: scaled(5000), selects: "none", writes: 10}
	return []storeSpec{pods, small, large}
}

func nodeName(i int) string { return fmt.Sprintf("node-%05d", i) }

func (s *storeSpec) key(i int) string {
	return fmt.Sprintf("%snamespace-%03d/object-%06d", prefix, i%100, i)
}

// value is an object: the field, then what fills it up.
func (s *storeSpec) value(i, generation int) string {
	head := fmt.Sprintf("%s\n%d\n", nodeName(i%s.nodes), generation)
	return head + strings.Repeat("x", max(0, s.bytes-len(head)))
}

// field is what lists select by. A real object would have to be decoded first;
// here neither side pays for that.
func field(kv *wire.KeyValue) string {
	name, _, _ := strings.Cut(kv.Value, "\n")
	return name
}

func connect(server *realetcd.Server) (*clientv3.Client, error) {
	return clientv3.New(clientv3.Config{
		Endpoints:   []string{server.Endpoint},
		DialOptions: []grpc.DialOption{grpc.WithNoProxy()},
		Logger:      zap.NewNop(),
	})
}

// loaders fill the store side by side.
const loaders = 4

func (s *storeSpec) load(ctx context.Context, client *clientv3.Client) error {
	// As many objects as fit into one request of etcd's.
	batch := min(100, max(1, (1<<20)/s.bytes))
	var wg sync.WaitGroup
	errs := make([]error, loaders)
	for l := range loaders {
		wg.Go(func() {
			for first := l * batch; first < s.objects && errs[l] == nil; first += loaders * batch {
				var ops []clientv3.Op
				for i := first; i < min(first+batch, s.objects); i++ {
					ops = append(ops, clientv3.OpPut(s.key(i), s.value(i, 0)))
				}
				_, errs[l] = client.Txn(ctx).Then(ops...).Commit()
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
