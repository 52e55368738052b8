package shell_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/shell"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

// What k8s.io/apiserver's storage.Interface asks of a cache beyond LISTs of a prefix.

// selectable has the fields of a value "node.app": a field with an index, one without, and a
// label.
var selectable = store.Fields{
	{Name: "node", Indexed: true, Value: func(kv *wire.KeyValue) string { return strings.Split(kv.Value, ".")[0] }},
	{Name: "phase", Value: func(kv *wire.KeyValue) string { return kv.Value[len(kv.Value)-1:] }},
	{Name: "app", IsLabel: true, Value: func(kv *wire.KeyValue) string { return strings.Split(kv.Value, ".")[1] }},
}

func next(t *testing.T, w *shell.Watch) *wire.WatchEvent {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	e, err := w.Next(ctx)
	require.NoError(t, err)
	return e
}

func TestWatchOfASingleKey(t *testing.T) {
	for _, served := range []dispatch.Delegation{0, dispatch.DelegateWatches} {
		e := newEtcd()
		e.set(prefix+"a", "1")
		e.set(prefix+"ab", "1")
		c := start(t, e, cache.Config{Options: cache.Options{Watches: dispatch.Options{Delegation: served}}})
		w, err := c.Watch(t.Context(), wire.WatchRequest{Prefix: prefix + "a", Single: true})
		require.NoError(t, err)
		require.Equal(t, prefix+"a", next(t, w).Item.Key)
		e.set(prefix+"ab", "2")
		e.set(prefix+"b", "2")
		changed := e.set(prefix+"a", "2")
		require.Equal(t, changed, next(t, w).ResourceVersion, "the first event is of the object itself")
		w.Stop()
	}
}

func TestListOfOneObject(t *testing.T) {
	e := newEtcd()
	e.set(prefix+"ab", "1")
	rv := e.set(prefix+"a", "1")
	c := start(t, e, cache.Config{Fields: selectable})
	single := func(key string, version int64, match wire.ResourceVersionMatch) wire.ListRequest {
		return wire.ListRequest{Prefix: prefix + key, ResourceVersion: version, Match: match, Single: true}
	}
	for name, req := range map[string]wire.ListRequest{
		"consistent": single("a", wire.Unset, wire.MatchUnset), "any": single("a", 0, wire.MatchUnset),
		"not older": single("a", rv, wire.MatchNotOlderThan),
	} {
		got := list(t, c, req)
		require.Equal(t, []string{"a=1"}, keysOf(got.Items), name)
		require.Equal(t, wire.FromCache, got.Origin, name)
		require.Equal(t, rv, got.ResourceVersion, name)
		require.Empty(t, got.Continue, name)
	}
	exact := list(t, c, single("a", rv, wire.MatchExact))
	require.Equal(t, []string{"a=1"}, keysOf(exact.Items))
	require.Equal(t, wire.FromEtcd, exact.Origin, "the cache has no past of one object")
	limited := single("a", wire.Unset, wire.MatchUnset)
	limited.Limit = 1
	require.Empty(t, list(t, c, limited).Continue)
	other := single("a", 0, wire.MatchUnset)
	other.Selector = wire.Selector{Field: "phase", Value: "2"}
	require.Empty(t, list(t, c, other).Items)
}

// The resourceVersion of an answer without an object is that of the state that has none.
func TestAnswersWithoutObjects(t *testing.T) {
	e := newEtcd()
	c := start(t, e, cache.Config{})
	rv := e.set("/registry/nodes/a", "1")
	for _, req := range []wire.ListRequest{consistent, {Prefix: prefix + "a", ResourceVersion: wire.Unset, Single: true}} {
		got := list(t, c, req)
		require.Empty(t, got.Items)
		require.Equal(t, rv, got.ResourceVersion)
	}
	for _, from := range []int64{wire.Unset, rv} {
		got, err := c.Get(t.Context(), wire.GetRequest{Key: prefix + "a", ResourceVersion: from})
		require.NoError(t, err)
		require.Nil(t, got.Item)
		require.Equal(t, rv, got.ResourceVersion)
	}
}

func TestSelectorsOfSeveralTerms(t *testing.T) {
	e := newEtcd()
	e.set(prefix+"a", "n1.web.1")
	e.set(prefix+"b", "n1.web.2")
	e.set(prefix+"c", "n1.db.1")
	e.set(prefix+"d", "n2.web.1")
	c := start(t, e, cache.Config{Fields: selectable})
	node, phase := wire.Selector{Field: "node", Value: "n1"}, wire.Selector{Field: "phase", Value: "1"}
	app := wire.Selector{Label: "app", LabelValue: "web"}
	with := func(s, and wire.Selector) wire.Selector {
		s.And = &and
		return s
	}
	selected := func(s wire.Selector, rv int64) []string {
		return keysOf(list(t, c, wire.ListRequest{Prefix: prefix, ResourceVersion: rv, Selector: s}).Items)
	}
	for _, rv := range []int64{0, wire.Unset} {
		require.Equal(t, []string{"a=n1.web.1", "c=n1.db.1"}, selected(with(phase, node), rv), "the index is of the second term")
		require.Equal(t, []string{"a=n1.web.1", "b=n1.web.2"}, selected(with(node, app), rv))
		require.Equal(t, []string{"a=n1.web.1"}, selected(with(app, with(phase, node)), rv))
		require.Equal(t, []string{"a=n1.web.1", "b=n1.web.2", "d=n2.web.1"}, selected(app, rv), "a label alone")
		require.Empty(t, selected(with(node, wire.Selector{Field: "node", Value: "n2"}), rv))
	}
	_, err := c.List(t.Context(), wire.ListRequest{Prefix: prefix, Selector: with(node, wire.Selector{Field: "none"})})
	require.ErrorIs(t, err, &shell.StatusError{Code: wire.BadRequest})

	w, err := c.Watch(t.Context(), wire.WatchRequest{Prefix: prefix, ResourceVersion: wire.Unset, Selector: with(phase, with(node, app))})
	require.NoError(t, err)
	require.Equal(t, prefix+"a", next(t, w).Item.Key, "the initial events are selected")
	e.set(prefix+"d", "n2.web.2")
	into := e.set(prefix+"c", "n1.web.1")
	added := next(t, w)
	require.Equal(t, wire.Added, added.Type)
	require.Equal(t, into, added.ResourceVersion)
	out := e.set(prefix+"a", "n1.web.2")
	deleted := next(t, w)
	require.Equal(t, wire.Deleted, deleted.Type)
	require.Equal(t, out, deleted.ResourceVersion)
}

func TestKeysOnly(t *testing.T) {
	e := newEtcd()
	e.set(prefix+"a", "1")
	e.set(prefix+"b", "2")
	c := start(t, e, cache.Config{Fields: selectable})
	for _, fromEtcd := range []bool{false, true} {
		req := consistent
		req.KeysOnly, req.FromEtcd = true, fromEtcd
		require.Equal(t, []string{"a=", "b="}, keysOf(list(t, c, req).Items))
	}
	require.Equal(t, []string{"a=1", "b=2"}, keysOf(list(t, c, consistent).Items), "the cache keeps its values")
	req := consistent
	req.KeysOnly, req.Selector = true, wire.Selector{Field: "node", Value: "1"}
	_, err := c.List(t.Context(), req)
	require.ErrorIs(t, err, &shell.StatusError{Code: wire.BadRequest})
}

// A page whose revision is gone is refused with the token of its rest, which is of the newest
// state (resourceVersion -1 in the token).
func TestPagesAndTheRestOfACompactedOne(t *testing.T) {
	e := newEtcd()
	for _, key := range []string{"a", "b", "c"} {
		e.set(prefix+key, "1")
	}
	c := start(t, e, cache.Config{})
	req := wire.ListRequest{Prefix: prefix, ResourceVersion: wire.Unset, Limit: 1}
	page := list(t, c, req)
	require.Equal(t, []string{"a=1"}, keysOf(page.Items))
	require.EqualValues(t, 2, page.RemainingItemCount)
	newest := e.set(prefix+"c", "2")
	e.mu.Lock()
	e.compacted = newest
	e.mu.Unlock()
	req.Continue = page.Continue
	_, err := c.List(t.Context(), req)
	var refused *shell.StatusError
	require.True(t, errors.As(err, &refused), "%v", err)
	require.Equal(t, 410, refused.HTTPStatus())
	require.NotEmpty(t, refused.Continue)
	req.Continue, req.Limit = refused.Continue, 0
	rest := list(t, c, req)
	require.Equal(t, []string{"b=1", "c=2"}, keysOf(rest.Items))
	require.Equal(t, newest, rest.ResourceVersion)
}

// TestCallersContextReachesEtcd: the requests to etcd on behalf of a caller have its deadline,
// and end with it.
func TestCallersContextReachesEtcd(t *testing.T) {
	for name, ask := range map[string]func(ctx context.Context, c *shell.Cache) error{
		"delegated": func(ctx context.Context, c *shell.Cache) error {
			_, err := c.Get(ctx, wire.GetRequest{Key: prefix + "a", ResourceVersion: wire.Unset})
			return err
		},
		"revision": func(ctx context.Context, c *shell.Cache) error {
			_, err := c.List(ctx, consistent)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEtcd()
			c := start(t, e, cache.Config{})
			list(t, c, consistent)
			e.hang(true)
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			require.ErrorIs(t, ask(ctx, c), context.DeadlineExceeded)
			require.Eventually(t, func() bool {
				e.mu.Lock()
				defer e.mu.Unlock()
				return len(e.gaveUp) == 1
			}, 10*time.Second, time.Millisecond, "the read in etcd ends too")
			want, _ := ctx.Deadline()
			got, ok := e.gaveUp[0].Deadline()
			require.True(t, ok)
			require.Equal(t, want, got)
		})
	}
}

// TestASharedQuestionHasTheContextOfNoCaller: with the option revision-sharing one read of etcd's
// revision is for several callers. It goes on when one of them gives up.
func TestASharedQuestionHasTheContextOfNoCaller(t *testing.T) {
	e := newEtcd()
	c := start(t, e, cache.Config{Options: cache.Options{
		Reads: read.Options{SharesRevision: true}, Amounts: cache.Amounts{Limits: read.Limits{AccumulatePeriod: 200 * time.Millisecond}},
	}})
	e.hang(true)
	ctx, giveUp := context.WithCancel(t.Context())
	ask := func(ctx context.Context) <-chan error {
		failed := make(chan error, 1)
		go func() { _, err := c.List(ctx, consistent); failed <- err }()
		return failed
	}
	first := ask(ctx)
	second := ask(t.Context())
	require.Eventually(t, func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		return e.waiting > 0
	}, 10*time.Second, time.Millisecond, "etcd is asked")
	giveUp()
	require.ErrorIs(t, <-first, context.Canceled)
	e.hang(false)
	require.NoError(t, <-second)
	report, err := c.Report(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 1, report.CoveragePoints["cache: revision read for several reads"])
}

// A watch asks etcd for its revision on behalf of its caller too.
func TestStoppedWatchAsksEtcdNoLonger(t *testing.T) {
	e := newEtcd()
	c := start(t, e, cache.Config{})
	e.hang(true)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := c.Watch(ctx, fromNow)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Eventually(t, func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		return len(e.gaveUp) == 1
	}, 10*time.Second, time.Millisecond)
}

func TestStats(t *testing.T) {
	e := newEtcd()
	e.set(prefix+"a", "12")
	e.set(prefix+"b", "1234")
	c := start(t, e, cache.Config{})
	got, err := c.Stats(t.Context())
	require.NoError(t, err)
	require.Equal(t, shell.Stats{ObjectCount: 2}, got, "sizes are not estimated")

	sized, err := shell.Start(t.Context(), e.client(t), shell.Config{Cache: cache.Config{Prefix: prefix}, EstimateSizes: true})
	require.NoError(t, err)
	defer sized.Close()
	require.NoError(t, sized.Ready(t.Context()))
	is := func(count, average int64) {
		t.Helper()
		got, err := sized.Stats(t.Context())
		require.NoError(t, err)
		require.Equal(t, shell.Stats{ObjectCount: count, EstimatedAverageObjectSizeBytes: average}, got)
	}
	is(2, 3)
	e.set(prefix+"c", "123456789")
	is(3, 5)
	e.remove(prefix + "b")
	is(2, 5)
	e.set(prefix+"c", "12")
	is(2, 2)
}
