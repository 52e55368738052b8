package cache_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

// A buffer that has room for one more event, as another module could write it.
var _ = dispatch.Buffers.Register("one-more", "one event more than the channel holds", dispatch.Buffering{MakeRoom: func(_ *sim.Env, w *dispatch.Watcher, _ *store.Event) bool {
	if w.Capacity() > 2 {
		return false
	}
	w.SetCapacity(3)
	return true
}})

func TestAnotherModuleAddsABuffer(t *testing.T) {
	b := slowList(t, "initial-events-buffer", "one-more")
	b.write(6, 8)
	require.False(t, b.can("dispatch budget"), "three events fit")
	b.write(9, 9)
	b.do("dispatch budget")
	b.release()
	require.Equal(t, []string{"ADDED@3 a", "ADDED@4 b", "closed"}, b.seen())
}

var _ = read.Timeouts.Register("teapot", "an error of another module", func(env *sim.Env, r *read.Read) {
	r.Refuse(env, &wire.Error{Code: wire.Unavailable, Message: "short and stout"})
})

func TestAnotherModuleAddsAnEndOfReads(t *testing.T) {
	b := newBed(t, config(with(t, "on-timeout", "teapot")))
	b.listed(5)
	b.ask(consistentList())
	b.settle()
	b.answer(&wire.RangeResponse{Revision: 8})
	b.do("timeout of read 0")
	b.settle()
	refused, _ := take[*wire.Error](b, b.down)
	require.Equal(t, "short and stout", refused.Message)
}
