package v3rpc

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/mvcc"
	"github.com/watchbed/watchbed/sim/wire"
)

// The sizes are those that etcdserverpb computes for the same messages.
func TestSizesAreThoseOfProtobuf(t *testing.T) {
	for n, want := range map[int][2]int{1000: {2068, 3099}, 100_000: {200_074, 300_108}, 300_000: {600_074, 900_108}} {
		item := func(rev int64) *wire.KeyValue {
			return &wire.KeyValue{Key: "/a", Value: strings.Repeat("x", n), CreateRevision: 2, ModRevision: rev, Version: rev - 1}
		}
		r := &wire.WatchResponse{Revision: 3, WatchID: 7, Events: []wire.Event{{Kv: item(2)}, {Kv: item(3)}}}
		require.Equal(t, want[0], wholeSize(r))
		r.Events = append(r.Events, wire.Event{Type: wire.Delete, Kv: &wire.KeyValue{Key: "/a", ModRevision: 4}, PrevKv: item(3)})
		r.Fragment = true
		require.Equal(t, want[1], wholeSize(r))
	}
}

func wholeSize(r *wire.WatchResponse) int {
	sum := responseSize(r)
	for i := range r.Events {
		sum += eventSize(&r.Events[i])
	}
	return sum
}

func TestFragmentsAreSmallerThanTheLimit(t *testing.T) {
	r := &wire.WatchResponse{Revision: 3}
	for rev := int64(2); rev < 4; rev++ {
		r.Events = append(r.Events, wire.Event{Kv: &wire.KeyValue{Key: "/a", Value: strings.Repeat("x", 300<<10), ModRevision: rev}})
	}
	for limit, want := range map[int]int{wholeSize(r): 2, wholeSize(r) + 1: 1} {
		s := NewWatchServer(&mvcc.WatchableStore{}, Numbers{})
		s.Reset(Options{FragmentBytes: limit})
		f := &fragmenting{sws: s.newPlace(), r: r}
		w := sim.NewWorld(sim.Options{})
		w.Add("etcd", f)
		w.Start(nil)
		require.Len(t, f.sws.send.out.All(), want, "limit %d", limit)
	}
}

// fragmenting splits a response when it starts.
type fragmenting struct {
	sim.Node
	sws *ServerWatchStream
	r   *wire.WatchResponse
}

func (f *fragmenting) Start(env *sim.Env) { f.sws.sendFragments(env, f.r) }
