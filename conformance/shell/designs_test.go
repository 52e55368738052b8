package shell_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/watchbed/watchbed/conformance/realetcd"
	"github.com/watchbed/watchbed/shell"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

func newest() string { return realetcd.Versions()[len(realetcd.Versions())-1] }

// Every design that needs no other etcd than there is runs on a real one. All
// caches watch one server, side by side, while the same clients write to it.
func TestDesignsOnARealServer(t *testing.T) {
	server := realetcd.StartForTest(t, newest(), "--watch-progress-notify-interval=250ms")
	etcd := connect(t, server)
	for _, design := range cache.Designs() {
		switch design.Name {
		case "stale":
			// Its lists are not consistent, and nothing says that they are.
			continue
		case "direct", "progress-echo":
			// The one has nothing to do with the cache, the other waits for an
			// answer that no release of etcd gives.
			continue
		}
		t.Run(design.Name, func(t *testing.T) {
			// On a busy machine the load takes longer than progress may stay away.
			options, err := design.Options().With("notify-within", "1m")
			if err != nil {
				t.Fatal(err)
			}
			c := start(t, etcd, cache.Config{Options: options, Metadata: "source=" + design.Name})
			if design.Options().Reads.DetectsNotify {
				// The cache relies on progress only after etcd has sent a notification
				// once. The newest servers send a watch no progress below its start.
				put(t, etcd, "/registry/elsewhere", design.Name)
				awaitProgress(t, c)
			}
			h, lists := load{seed: 5, writers: 3, consistent: 4, stale: 2, perClient: 60, think: 3 * time.Millisecond}.record(t, etcd, c)
			judge(t, server.Version, h)
			if n := lists.refused.Load(); n > 0 {
				t.Errorf("%d lists were refused", n)
			}
			if n := lists.elsewhere.Load(); n > int64(len(h.Operations))/4 {
				t.Errorf("etcd answered %d lists of %d operations", n, len(h.Operations))
			}
		})
	}
}

// awaitProgress returns when the cache has taken in a progress notification.
func awaitProgress(t *testing.T, c *shell.Cache) {
	t.Helper()
	for {
		report, err := c.Report(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if report.CoveragePoints["cache: progress notification taken in"] > 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Initial events come to the cache itself, to a watcher of the cache, and to one
// that the cache leaves to etcd.
func TestInitialEvents(t *testing.T) {
	client := connect(t, realetcd.StartForTest(t, newest()))
	a := put(t, client, prefix+"a", "1")
	b := put(t, client, prefix+"b", "2")
	elsewhere := put(t, client, "/registry/nodes/a", "x")
	options := func(settings ...string) cache.Options {
		t.Helper()
		o, err := cache.ForDesign("kep-2340")
		for i := 0; i < len(settings) && err == nil; i += 2 {
			o, err = o.With(settings[i], settings[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	want := []string{
		fmt.Sprintf("ADDED %d a", a), fmt.Sprintf("ADDED %d b", b), fmt.Sprintf("BOOKMARK %d end", elsewhere),
	}
	for name, o := range map[string]cache.Options{
		"cache that lists":        options(),
		"cache that watch-lists":  options("reflector-list", "watch-list"),
		"watch delegated to etcd": options("watch-delegation", "all"),
	} {
		t.Run(name, func(t *testing.T) {
			c := start(t, client, cache.Config{Options: o})
			w, err := c.Watch(t.Context(), wire.WatchRequest{
				Prefix: prefix, ResourceVersion: wire.Unset, Match: wire.MatchNotOlderThan,
				SendInitialEvents: wire.SendInitialEventsTrue, AllowBookmarks: true,
			})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for range want {
				e, err := w.Next(t.Context())
				if err != nil {
					t.Fatalf("after %q: %v", got, err)
				}
				what := "end"
				if !e.InitialEventsEnd {
					what = e.Item.Key[len(prefix):]
				}
				got = append(got, fmt.Sprintf("%s %d %s", e.Type, e.ResourceVersion, what))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			list, err := c.List(t.Context(), consistent)
			if err != nil || len(list.Items) != 2 {
				t.Errorf("%+v, %v", list, err)
			}
		})
	}
	t.Run("future", func(t *testing.T) {
		c := start(t, client, cache.Config{Options: options("watch-delegation", "all")})
		w, err := c.Watch(t.Context(), wire.WatchRequest{
			Prefix: prefix, ResourceVersion: elsewhere + 1000, Match: wire.MatchNotOlderThan,
			SendInitialEvents: wire.SendInitialEventsTrue, AllowBookmarks: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		var refused *shell.StatusError
		if _, err := w.Next(t.Context()); !errors.As(err, &refused) || refused.HTTPStatus() != 504 {
			t.Errorf("%v, want status 504", err)
		}
	})
}

// A list by field finds the same objects with and without an index, and in etcd.
func TestSelectedLists(t *testing.T) {
	client := connect(t, realetcd.StartForTest(t, newest()))
	var want []string
	for i := range 50 {
		node := fmt.Sprintf("n%d", i%7)
		key := fmt.Sprintf("%s%02d", prefix, i)
		put(t, client, key, node)
		if node == "n3" {
			want = append(want, key)
		}
	}
	value := func(kv *wire.KeyValue) string { return kv.Value }
	c := start(t, client, cache.Config{Fields: []store.Field{
		{Name: "indexed", Value: value, Indexed: true}, {Name: "scanned", Value: value},
	}})
	for name, req := range map[string]wire.ListRequest{
		"by index":         {Selector: wire.Selector{Field: "indexed", Value: "n3"}},
		"object by object": {Selector: wire.Selector{Field: "scanned", Value: "n3"}},
		"in etcd":          {Selector: wire.Selector{Field: "indexed", Value: "n3"}, FromEtcd: true},
		"in pages":         {Selector: wire.Selector{Field: "indexed", Value: "n3"}, Limit: 2},
	} {
		t.Run(name, func(t *testing.T) {
			req.Prefix, req.ResourceVersion = prefix, wire.Unset
			var got []string
			for {
				page, err := c.List(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				for _, kv := range page.Items {
					got = append(got, kv.Key)
				}
				if req.Continue = page.Continue; req.Continue == "" {
					break
				}
			}
			if !slices.Equal(want, got) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
	_, err := c.List(t.Context(), wire.ListRequest{Prefix: prefix, Selector: wire.Selector{Field: "unknown"}})
	var refused *shell.StatusError
	if !errors.As(err, &refused) || refused.HTTPStatus() != 400 {
		t.Errorf("%v, want status 400", err)
	}
}
