// Package leasing judges etcd's own cache of keys, client/v3/leasing, as it is.
package leasing

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.etcd.io/etcd/client/v3/leasing"

	"github.com/watchbed/watchbed/etcdtest"
)

var config = etcdtest.Config{Schedules: 100, Horizon: time.Minute}

// use has two processes with a cache each. Two goroutines in each of them read and write two keys, and never the same value
// twice. What they read may be judged.
func use(t *etcdtest.T, judged bool, cache func(*clientv3.Client) (clientv3.KV, error)) {
	for process := range 2 {
		kv, err := cache(t.Client())
		if err != nil {
			return
		}
		for worker := range 2 {
			name := fmt.Sprintf("client-%d.%d", process+1, worker+1)
			t.Go(name, func() {
				draw := t.Rand()
				for i := range 10 {
					key := fmt.Sprintf("key-%d", draw.IntN(2))
					switch min(draw.IntN(4), 2) {
					case 0:
						_, _ = kv.Delete(t.Context(), key)
					case 1:
						_, _ = kv.Put(t.Context(), key, fmt.Sprintf("%s:%d", name, i))
					case 2:
						if !judged {
							_, _ = kv.Get(t.Context(), key)
							break
						}
						_, _ = t.Get(etcdtest.Consistent, key, func(ctx context.Context) (*clientv3.GetResponse, error) { return kv.Get(ctx, key) })
					}
					time.Sleep(time.Duration(draw.IntN(100)) * time.Millisecond)
				}
			})
		}
	}
}

func leased(t *etcdtest.T) func(*clientv3.Client) (clientv3.KV, error) {
	return func(c *clientv3.Client) (clientv3.KV, error) {
		kv, end, err := leasing.NewKV(c, "lease/", concurrency.WithTTL(3))
		if err == nil {
			t.Cleanup(end)
		}
		return kv, err
	}
}

// putOnce asserts that etcd carries each put out once at most.
func putOnce(t *etcdtest.T) {
	var mu sync.Mutex
	revisions := map[string]int64{}
	changes := t.Client().Watch(t.Context(), "key-", clientv3.WithPrefix(), clientv3.WithRev(1))
	go func() {
		for r := range changes {
			for _, e := range r.Events {
				mu.Lock()
				before, again := revisions[string(e.Kv.Value)]
				revisions[string(e.Kv.Value)] = e.Kv.ModRevision
				mu.Unlock()
				if again && e.Type == clientv3.EventTypePut {
					t.Errorf("%s was put at revision %d, and again at %d", e.Kv.Value, before, e.Kv.ModRevision)
				}
			}
		}
	}()
}

// TestPlain is the test with no cache at all, of which all that is asserted holds.
func TestPlain(t *testing.T) {
	etcdtest.Run(t, config, func(t *etcdtest.T) {
		putOnce(t)
		use(t, true, func(c *clientv3.Client) (clientv3.KV, error) { return c, nil })
	})
}

// wrong are tests that fail: what is asserted, and what the failure says.
var wrong = map[string]struct {
	test func(*etcdtest.T)
	says string
}{
	"reads": {func(t *etcdtest.T) { use(t, true, leased(t)) }, "the cache is not "},
	"puts":  {func(t *etcdtest.T) { putOnce(t); use(t, false, leased(t)) }, "and again at"},
}

// TestWrong is one of them, which TestLeasing runs in a process of its own.
func TestWrong(t *testing.T) {
	if w, asked := wrong[os.Getenv("WRONG")]; asked {
		etcdtest.Run(t, config, w.test)
	}
}

func TestLeasing(t *testing.T) {
	for name, w := range wrong {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test := exec.Command(os.Args[0], "-test.run=^TestWrong$")
			test.Env = append(os.Environ(), "WRONG="+name)
			out, err := test.CombinedOutput()
			t.Logf("%s", out)
			require.Error(t, err)
			require.Contains(t, string(out), w.says)
		})
	}
}
