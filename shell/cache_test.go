package shell_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/watchbed/watchbed/shell"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

func TestConsistentListSeesEveryWrite(t *testing.T) {
	e := newEtcd()
	e.set(prefix+"a", "1")
	c := start(t, e, with(cache.Amounts{ListPageSize: 1}))
	require.Equal(t, []string{"a=1"}, keysOf(list(t, c, consistent).Items))
	for i := range 100 {
		rv := e.set(prefix+"a", fmt.Sprint(i))
		got := list(t, c, consistent)
		require.GreaterOrEqual(t, got.ResourceVersion, rv)
		require.Equal(t, []string{fmt.Sprint("a=", i)}, keysOf(got.Items))
		require.Equal(t, wire.FromCache, got.Origin)
	}
	// No event of the prefix has this revision: only progress can.
	rv := e.set("/registry/nodes/a", "x")
	require.Equal(t, rv, list(t, c, consistent).ResourceVersion)
	report, err := c.Report(t.Context())
	require.NoError(t, err)
	require.NotZero(t, report.CoveragePoints["cache: progress notification taken in"])
	wait := report.Metrics["apiserver_watch_cache_read_wait_seconds"]
	require.NotZero(t, wait.Count())
	requests := report.Metrics[`etcd_requests_total{operation="getCurrentResourceVersion"}`]
	require.EqualValues(t, 102, requests.Sum(), "one for each consistent list")
	e.remove(prefix + "a")
	require.Empty(t, list(t, c, consistent).Items)
}

// The watch is Kubernetes': from behind the list, with the previous value and
// with progress.
func TestOptionsOfTheWatch(t *testing.T) {
	e := newEtcd()
	rv := e.set(prefix+"a", "1")
	c := start(t, e, cache.Config{})
	e.set(prefix+"a", "2")
	list(t, c, consistent)
	e.mu.Lock()
	defer e.mu.Unlock()
	require.Equal(t, rv+1, e.watched.Rev())
	want := clientv3.OpGet(prefix, clientv3.WithPrefix(), clientv3.WithRev(rv+1), clientv3.WithPrevKV(), clientv3.WithProgressNotify())
	require.Equal(t, want, e.watched)
}

func TestReadTimes(t *testing.T) {
	e := newEtcd()
	var last shell.ReadTimes
	c, err := shell.Start(t.Context(), e.client(t), shell.Config{
		Cache:  cache.Config{Prefix: prefix},
		OnRead: func(times shell.ReadTimes) { last = times },
	})
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.Ready(t.Context()))

	const slow = 200 * time.Millisecond
	e.hang(true)
	time.AfterFunc(slow, func() { e.hang(false) })
	list(t, c, consistent)
	require.GreaterOrEqual(t, last.Total, last.Etcd+last.Wait+last.Serve)
	require.GreaterOrEqual(t, last.Etcd, slow/2, "etcd took its time")
	require.Less(t, last.Wait, slow/2, "and the cache did not")

	last = shell.ReadTimes{}
	time.AfterFunc(slow, func() { e.set(prefix+"a", "1") })
	list(t, c, wire.ListRequest{Prefix: prefix, ResourceVersion: 2, Match: wire.MatchNotOlderThan})
	require.Zero(t, last.Etcd, "etcd was not asked")
	require.GreaterOrEqual(t, last.Wait, slow/2)
}

// The cache's timers are real time.
func TestTimeout(t *testing.T) {
	const timeout = 50 * time.Millisecond
	c := start(t, newEtcd(), with(cache.Amounts{Limits: read.Limits{BlockTimeout: timeout}}))
	began := time.Now()
	_, err := c.List(t.Context(), wire.ListRequest{Prefix: prefix, ResourceVersion: 100, Match: wire.MatchNotOlderThan})
	took := time.Since(began)
	var refused *shell.StatusError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, 504, refused.HTTPStatus())
	require.GreaterOrEqual(t, took, timeout)
	require.Less(t, took, 20*timeout)
}

// After each way in which a watch ends, the cache becomes equal to etcd again.
func TestWatchesThatEnd(t *testing.T) {
	for name, end := range map[string]*clientv3.WatchResponse{
		"compacted":       {Canceled: true, CompactRevision: 7},
		"no leader":       {Canceled: true},
		"without a word":  nil,
		"no previous one": {Events: []*clientv3.Event{{Type: clientv3.EventTypeDelete, Kv: &mvccpb.KeyValue{Key: []byte(prefix + "a"), ModRevision: 9}}}},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEtcd()
			e.set(prefix+"a", "1")
			c := start(t, e, with(cache.Amounts{RelistDelay: 10 * time.Millisecond}))
			if end == nil {
				// A response that says nothing is passed over; the channel closes.
				end = &clientv3.WatchResponse{}
			}
			e.breakWatches(end)
			e.set(prefix+"b", "2")
			require.Eventually(t, func() bool {
				got, err := c.List(t.Context(), consistent)
				return err == nil && len(got.Items) == 2
			}, 5*time.Second, 5*time.Millisecond)
		})
	}
}

func TestGet(t *testing.T) {
	e := newEtcd()
	rv := e.set(prefix+"a", "1")
	c := start(t, e, cache.Config{})
	for _, from := range []int64{wire.Unset, 0, rv} {
		got, err := c.Get(t.Context(), wire.GetRequest{Key: prefix + "a", ResourceVersion: from})
		require.NoError(t, err)
		require.Equal(t, &wire.KeyValue{Key: prefix + "a", Value: "1", CreateRevision: rv, ModRevision: rv, Version: 1}, got.Item)
		got, err = c.Get(t.Context(), wire.GetRequest{Key: prefix + "b", ResourceVersion: from})
		require.NoError(t, err)
		require.Nil(t, got.Item)
	}
	_, err := c.Get(t.Context(), wire.GetRequest{Key: "/registry/nodes/a"})
	require.ErrorIs(t, err, &shell.StatusError{Code: wire.BadRequest})
}

func TestWatch(t *testing.T) {
	e := newEtcd()
	rv := e.set(prefix+"a", "1")
	c := start(t, e, cache.Config{})
	w, err := c.Watch(t.Context(), wire.WatchRequest{Prefix: prefix, ResourceVersion: rv})
	require.NoError(t, err)
	next := func() *wire.WatchEvent {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		got, err := w.Next(ctx)
		require.NoError(t, err)
		return got
	}
	e.set(prefix+"a", "2")
	e.set(prefix+"b", "3")
	e.remove(prefix + "a")
	got := next()
	require.Equal(t, wire.Modified, got.Type)
	require.Equal(t, "2", got.Item.Value)
	require.Equal(t, "1", got.Prev.Value)
	require.Equal(t, wire.Added, next().Type)
	got = next()
	require.Equal(t, wire.Deleted, got.Type)
	require.Equal(t, rv+3, got.ResourceVersion)
	require.Equal(t, "2", got.Item.Value)

	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err = w.Next(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	e.set(prefix+"c", "4")
	require.Equal(t, prefix+"c", next().Item.Key, "a Next that gave up took nothing with it")
}

// The caller is slower than the writers and misses nothing: the channels between
// them fill and empty again and again.
func TestSlowCaller(t *testing.T) {
	e := newEtcd()
	rv := e.set(prefix+"a", "0")
	// A watcher that does not keep up is ended only if its channels are full for
	// longer than the dispatcher's budget; these hold everything.
	const writes = 3000
	c := start(t, e, with(cache.Amounts{Amounts: dispatch.Amounts{WatchCapacity: writes}}))
	w, err := c.Watch(t.Context(), wire.WatchRequest{Prefix: prefix, ResourceVersion: rv})
	require.NoError(t, err)
	for i := range writes {
		e.set(prefix+"a", fmt.Sprint(i))
	}
	list(t, c, consistent)
	for seen := rv; seen < rv+writes; seen++ {
		got, err := w.Next(t.Context())
		require.NoError(t, err)
		require.Equal(t, seen+1, got.ResourceVersion)
		if seen%500 == 0 {
			time.Sleep(time.Millisecond)
		}
	}
}

func TestWatchTooOld(t *testing.T) {
	e := newEtcd()
	for range 5 {
		e.set(prefix+"a", "1")
	}
	c := start(t, e, cache.Config{})
	w, err := c.Watch(t.Context(), wire.WatchRequest{Prefix: prefix, ResourceVersion: 2})
	require.NoError(t, err)
	_, err = w.Next(t.Context())
	require.ErrorIs(t, err, &shell.StatusError{Code: wire.ErrCompacted})
	_, err = w.Next(t.Context())
	require.ErrorIs(t, err, io.EOF)
}

// Etcd does not answer, watches and lists are under way: Close ends it all.
func TestCloseLeavesNothing(t *testing.T) {
	e := newEtcd()
	rv := e.set(prefix+"a", "1")
	c, err := shell.Start(context.Background(), e.client(t), shell.Config{Cache: with(cache.Amounts{Limits: read.Limits{BlockTimeout: time.Hour}})})
	require.NoError(t, err)
	require.NoError(t, c.Ready(t.Context()))
	w, err := c.Watch(t.Context(), wire.WatchRequest{Prefix: prefix, ResourceVersion: rv})
	require.NoError(t, err)
	e.hang(true)
	errs := make(chan error)
	for _, ask := range []func() error{
		func() error { _, err := c.List(t.Context(), consistent); return err },
		func() error {
			_, err := c.List(t.Context(), wire.ListRequest{Prefix: prefix, ResourceVersion: rv + 1, Match: wire.MatchNotOlderThan})
			return err
		},
		func() error {
			_, err := c.Get(t.Context(), wire.GetRequest{Key: prefix + "a", ResourceVersion: wire.Unset})
			return err
		},
		func() error { _, err := w.Next(t.Context()); return err },
	} {
		go func() { errs <- ask() }()
	}
	require.Eventually(t, func() bool {
		return len(running("shell.(*Cache).ask")) == 3 && len(running("shell_test.(*etcd).Watch")) > 0
	}, 5*time.Second, time.Millisecond)
	c.Close()
	for range 4 {
		require.ErrorIs(t, <-errs, shell.ErrClosed)
	}
	require.ErrorIs(t, c.Ready(t.Context()), shell.ErrClosed)
	_, err = c.Watch(t.Context(), wire.WatchRequest{Prefix: prefix})
	require.ErrorIs(t, err, shell.ErrClosed)
	_, err = c.Report(t.Context())
	require.ErrorIs(t, err, shell.ErrClosed)
	// A goroutine that has done its last is still there for a moment.
	require.Eventually(t, func() bool {
		return len(running("shell.(*")) == 0 && len(running("shell_test.(*etcd).Watch")) == 0
	}, 5*time.Second, time.Millisecond)
}

// running are the goroutines that are in a function of the name, or were started
// by it.
func running(function string) (found []string) {
	stacks := make([]byte, 1<<20)
	for stack := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
		if strings.Contains(stack, "watchbed/"+function) {
			found = append(found, stack)
		}
	}
	return found
}

// The context that a cache was started with ends it too.
func TestContextEndsTheCache(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c, err := shell.Start(ctx, newEtcd().client(t), shell.Config{Cache: cache.Config{Prefix: prefix}})
	require.NoError(t, err)
	require.NoError(t, c.Ready(t.Context()))
	cancel()
	require.Eventually(t, func() bool {
		_, err := c.List(t.Context(), consistent)
		return errors.Is(err, shell.ErrClosed)
	}, 5*time.Second, time.Millisecond)
	c.Close()
}

// Callers that give up leave nothing that grows.
func TestAbandonedReads(t *testing.T) {
	e := newEtcd()
	rv := e.set(prefix+"a", "1")
	c := start(t, e, with(cache.Amounts{Limits: read.Limits{BlockTimeout: time.Minute}}))
	for range 100 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		_, err := c.List(ctx, wire.ListRequest{Prefix: prefix, ResourceVersion: rv + 1, Match: wire.MatchNotOlderThan})
		cancel()
		require.ErrorIs(t, err, context.DeadlineExceeded)
	}
	_, err := c.List(canceled(t), consistent)
	require.ErrorIs(t, err, context.Canceled)
	// The cache finishes them for itself once it can.
	e.set(prefix+"a", "2")
	require.Equal(t, []string{"a=2"}, keysOf(list(t, c, consistent).Items))
	report, err := c.Report(t.Context())
	require.NoError(t, err)
	require.NotZero(t, report.CoveragePoints["cache: read waits"])
	require.Equal(t, report.CoveragePoints["cache: read waits"], report.CoveragePoints["cache: read served after waiting"])
}

func canceled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// TestOneWriteReleasesAllWaitingReads: one write releases all reads that wait for
// it.
func TestOneWriteReleasesAllWaitingReads(t *testing.T) {
	e := newEtcd()
	c := start(t, e, with(cache.Amounts{Limits: read.Limits{BlockTimeout: time.Minute}}))
	const readers = 500
	future := wire.ListRequest{Prefix: prefix, ResourceVersion: 2, Match: wire.MatchNotOlderThan}
	errs := make(chan error)
	for range readers {
		go func() { _, err := c.List(t.Context(), future); errs <- err }()
	}
	require.Eventually(t, func() bool {
		report, err := c.Report(t.Context())
		return err == nil && report.CoveragePoints["cache: read waits"] == readers
	}, 5*time.Second, time.Millisecond)
	e.set(prefix+"a", "1")
	for range readers {
		require.NoError(t, <-errs)
	}
}

func TestWrongConfigIsRefused(t *testing.T) {
	for _, cfg := range []cache.Config{{}, {Prefix: "/"}, {Prefix: "/registry/pods"}, {Prefix: prefix, Metadata: "cache"}, {Prefix: prefix, Metadata: "=cache"}, {Prefix: prefix, Fields: []store.Field{{Name: "spec.nodeName"}}}} {
		_, err := shell.Start(t.Context(), newEtcd().client(t), shell.Config{Cache: cfg})
		require.ErrorContains(t, err, "Config.Cache.", "%+v", cfg)
	}
}
