package v3rpc

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/mvcc"
	"github.com/watchbed/watchbed/sim/wire"
)

func TestFragmentsAreSmallerThanTheLimit(t *testing.T) {
	r := &wire.WatchResponse{Revision: 3}
	for rev := int64(2); rev < 4; rev++ {
		r.Events = append(r.Events, wire.Event{Kv: &wire.KeyValue{Key: "/a", Value: strings.Repeat("x", 300<<10), ModRevision: rev}})
	}
	for limit, want := range map[int]int{responseSize(r): 2, responseSize(r) + 1: 1} {
		store := &mvcc.WatchableStore{}
		store.Reset(mvcc.Options{}, &mvcc.Contents{Revision: 1})
		s := NewWatchServer(store, Numbers{})
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
