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

	"github.com/google/go-cmp/cmp"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"

	"github.com/watchbed/watchbed/conformance/realetcd"
	"github.com/watchbed/watchbed/shell"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/wire"
)

const prefix = "/registry/pods/"

func connect(t testing.TB, server *realetcd.Server) *clientv3.Client {
	t.Helper()
	client, err := clientv3.New(clientv3.Config{
		Endpoints:   []string{server.Endpoint},
		DialOptions: []grpc.DialOption{grpc.WithNoProxy()},
		Logger:      zap.NewNop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

// with is a configuration with amounts of its own.
func with(a cache.Amounts) cache.Config {
	return cache.Config{Prefix: prefix, Options: cache.Options{Amounts: a}}
}

func start(t testing.TB, client *clientv3.Client, cfg cache.Config) *shell.Cache {
	t.Helper()
	cfg.Prefix = prefix
	c, err := shell.Start(t.Context(), client, shell.Config{Cache: cfg})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if err := c.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

func put(t testing.TB, client *clientv3.Client, key, value string) int64 {
	t.Helper()
	res, err := client.Put(t.Context(), key, value)
	if err != nil {
		t.Fatal(err)
	}
	return res.Header.Revision
}

// consistent is a LIST as kubectl sends it.
var consistent = wire.ListRequest{Prefix: prefix, ResourceVersion: wire.Unset}

func contents(items []*wire.KeyValue) (all []string) {
	for _, kv := range items {
		all = append(all, fmt.Sprintf("%s=%s@%d", strings.TrimPrefix(kv.Key, prefix), kv.Value, kv.ModRevision))
	}
	return all
}

func TestReadsAndWatches(t *testing.T) {
	for _, version := range realetcd.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			client := connect(t, realetcd.StartForTest(t, version))
			a := put(t, client, prefix+"a", "1")
			c := start(t, client, cache.Config{})
			list := func(req wire.ListRequest) *wire.ListResponse {
				t.Helper()
				got, err := c.List(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				return got
			}

			b := put(t, client, prefix+"b", "2")
			elsewhere := put(t, client, "/registry/nodes/a", "x")
			got := list(consistent)
			for deadline := time.Now().Add(5 * time.Second); version == early && len(got.Items) < 2 && time.Now().Before(deadline); {
				// The progress may have overtaken the event of b.
				got = list(consistent)
			}
			want := []string{fmt.Sprintf("a=1@%d", a), fmt.Sprintf("b=2@%d", b)}
			if diff := cmp.Diff(want, contents(got.Items)); diff != "" || got.ResourceVersion != elsewhere || got.Origin != wire.FromCache {
				t.Errorf("RV %d from %s, want %d from the cache: %s", got.ResourceVersion, got.Origin, elsewhere, diff)
			}

			item, err := c.Get(t.Context(), wire.GetRequest{Key: prefix + "b", ResourceVersion: b})
			if err != nil || item.Item == nil || item.Item.Value != "2" || item.Item.CreateRevision != b || item.Item.Version != 1 {
				t.Errorf("got %+v, %v", item, err)
			}
			item, err = c.Get(t.Context(), wire.GetRequest{Key: prefix + "none", ResourceVersion: wire.Unset})
			if err != nil || item.Item != nil {
				t.Errorf("got %+v, %v", item, err)
			}

			w, err := c.Watch(t.Context(), wire.WatchRequest{Prefix: prefix, ResourceVersion: a})
			if err != nil {
				t.Fatal(err)
			}
			updated := put(t, client, prefix+"a", "3")
			if _, err := client.Delete(t.Context(), prefix+"b"); err != nil {
				t.Fatal(err)
			}
			var events []string
			for range 3 {
				e, err := w.Next(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				events = append(events, fmt.Sprintf("%s %d %s=%s", e.Type, e.ResourceVersion, e.Item.Key, e.Item.Value))
			}
			if diff := cmp.Diff([]string{
				fmt.Sprintf("ADDED %d %sb=2", b, prefix),
				fmt.Sprintf("MODIFIED %d %sa=3", updated, prefix),
				fmt.Sprintf("DELETED %d %sb=2", updated+1, prefix),
			}, events); diff != "" {
				t.Error(diff)
			}
			w.Stop()
			w.Stop()
			if _, err := w.Next(t.Context()); !errors.Is(err, io.EOF) {
				t.Errorf("after Stop: %v", err)
			}
		})
	}
}

// What the API server would refuse is refused with its status.
func TestRefusals(t *testing.T) {
	versions := realetcd.Versions()
	client := connect(t, realetcd.StartForTest(t, versions[len(versions)-1]))
	rv := put(t, client, prefix+"a", "1")
	c := start(t, client, with(cache.Amounts{Limits: read.Limits{BlockTimeout: 100 * time.Millisecond}}))
	changes, err := c.Watch(t.Context(), wire.WatchRequest{Prefix: prefix, ResourceVersion: rv})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		rv = put(t, client, prefix+"a", "2")
	}
	// Ready says that the cache has its list, and not that its own watch has begun.
	// A watch that begins behind the first put waits up to 100 ms for etcd's next sync:
	// a compaction in between cancels it, and the cache starts again, with 429 until it
	// has listed. So the compaction waits until the cache has seen all puts.
	for seen := int64(0); seen < rv; {
		e, err := changes.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		seen = e.ResourceVersion
	}
	changes.Stop()
	if _, err := client.Compact(t.Context(), rv); err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct {
		name   string
		req    wire.ListRequest
		status int
	}{
		{"invalid", wire.ListRequest{Prefix: prefix, ResourceVersion: 0, Match: wire.MatchExact}, 400},
		{"compacted", wire.ListRequest{Prefix: prefix, ResourceVersion: rv - 2, Match: wire.MatchExact}, 410},
		{"future", wire.ListRequest{Prefix: prefix, ResourceVersion: rv + 1000, Match: wire.MatchNotOlderThan}, 504},
		{"of another cache", wire.ListRequest{Prefix: "/registry/nodes/", ResourceVersion: wire.Unset}, 400},
		{"of a sibling", wire.ListRequest{Prefix: "/registry/podsandbox/", ResourceVersion: wire.Unset}, 400},
	} {
		t.Run(one.name, func(t *testing.T) {
			_, err := c.List(t.Context(), one.req)
			var refused *shell.StatusError
			if !errors.As(err, &refused) || refused.HTTPStatus() != one.status || refused.Error() == "" {
				t.Errorf("%v, want status %d", err, one.status)
			}
		})
	}
	w, err := c.Watch(t.Context(), wire.WatchRequest{Prefix: prefix, ResourceVersion: 1})
	if err != nil {
		t.Fatal(err)
	}
	var refused *shell.StatusError
	if _, err := w.Next(t.Context()); !errors.As(err, &refused) || refused.HTTPStatus() != 410 {
		t.Errorf("a watch from before the cache: %v, want status 410", err)
	}
}

// A caller that goes away, or that closes the cache, is let go at once, and
// nothing of the cache stays.
func TestCancelAndClose(t *testing.T) {
	versions := realetcd.Versions()
	client := connect(t, realetcd.StartForTest(t, versions[len(versions)-1]))
	rv := put(t, client, prefix+"a", "1")
	c, err := shell.Start(t.Context(), client, shell.Config{Cache: with(cache.Amounts{Limits: read.Limits{BlockTimeout: time.Minute}})})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	future := wire.ListRequest{Prefix: prefix, ResourceVersion: rv + 1000, Match: wire.MatchNotOlderThan}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := c.List(ctx, future); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a list whose caller has given up: %v", err)
	}

	watched, err := c.Watch(t.Context(), wire.WatchRequest{Prefix: prefix, ResourceVersion: rv})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Watch(ctx, wire.WatchRequest{Prefix: prefix, ResourceVersion: rv}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a watch whose caller has given up: %v", err)
	}
	until, leave := context.WithCancel(t.Context())
	left, err := c.Watch(until, wire.WatchRequest{Prefix: prefix, ResourceVersion: rv})
	if err != nil {
		t.Fatal(err)
	}
	leave()
	if _, err := left.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("a watch whose context is over: %v", err)
	}

	waiting := make(chan error)
	go func() {
		_, err := c.List(context.Background(), future)
		waiting <- err
	}()
	time.Sleep(20 * time.Millisecond)
	c.Close()
	c.Close()
	if err := <-waiting; !errors.Is(err, shell.ErrClosed) {
		t.Errorf("a list under way: %v", err)
	}
	if _, err := c.List(t.Context(), consistent); !errors.Is(err, shell.ErrClosed) {
		t.Errorf("a list after Close: %v", err)
	}
	if _, err := watched.Next(t.Context()); !errors.Is(err, shell.ErrClosed) {
		t.Errorf("a watch after Close: %v", err)
	}
	nothingOfTheCache(t)
}

// nothingOfTheCache fails if a goroutine of the shell stays. Those of clientv3 do not count: it
// keeps a stream that it has opened for a watch whose context was canceled before the stream
// took it, until the client is closed or watches again.
func nothingOfTheCache(t *testing.T) {
	t.Helper()
	stacks := make([]byte, 1<<20)
	of := func() string { return string(stacks[:runtime.Stack(stacks, true)]) }
	deadline := time.Now().Add(5 * time.Second)
	for strings.Contains(of(), "watchbed/watchbed/shell.") {
		if time.Now().After(deadline) {
			t.Fatal(of())
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// A caller that does not take its events does not delay other callers. It misses
// no event, or gets an error.
func TestSlowWatcher(t *testing.T) {
	versions := realetcd.Versions()
	client := connect(t, realetcd.StartForTest(t, versions[len(versions)-1]))
	rv := put(t, client, prefix+"a", "0")
	c := start(t, client, cache.Config{})
	slow, err := c.Watch(t.Context(), wire.WatchRequest{Prefix: prefix, ResourceVersion: rv})
	if err != nil {
		t.Fatal(err)
	}
	const writes = 1000
	for i := range writes {
		put(t, client, prefix+"a", fmt.Sprint(i))
	}
	// The cache is not held up by it.
	got, err := c.List(t.Context(), consistent)
	if err != nil || got.ResourceVersion < rv+writes {
		t.Fatalf("%+v, %v", got, err)
	}
	seen := rv
	for {
		e, err := slow.Next(t.Context())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e.ResourceVersion != seen+1 {
			t.Fatalf("%d follows %d", e.ResourceVersion, seen)
		}
		seen++
	}
	if seen >= rv+writes {
		t.Error("a watcher with three full channels was never ended")
	}
	// From there it can go on.
	again, err := c.Watch(t.Context(), wire.WatchRequest{Prefix: prefix, ResourceVersion: seen})
	if err != nil {
		t.Fatal(err)
	}
	for seen < rv+writes {
		e, err := again.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if e.ResourceVersion != seen+1 {
			t.Fatalf("%d follows %d", e.ResourceVersion, seen)
		}
		seen++
	}
}
