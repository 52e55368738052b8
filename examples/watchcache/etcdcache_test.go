//go:build ignore

// etcd's own cache library, go.etcd.io/etcd/cache, is in etcd's repository and no published module. "make etcdcache
// CHECKOUT=DIR" runs these tests with a checkout of it; ETCD=3.5.7 is another release of the simulated etcd.

package watchcache

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"go.etcd.io/etcd/cache/v3"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/watchbed/watchbed/etcdtest"
)

const pods = "/pods/"

// run has a cache of /pods/ behind an etcd that breaks for three seconds, and a writer below prefix.
func run(t *testing.T, prefix string, f func(*etcdtest.T, *cache.Cache)) {
	faults := etcdtest.DefaultFaults()
	faults.Within = 3 * time.Second
	c := etcdtest.Config{Etcd: cmp.Or(os.Getenv("ETCD"), "3.6.16"), Schedules: 500, Faults: &faults, Horizon: 30 * time.Second}
	etcdtest.Run(t, c, func(t *etcdtest.T) {
		pods, err := cache.New(t.Client(), pods)
		if err != nil {
			t.Fatalf("%v", err)
		}
		t.Cleanup(pods.Close)
		t.Go("writer", func() {
			client, draw := t.Client(), t.Rand()
			for i := range 25 {
				key := fmt.Sprintf("%s%d", prefix, draw.IntN(3))
				if draw.IntN(4) == 0 {
					_, _ = client.Delete(t.Context(), key)
				} else {
					_, _ = client.Put(t.Context(), key, fmt.Sprint(i))
				}
				time.Sleep(time.Duration(draw.IntN(200)) * time.Millisecond)
			}
		})
		f(t, pods)
	})
}

// TestReads: a Get waits for etcd's revision, one that is serializable has what there is, and one at a revision has
// that. A range and one key are as the whole.
func TestReads(t *testing.T) {
	run(t, pods, func(t *etcdtest.T, c *cache.Cache) {
		get := func(key string, opts ...clientv3.OpOption) func(context.Context) (*clientv3.GetResponse, error) {
			return func(ctx context.Context) (*clientv3.GetResponse, error) { return c.Get(ctx, key, opts...) }
		}
		t.Go("reader", func() {
			for range 25 {
				all, err := t.List(etcdtest.Consistent, pods, get(pods, clientv3.WithPrefix()))
				_, _ = t.Get(etcdtest.Consistent, pods+"1", get(pods+"1"))
				_, _ = t.List(etcdtest.Any, pods, get(pods, clientv3.WithPrefix(), clientv3.WithSerializable()))
				if err == nil {
					_, _ = t.List(etcdtest.Exact(all.Header.Revision), pods, get(pods, clientv3.WithPrefix(), clientv3.WithRev(all.Header.Revision)))
				}
				time.Sleep(100 * time.Millisecond)
			}
		})
	})
}

// TestWatches: a watch goes on where the last one ended, and begins anew with a list when the cache has compacted that.
func TestWatches(t *testing.T) {
	run(t, pods, func(t *etcdtest.T, c *cache.Cache) {
		t.Go("watcher", func() {
			next := int64(1)
			for until := time.Now().Add(6 * time.Second); time.Now().Before(until); {
				ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
				for r := range t.Watch(ctx, c.Watch, pods, clientv3.WithPrefix(), clientv3.WithRev(next)) {
					if r.CompactRevision > 0 {
						next = r.CompactRevision + 1
					} else if len(r.Events) > 0 {
						next = r.Events[len(r.Events)-1].Kv.ModRevision + 1
					}
				}
				cancel()
				time.Sleep(50 * time.Millisecond)
			}
		})
	})
}

// TestAnswers: once nothing breaks any more a consistent Get is answered, also if nothing but other keys was written.
func TestAnswers(t *testing.T) {
	for _, prefix := range []string{pods, "/nodes/"} {
		t.Run(prefix[1:len(prefix)-1], func(t *testing.T) {
			run(t, prefix, func(t *etcdtest.T, c *cache.Cache) {
				get := func() error {
					_, err := t.List(etcdtest.Consistent, pods, func(ctx context.Context) (*clientv3.GetResponse, error) {
						return c.Get(ctx, pods, clientv3.WithPrefix())
					})
					return err
				}
				t.Go("reader", func() {
					for until := time.Now().Add(8 * time.Second); time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
						_ = get()
					}
					t.Eventually(10*time.Second, "the cache answers", func() bool { return get() == nil })
				})
			})
		})
	}
}
