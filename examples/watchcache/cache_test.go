package watchcache

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/etcdtest"
)

// use writes keys below a prefix, and reads those below /pods/ from a cache.
func use(m Mistakes, prefix string) func(*etcdtest.T) {
	return func(t *etcdtest.T) {
		cache := New(t.Context(), t.Client(), "/pods/", m)
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
		t.Go("reader", func() {
			for range 25 {
				_, _ = t.List(etcdtest.Consistent, "/pods/", cache.List)
				time.Sleep(100 * time.Millisecond)
			}
		})
	}
}

// config has all faults within the time that use takes.
func config(etcd string, schedules int) etcdtest.Config {
	faults := etcdtest.DefaultFaults()
	faults.Within = 3 * time.Second
	return etcdtest.Config{Etcd: etcd, Schedules: schedules, Faults: &faults, Horizon: 20 * time.Second}
}

// TestCache is the test that one writes. The cache is the right one, on a good etcd.
func TestCache(t *testing.T) {
	etcdtest.Run(t, config("3.6.16", 100), use(Mistakes{}, "/pods/"))
}

// wrong are tests that fail: of caches with a mistake, and of the right one on an etcd that has a bug.
var wrong = map[string]struct {
	Mistakes
	etcdtest.Config
	prefix, says string
}{
	"resumes-behind": {Mistakes{ResumesBehind: true}, config("3.6.16", 10), "/pods/", "the cache is not "},
	"keeps-on":       {Mistakes{KeepsOn: true}, config("3.6.16", 25), "/pods/", "reader: not over after 20s (Config.Horizon). There it waits:\n"},
	"trusts-created": {Mistakes{TrustsCreated: true}, config("3.6.16", 25), "/pods/", "the cache is not "},
	"trusts-header":  {Mistakes{TrustsHeader: true}, config("3.6.16", 25), "/pods/", "the cache is not "},
	"issue-15220":    {Mistakes{}, config("3.5.7", 25), "/pods/", "the cache is not "},
	"issue-17507":    {Mistakes{}, etcdtest.Config{Etcd: "3.5.12", Schedules: 25, Faults: &etcdtest.Faults{}, Horizon: 20 * time.Second}, "/nodes/", "reader: not over after 20s"},
}

// TestWrong is one of them, which TestMistakesAreFound runs in a process of its own.
func TestWrong(t *testing.T) {
	if w, asked := wrong[os.Getenv("WRONG")]; asked {
		etcdtest.Run(t, w.Config, use(w.Mistakes, w.prefix))
	}
}

func TestMistakesAreFound(t *testing.T) {
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
