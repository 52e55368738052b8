package etcdtest_test

import (
	"context"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"pgregory.net/rapid"

	"github.com/watchbed/watchbed/etcdtest"
)

// mycache stands for the code under test.
type mycache struct{ client *clientv3.Client }

func newCache(_ context.Context, client *clientv3.Client) *mycache { return &mycache{client} }

func (c *mycache) List(ctx context.Context) (*clientv3.GetResponse, error) {
	return c.client.Get(ctx, "/pods/", clientv3.WithPrefix(), clientv3.WithSerializable())
}

// A test that only wants a server.
func ExampleNew() {
	_ = func(t *testing.T) {
		client := etcdtest.New(t, "3.6.16")
		if _, err := client.Put(t.Context(), "/pods/a", "1"); err != nil {
			t.Fatal(err)
		}
	}
}

// A cache behind an etcd that breaks its watches, restarts, is cut off and compacted.
func ExampleRun() {
	_ = func(t *testing.T) {
		etcdtest.Run(t, etcdtest.Config{Etcd: "3.5.7", Schedules: 300}, func(t *etcdtest.T) {
			cache := newCache(t.Context(), t.Client())
			t.Go("writer", func() {
				client := t.Client()
				for range 10 {
					_, _ = client.Put(t.Context(), "/pods/a", "1")
					time.Sleep(time.Second)
				}
			})
			t.Go("reader", func() {
				for range 10 {
					_, _ = t.List(etcdtest.Consistent, "/pods/", cache.List)
					time.Sleep(time.Second)
				}
			})
			t.Eventually(10*time.Second, "the cache answers", func() bool {
				_, err := cache.List(t.Context())
				return err == nil
			})
		})
	}
}

// A release with a bug of another one, a member that lags, and no faults but broken streams and sizes.
func ExampleConfig() {
	_ = etcdtest.Config{
		Etcd: "3.6.16", Bug: "issue-15220", Follower: true, Schedules: 1000,
		Faults: &etcdtest.Faults{Within: 10 * time.Second, Breaks: 3, Sizes: 2},
	}
}

// Code that makes its client by itself is given where to connect to.
func ExampleT_ClientConfig() {
	_ = func(t *testing.T) {
		etcdtest.Run(t, etcdtest.Config{}, func(t *etcdtest.T) {
			client, err := clientv3.New(t.ClientConfig())
			if err != nil {
				t.Fatalf("%v", err)
			}
			t.Cleanup(func() { _ = client.Close() })
			_, _ = client.Put(t.Context(), "/pods/a", "1")
		})
	}
}

// The keys are drawn, and shrunk.
func ExampleCheck() {
	_ = func(t *testing.T) {
		keys := func(r *rapid.T) []string { return rapid.SliceOf(rapid.StringMatching(`/pods/[a-c]`)).Draw(r, "keys") }
		etcdtest.Check(t, etcdtest.Config{}, keys, func(t *etcdtest.T, keys []string) {
			client := t.Client()
			for _, key := range keys {
				_, _ = client.Put(t.Context(), key, "1")
			}
		})
	}
}
