package shell

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/watchbed/watchbed/sim/wire"
)

func sized(key string, bytes int, revision int64) *mvccpb.KeyValue {
	return &mvccpb.KeyValue{Key: []byte(key), Value: []byte(strings.Repeat("x", bytes)), ModRevision: revision}
}

func averageOf(s *sizes, keys ...string) int64 {
	var present []*wire.KeyValue
	for _, key := range keys {
		present = append(present, &wire.KeyValue{Key: key})
	}
	return s.average(present)
}

// TestASizeIsThatOfTheNewestRevision: an answer of etcd may come behind the event of a later
// write, and an event behind the answer that has shown it.
func TestASizeIsThatOfTheNewestRevision(t *testing.T) {
	s := &sizes{keys: map[string]sizeRevision{}}
	put := func(kv *mvccpb.KeyValue) *clientv3.Event { return &clientv3.Event{Type: clientv3.EventTypePut, Kv: kv} }
	deleted := func(key string, revision int64) *clientv3.Event {
		return &clientv3.Event{Type: clientv3.EventTypeDelete, Kv: sized(key, 0, revision)}
	}
	s.see([]*clientv3.Event{put(sized("a", 10, 5))})
	s.put(sized("a", 2, 4))
	require.EqualValues(t, 10, averageOf(s, "a"), "the answer is older")

	s.see([]*clientv3.Event{put(sized("b", 100, 6)), deleted("b", 7)})
	require.EqualValues(t, 10, averageOf(s, "a", "b"), "b is there again, and its size is not known")

	s.put(sized("c", 4, 9))
	s.see([]*clientv3.Event{deleted("c", 8)})
	require.EqualValues(t, 7, averageOf(s, "a", "c"), "c was created again behind the deletion")
}

// answer stands for etcd: it has one.
type answer struct {
	clientv3.KV
	kv *mvccpb.KeyValue
}

// Get implements clientv3.KV.
func (a answer) Get(_ context.Context, key string, opts ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	kv := sized(string(a.kv.Key), len(a.kv.Value), a.kv.ModRevision)
	if op := clientv3.OpGet(key, opts...); op.IsKeysOnly() {
		kv.Value = nil
	}
	return &clientv3.GetResponse{Header: &pb.ResponseHeader{Revision: kv.ModRevision}, Kvs: []*mvccpb.KeyValue{kv}}, nil
}

// TestAnAnswerOfKeysAloneHasNoSizes: it may be the first to show a write, whose event comes
// later.
func TestAnAnswerOfKeysAloneHasNoSizes(t *testing.T) {
	client := clientv3.NewCtxClient(t.Context())
	client.KV = answer{kv: sized("a", 10, 5)}
	k := &kv{client: client, sizes: &sizes{keys: map[string]sizeRevision{}}}
	ask := func(r *wire.RangeRequest) { require.IsType(t, &wire.RangeResponse{}, k.ask(t.Context(), r)) }
	ask(&wire.RangeRequest{Key: "a", KeysOnly: true})
	ask(&wire.RangeRequest{Key: "a"})
	require.EqualValues(t, 10, averageOf(k.sizes, "a"))
}
