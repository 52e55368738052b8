package cache_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/wire"
)

// listener asks for initial events again and again, takes them one by one, and
// keeps what a reflector would.
type listener struct {
	sim.Idle
	etcd *rightEtcd
	left int
	conn sim.Conn
	// notBefore is what the end must not be older than.
	notBefore int64
	items     []*wire.KeyValue
	// position is the version of the end, or of what came after it; 0 before.
	position int64
	ends     int
	err      error
}

const (
	listenerAsks sim.Task = iota
	listenerTakes
)

func (l *listener) Start(env *sim.Env) { env.Enable(listenerAsks) }

func (l *listener) Run(env *sim.Env, t sim.Task) {
	if t == listenerTakes {
		env.Release(l.conn)
		return
	}
	if l.conn != sim.NoConn {
		env.Close(l.conn)
	}
	rv := []int64{wire.Unset, 0, l.etcd.rev, l.etcd.rev + 1}[env.Choose(4, "resourceVersion")]
	l.notBefore = rv
	if rv == wire.Unset {
		l.notBefore = l.etcd.rev
	}
	l.items, l.position = nil, 0
	l.conn = env.Open(cacheID)
	env.Send(l.conn, watchList(rv))
	if l.left--; l.left > 0 {
		env.Enable(listenerAsks)
	}
}

func (l *listener) Receive(env *sim.Env, m *sim.Message) {
	e, ok := m.Payload.(*wire.WatchEvent)
	if m.Conn != l.conn || !ok || e.Type == wire.Failed {
		return
	}
	env.Hold(l.conn)
	env.Enable(listenerTakes)
	if err := l.take(e); l.err == nil {
		l.err = err
	}
}

func (l *listener) take(e *wire.WatchEvent) error {
	before := l.position
	if l.position != 0 || e.Type == wire.Bookmark {
		l.position = e.ResourceVersion
	}
	switch {
	case e.InitialEventsEnd && before != 0:
		return fmt.Errorf("a second end: %s", e.Label())
	case e.Type == wire.Bookmark && before == 0 && !e.InitialEventsEnd:
		return fmt.Errorf("another bookmark before the end: %s", e.Label())
	case e.InitialEventsEnd && e.ResourceVersion < l.notBefore:
		return fmt.Errorf("%s, and not %d", e.Label(), l.notBefore)
	case e.ResourceVersion < before, e.ResourceVersion == before && before != 0 && e.Type != wire.Bookmark:
		return fmt.Errorf("%s after %d", e.Label(), before)
	}
	if e.Item != nil {
		l.items = slices.DeleteFunc(l.items, func(kv *wire.KeyValue) bool { return kv.Key == e.Item.Key })
		if e.Type != wire.Deleted {
			l.items = append(l.items, e.Item)
		}
	}
	if l.position == 0 {
		return nil
	}
	if e.InitialEventsEnd {
		l.ends++
	}
	slices.SortFunc(l.items, func(a, b *wire.KeyValue) int { return strings.Compare(a.Key, b.Key) })
	want := l.etcd.at(l.position)
	if !slices.EqualFunc(want, l.items, func(a, b *wire.KeyValue) bool { return *a == *b }) {
		return fmt.Errorf("after %s: have %v, want %v", e.Label(), values(l.items), values(want))
	}
	return nil
}

func (l *listener) TaskName(sim.Task) string { return "list" }

// With any choices and channels of any size, the end of the initial events comes
// once and after all events up to it, and later events continue from there.
func TestInitialEventsOfAHealthyCache(t *testing.T) {
	ends := 0
	rapid.Check(t, func(rt *rapid.T) {
		c := drawn{rt}
		draw := func(n int) int { return rapid.IntRange(0, n-1).Draw(rt, "config") }
		cfg := randomConfig(draw)
		cfg.Watches.EndByTimer = draw(2) == 1
		safe := []dispatch.Buffer{dispatch.BufferAsShipped, dispatch.BufferCloseEnough, dispatch.BufferDynamic, dispatch.BufferInjectMerged, dispatch.BufferCapped, dispatch.BufferNewestOnly}
		cfg.Watches.Buffer = safe[draw(len(safe))]
		cfg.InitialEventsBytes = 1 + draw(100)
		etcd := &rightEtcd{commits: draw(13)}
		w := sim.NewWorld(sim.Options{})
		w.Add("etcd", etcd)
		w.Add("cache", cache.New(cfg))
		var readers [2]*listener
		for i := range readers {
			readers[i] = &listener{etcd: etcd, left: 3}
			w.Add(fmt.Sprint("listener ", i), readers[i])
		}
		w.Start(c)
		for range rapid.IntRange(0, 300).Draw(rt, "steps") {
			if !w.Step(c) {
				break
			}
			for _, l := range readers {
				if l.err != nil {
					rt.Fatal(l.err)
				}
			}
		}
		for _, l := range readers {
			ends += l.ends
		}
	})
	require.NotZero(t, ends)
}
