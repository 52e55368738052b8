package etcdtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.etcd.io/etcd/client/v3/leasing"
	"go.etcd.io/etcd/client/v3/mirror"
	"go.etcd.io/etcd/client/v3/namespace"
	"go.etcd.io/etcd/client/v3/naming/endpoints"
	"go.etcd.io/etcd/client/v3/ordering"
	"pgregory.net/rapid"

	"github.com/watchbed/watchbed/internal/testsize"
)

// explored is what is wrong in the first schedule in which that is what is wanted, nothing if none is. It is the first
// that fails at all if no wish is given.
func explored(t *testing.T, c Config, f func(*T), wanted ...string) string {
	server, err := c.setDefaults()
	require.NoError(t, err)
	defer alone(t)()
	for i := range c.Schedules {
		if o := c.schedule(t, server, trial{seed: uint64(i)}, f); o.failed != nil {
			if said := o.failed.String() + "\n" + o.failed.sentence; !slices.ContainsFunc(wanted, func(w string) bool { return !strings.Contains(said, w) }) {
				t.Logf("%s: in the schedule %d of %d", o.failed, i+1, c.Schedules)
				return said
			}
		}
	}
	return ""
}

// finds fails unless a schedule shows what is wanted.
func finds(t *testing.T, c Config, f func(*T), wanted string) {
	t.Helper()
	require.NotEmpty(t, explored(t, c, f, wanted), wanted)
}

// reported is what a failing test says.
func reported(t *testing.T, c Config, f func(*T)) string {
	server, err := c.setDefaults()
	require.NoError(t, err)
	defer alone(t)()
	told, all := c.explore(t, server, f)
	require.NotNil(t, told)
	defer func(was time.Duration) { patience = was }(patience)
	patience = time.Minute
	report := c.report(t, server, f, told, all)
	t.Log(report)
	require.LessOrEqual(t, strings.Count(report, "\n"), 40)
	return report
}

// TestReport: a failure says which promise is broken, the messages up to there, in how many schedules, and what
// decides, in 40 lines at most.
func TestReport(t *testing.T) {
	require.Regexp(t, `(?s)^etcdtest: etcd 3.5.7, seed \d+: etcd is not bookmarkable
  the watch of a by client-1: .*
.* client-1 → etcd     create watch a.*
.* etcd → client-1     progress .*
20 of 20 repetitions of this fail; of 50 schedules etcd is not bookmarkable in \d+, first with seed \d+
told with 0 of the \d+ faults that struck; with the same faults and other delays it fails in \d+ of \d+, with etcd 3.6.16 in 0, without issue-15220 \(progress=control-queue\) in 0
run it alone: ETCDTEST_SEED=\d+\S*:none go test -run '\^TestReport\$'$`, reported(t, Config{Etcd: "3.5.7", Schedules: 50, Faults: &Faults{Within: time.Second, Compactions: 2, Sizes: 1}}, watchACounter))
}

// TestSmallestStory: a schedule is told with the faults that it needs, and the line that runs it alone runs it with
// these.
func TestSmallestStory(t *testing.T) {
	f := func(t *T) {
		client := t.Client()
		for i := range 10 {
			_, err := client.Put(t.Context(), "a", fmt.Sprint(i))
			require.NoError(t, err)
			time.Sleep(time.Second)
		}
	}
	report := reported(t, Config{Schedules: 10}, f)
	require.Regexp(t, `told with 1 of the \d+ faults that struck; with the same faults and other delays it fails in \d+ of 20, without (a timeout|an overload|a lost call|a restart of etcd|no leader|.*) at \S+ s in 0\n`, report)
	require.NotContains(t, report, "client-2", "which was never made")
	t.Setenv(seedVariable, regexp.MustCompile(seedVariable + `=(\S+)`).FindStringSubmatch(report)[1])
	alone := reported(t, Config{}, f)
	require.Contains(t, alone, "this is all that ran")
	require.Equal(t, regexp.MustCompile("without .*").FindString(report), regexp.MustCompile("without .*").FindString(alone))
	t.Setenv(seedVariable, "7:99")
	require.Contains(t, reported(t, Config{}, f), "ETCDTEST_SEED=7:99 is of another configuration: this one has 28 faults")
}

// watchACounter watches a key that is written, and asks for progress.
func watchACounter(t *T) {
	client := t.Client()
	ctx, cancel := context.WithCancel(t.Context())
	watched := client.Watch(ctx, "a")
	t.Go("watcher", func() {
		for range watched {
		}
	})
	t.Go("writer", func() {
		defer cancel()
		for i := range 6 {
			_, _ = client.Put(ctx, "a", fmt.Sprint(i))
			_ = client.RequestProgress(ctx)
			time.Sleep(100 * time.Millisecond)
		}
	})
}

// TestEtcdIsJudged: what etcd promises its clients is judged without a cache.
func TestEtcdIsJudged(t *testing.T) {
	finds(t, Config{Etcd: "3.5.7", Schedules: 50}, watchACounter, "etcd is not bookmarkable")
	finds(t, Config{Bug: "issue-15220", Schedules: 50}, watchACounter, "etcd is not bookmarkable")
	finds(t, Config{Bug: "issue-15271", Schedules: 50}, watchACounter, "etcd is not unique")
	Run(t, Config{Schedules: 50}, watchACounter)
}

// broken is a watcher that delivers something else than etcd sent, and forgets the first options that it is given.
type broken struct {
	clientv3.Watcher
	forgets int
	breaks  func(n int, r clientv3.WatchResponse) []clientv3.WatchResponse
}

func (b *broken) Watch(ctx context.Context, key string, opts ...clientv3.OpOption) clientv3.WatchChan {
	from, to := b.Watcher.Watch(ctx, key, opts[b.forgets:]...), make(chan clientv3.WatchResponse)
	go func() {
		defer close(to)
		n := 0
		for r := range from {
			for _, r := range b.breaks(n, r) {
				select {
				case to <- r:
				case <-ctx.Done():
				}
			}
			n++
		}
	}()
	return to
}

// TestDeliveriesAreJudged: what clientv3 delivers is held to what a watch asked for, without a word from the test.
func TestDeliveriesAreJudged(t *testing.T) {
	type (
		response  = clientv3.WatchResponse
		responses = []response
	)
	right := func(_ int, r response) responses { return responses{r} }
	without := func(which int) func(int, response) responses {
		return func(n int, r response) responses {
			if n == which {
				return nil
			}
			return responses{r}
		}
	}
	for _, tc := range []struct {
		want    string
		breaks  func(int, response) responses
		forgets int
		opts    []clientv3.OpOption
	}{
		{"", right, 0, nil},
		{"", right, 0, []clientv3.OpOption{clientv3.WithRev(2), clientv3.WithCreatedNotify(), clientv3.WithPrevKV()}},
		{"", right, 0, []clientv3.OpOption{clientv3.WithFilterPut(), clientv3.WithProgressNotify()}},
		{"", right, 0, []clientv3.OpOption{clientv3.WithFilterDelete(), clientv3.WithPrefix()}},
		{"clientv3 is not filter", right, 1, []clientv3.OpOption{clientv3.WithFilterPut()}},
		{"clientv3 is not filter", right, 1, []clientv3.OpOption{clientv3.WithFilterDelete()}},
		{"clientv3 is not prevKV", right, 1, []clientv3.OpOption{clientv3.WithPrevKV()}},
		{"clientv3 is not resumable", without(0), 0, []clientv3.OpOption{clientv3.WithRev(2)}},
		{"clientv3 is not reliable", without(0), 0, nil},
		{"clientv3 is not reliable", without(2), 0, nil},
		{"clientv3 is not unique", func(_ int, r response) responses { return responses{r, r} }, 0, nil},
		{"clientv3 is not bookmarkable", func(_ int, r response) responses { return responses{response{Header: r.Header}, r} }, 0, nil},
	} {
		got := explored(t, Config{Schedules: 3, Faults: &Faults{Within: 4 * time.Second, Breaks: 2}}, func(t *T) {
			client := t.Client()
			recorder := client.Watcher.(*watcher)
			recorder.Watcher = &broken{recorder.Watcher, tc.forgets, tc.breaks}
			ctx, cancel := context.WithCancel(t.Context())
			watched := client.Watch(ctx, "a", tc.opts...)
			t.Go("watcher", func() {
				for range watched {
				}
			})
			defer cancel()
			for i := range 8 {
				if i%3 == 2 {
					_, _ = client.Delete(ctx, "a")
				} else {
					_, _ = client.Put(ctx, "a", fmt.Sprint(i))
				}
				time.Sleep(500 * time.Millisecond)
			}
		})
		promise, _, _ := strings.Cut(got, "\n")
		require.Equal(t, tc.want, promise)
	}
}

// TestWatchesOfCachesAreJudged: a cache that sends an event twice, or not, is found by its watch. One that is asked for
// no revision may begin later than etcd.
func TestWatchesOfCachesAreJudged(t *testing.T) {
	type response = clientv3.WatchResponse
	without := func(n int, r response) []response { return slices.Repeat([]response{r}, min(n, 1)) }
	for _, tc := range []struct {
		want   string
		breaks func(int, response) []response
		opts   []clientv3.OpOption
	}{
		{"", func(_ int, r response) []response { return []response{r} }, []clientv3.OpOption{clientv3.WithRev(2)}},
		{"the cache is not unique", func(_ int, r response) []response { return []response{r, r} }, []clientv3.OpOption{clientv3.WithRev(2)}},
		{"the cache is not resumable", without, []clientv3.OpOption{clientv3.WithRev(2)}},
		{"", without, nil},
	} {
		got := explored(t, Config{Schedules: 3, Faults: &Faults{Within: 4 * time.Second, Breaks: 2}}, func(t *T) {
			client := t.Client()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			watched := t.Watch(ctx, (&broken{Watcher: client.Watcher, breaks: tc.breaks}).Watch, "a", tc.opts...)
			t.Go("watcher", func() {
				for range watched {
				}
			})
			for i := range 8 {
				_, _ = client.Put(ctx, "a", fmt.Sprint(i))
				time.Sleep(500 * time.Millisecond)
			}
		})
		promise, _, _ := strings.Cut(got, "\n")
		require.Equal(t, tc.want, promise)
	}
}

// TestUnjudged: a test that asks nothing, or whose cache never answers, proves nothing.
func TestUnjudged(t *testing.T) {
	of := func(f func(*T)) string {
		c := Config{Schedules: 2}
		server, err := c.setDefaults()
		require.NoError(t, err)
		defer alone(t)()
		_, all := c.explore(t, server, f)
		return all.unjudged()
	}
	require.Equal(t, "nothing was judged: have a client ask etcd for something", of(func(*T) {}))
	put := func(t *T) {
		_, err := t.Client().Put(t.Context(), "a", "1")
		require.NoError(t, err)
	}
	require.Empty(t, of(put))
	require.Equal(t, "no read of a cache was judged: T.List and T.Get had no answer 2 times, the last error: not ready", of(func(t *T) {
		put(t)
		_, _ = t.List(Consistent, "a", func(context.Context) (*clientv3.GetResponse, error) { return nil, errors.New("not ready") })
	}))
}

// TestLocksOfClientv3: of two clients one at a time has the lock of package concurrency, as long as no lease runs out;
// and leasing answers.
func TestLocksOfClientv3(t *testing.T) {
	Run(t, Config{Schedules: testsize.Of(100, 20), Faults: &Faults{Within: 3 * time.Second, Breaks: 2}}, func(t *T) {
		held := 0
		for i := range 2 {
			client := t.Client()
			t.Go(fmt.Sprintf("holder-%d", i), func() {
				s, err := concurrency.NewSession(client, concurrency.WithTTL(60), concurrency.WithContext(t.Context()))
				require.NoError(t, err)
				m := concurrency.NewMutex(s, "lock/")
				require.NoError(t, m.Lock(t.Context()))
				held++
				time.Sleep(time.Second)
				require.Equal(t, 1, held)
				held--
				require.NoError(t, m.Unlock(t.Context()))
				require.NoError(t, s.Close())
			})
		}
		client := t.Client()
		t.Go("leasing", func() {
			kv, end, err := leasing.NewKV(client, "leases/")
			require.NoError(t, err)
			defer end()
			_, err = kv.Put(t.Context(), "a", "1")
			require.NoError(t, err)
			got, err := kv.Get(t.Context(), "a")
			require.NoError(t, err)
			require.Len(t, got.Kvs, 1)
		})
	})
}

// TestPackagesOfClientv3: what is built on a client works on one of a schedule.
func TestPackagesOfClientv3(t *testing.T) {
	Run(t, Config{Schedules: 5, Faults: &Faults{Within: 3 * time.Second, Breaks: 2}}, func(t *T) {
		client, writer := t.Client(), t.Client()
		own := namespace.NewKV(client.KV, "own/")
		for i := range 3 {
			_, err := own.Put(t.Context(), fmt.Sprint(i), "1")
			require.NoError(t, err)
		}

		// Package mirror: what is there, then what comes.
		sync := mirror.NewSyncer(client, "own/", 0)
		listed, failed := sync.SyncBase(t.Context())
		n := 0
		for got := range listed {
			n += len(got.Kvs)
		}
		require.NoError(t, <-failed)
		require.Equal(t, 3, n)
		updates := sync.SyncUpdates(t.Context())
		t.Go("writer", func() {
			time.Sleep(time.Second)
			_, _ = namespace.NewKV(writer.KV, "own/").Delete(t.Context(), "0")
		})
		require.Equal(t, clientv3.EventTypeDelete, (<-updates).Events[0].Type)

		// Package naming: endpoints of a service, and package ordering.
		manager, err := endpoints.NewManager(client, "service")
		require.NoError(t, err)
		require.NoError(t, manager.AddEndpoint(t.Context(), "service/a", endpoints.Endpoint{Addr: "127.0.0.1:1"}))
		all, err := manager.List(t.Context())
		require.NoError(t, err)
		require.Len(t, all, 1)
		seen, err := ordering.NewKV(writer.KV, func(clientv3.Op, clientv3.OpResponse, int64) error { return nil }).Get(t.Context(), "service/a")
		require.NoError(t, err)
		require.Len(t, seen.Kvs, 1)

		// Package concurrency: software transactional memory.
		_, err = concurrency.NewSTM(client, func(s concurrency.STM) error {
			s.Put("own/1", s.Get("own/1")+s.Get("own/2"))
			return nil
		}, concurrency.WithAbortContext(t.Context()))
		require.NoError(t, err)
	})
}

// TestEventually: liveness is claimed from the last fault on.
func TestEventually(t *testing.T) {
	comes := func(within time.Duration) func(*T) {
		return func(t *T) {
			client := t.Client()
			t.Go("writer", func() {
				time.Sleep(t.config.Faults.Within + time.Second)
				_, err := client.Put(t.Context(), "a", "1")
				require.NoError(t, err)
			})
			t.Eventually(within, "a is written", func() bool {
				got, err := client.Get(t.Context(), "a")
				return err == nil && len(got.Kvs) > 0
			})
		}
	}
	Run(t, Config{Schedules: 10}, comes(3*time.Second))
	finds(t, Config{Schedules: 3}, comes(500*time.Millisecond), "a is written: not within 500ms after the last fault")
}

// TestPanicIsAFailure: a goroutine of a test that panics fails its schedule, with its name and place.
func TestPanicIsAFailure(t *testing.T) {
	require.Regexp(t, `^the test fails\nreader: panic: no cache\nat .*TestPanicIsAFailure.* at run_test.go:\d+`, explored(t, Config{Schedules: 1}, func(t *T) {
		t.Go("reader", func() { panic("no cache") })
	}))
}

// TestGoroutineThatIsLeft: a goroutine that outlives the context fails its schedule, with its place, and the other
// schedules go on. So does a sleeping goroutine, and a goroutine of T.Go.
func TestGoroutineThatIsLeft(t *testing.T) {
	for name, f := range map[string]func(*T){
		"waits":  func(*T) { go func() { <-make(chan int) }() },
		"sleeps": func(*T) { go func() { time.Sleep(1000 * time.Hour) }() },
	} {
		require.Regexp(t, `^the test fails\na goroutine is left when T.Context has ended. There it waits:\n.*TestGoroutineThatIsLeft.* at run_test.go:\d+`,
			explored(t, Config{Schedules: 2}, f), name)
	}
	require.Regexp(t, `^the test fails\nreader: not over after 2m0s \(Config.Horizon\). There it waits:\n.*TestGoroutineThatIsLeft.* at run_test.go:\d+`,
		explored(t, Config{Schedules: 2}, func(t *T) { t.Go("reader", func() { select {} }) }))
	Run(t, Config{Schedules: 2}, func(t *T) {
		watchACounter(t)
		go func() {
			for t.Context().Err() == nil {
				time.Sleep(grace / 2)
			}
		}()
	})
}

// TestRaceOfAllReleases: what etcd does wrong in every release has a name, and the setting of an etcd that does not do it.
func TestRaceOfAllReleases(t *testing.T) {
	report := reported(t, Config{Schedules: 300, Faults: &Faults{}}, func(t *T) {
		client, writer := t.Client(), t.Client()
		<-client.Watch(t.Context(), "b", clientv3.WithCreatedNotify())
		for range 8 {
			put, err := writer.Put(t.Context(), "a", "1")
			require.NoError(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			require.NoError(t, client.RequestProgress(t.Context()))
			<-client.Watch(ctx, "a", clientv3.WithRev(put.Header.Revision))
			cancel()
		}
	})
	require.Contains(t, report, ": etcd is not bookmarkable\n")
	require.Contains(t, report, ` without created-overtakes-progress (created=past-channel) in 0 (releases have it; Set: "created=in-order" leaves it out)`)
	require.Contains(t, report, "create watch a from ")
}

// TestStoryNamesGoroutines: a request has the name of T.Go, or the function that a goroutine began with.
func TestStoryNamesGoroutines(t *testing.T) {
	report := reported(t, Config{Schedules: 1, Faults: &Faults{}}, func(t *T) {
		client := t.Client()
		t.Go("writer \u2026", func() { _, _ = client.Put(t.Context(), "a", "1") })
		go get(client)
		time.Sleep(time.Second)
		t.Errorf("shown")
	})
	require.Contains(t, report, "Put a=1 by writer \u2026\n")
	require.Contains(t, report, "Range a by etcdtest.get\n")
}

func get(c *clientv3.Client) { _, _ = c.Get(context.Background(), "a") }

// TestMemoryIsFull: schedules end when there is no room for more, and the test says so.
func TestMemoryIsFull(t *testing.T) {
	was := host
	defer func() { host = was }()
	room := 3
	host.isFull = func() bool { room--; return room < 0 }
	c := Config{Schedules: 5}
	server, err := c.setDefaults()
	require.NoError(t, err)
	defer alone(t)()
	_, all := c.explore(t, server, watchACounter)
	require.Equal(t, "3 of 5 schedules ran: the memory is full of what goroutines and packages keep from schedule to schedule", all.unfinished(5))
}

// TestProcessesHaveEndpoints: code that makes its clients by itself is given the endpoint of a process.
func TestProcessesHaveEndpoints(t *testing.T) {
	Run(t, Config{Schedules: 20, Faults: &Faults{}, Follower: true}, func(t *T) {
		var clients []*clientv3.Client
		for range 3 {
			c, err := clientv3.New(t.ClientConfig())
			require.NoError(t, err)
			defer c.Close()
			clients = append(clients, c)
		}
		require.NotEqual(t, clients[0].Endpoints(), clients[1].Endpoints())
		watched := clients[1].Watch(t.Context(), "a")
		put, err := clients[0].Put(t.Context(), "a", "1")
		require.NoError(t, err)
		// The first client is one of the follower, which has carried out what it has answered.
		got, err := clients[0].Get(t.Context(), "a", clientv3.WithSerializable())
		require.NoError(t, err)
		require.Equal(t, put.Header.Revision, got.Header.Revision)
		require.Equal(t, put.Header.Revision, (<-watched).Header.Revision)
		// The third client has both members.
		for i, members := range []int{1, 1, 2} {
			answered := map[uint64]bool{}
			for range 4 {
				got, err := clients[i].Get(t.Context(), "a")
				require.NoError(t, err)
				answered[got.Header.MemberId] = true
			}
			require.Len(t, answered, members)
		}
	})
}

// TestScheduleThatNeverEnds: a test with one ends, in a process of its own, and the next one runs.
func TestScheduleThatNeverEnds(t *testing.T) {
	if os.Getenv("HANG") == "" {
		hang := exec.Command(os.Args[0], "-test.run=^TestScheduleThatNeverEnds$|^TestEtcdIsJudged$|^TestPlainEtcd$")
		hang.Env = append(os.Environ(), "HANG=1")
		out, err := hang.CombinedOutput()
		require.Error(t, err)
		require.Regexp(t, `(?s)etcdtest: seed 0 takes more than 1s. A goroutine spins.*TestScheduleThatNeverEnds.* at run_test.go:\d+`, string(out))
		require.Equal(t, 1, strings.Count(string(out), "--- FAIL: "), string(out))
		return
	}
	tooLong = time.Second
	defer func() { tooLong = time.Minute }()
	Run(t, Config{}, func(t *T) {
		var mu sync.Mutex
		mu.Lock()
		t.Go("waits", mu.Lock)
		mu.Lock()
	})
}

// TestFollowerIsAhead: a write that the leader has not carried out when the schedule ends is known to the judge.
func TestFollowerIsAhead(t *testing.T) {
	Run(t, Config{Schedules: 300, Follower: true, Faults: &Faults{Within: time.Second, Defragments: 1}}, func(t *T) {
		client := t.Client()
		t.Go("writer", func() {
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			_, _ = client.Put(ctx, "a", "1")
		})
		t.Go("reader", func() {
			for range 5 {
				_, _ = t.Get(Any, "a", func(ctx context.Context) (*clientv3.GetResponse, error) {
					return client.Get(ctx, "a", clientv3.WithSerializable())
				})
				time.Sleep(50 * time.Millisecond)
			}
		})
	})
}

// TestEachPromiseIsJudged: an answer of whatever promise has what etcd had at some revision, at the one asked for, or
// at a later one.
func TestEachPromiseIsJudged(t *testing.T) {
	lies := func(p Promise, lie func(*clientv3.GetResponse)) func(*T) {
		return func(t *T) {
			c := t.Client()
			_, err := c.Put(t.Context(), "/pods/a", "1")
			require.NoError(t, err)
			_, err = c.Put(t.Context(), "/pods/b", "1")
			require.NoError(t, err)
			_, _ = t.List(p, "/pods/", func(ctx context.Context) (*clientv3.GetResponse, error) {
				r, err := c.Get(ctx, "/pods/", clientv3.WithPrefix())
				require.NoError(t, err)
				lie(r)
				return r, nil
			})
		}
	}
	none := func(*clientv3.GetResponse) {}
	ghost := func(r *clientv3.GetResponse) {
		r.Kvs = append(r.Kvs, &mvccpb.KeyValue{Key: []byte("/pods/lie"), Value: []byte("x"), ModRevision: 2})
	}
	lost := func(r *clientv3.GetResponse) { r.Kvs = r.Kvs[1:] }
	old := func(r *clientv3.GetResponse) { r.Header.Revision, r.Kvs, r.Count = 2, r.Kvs[:1], 1 }
	miscounted := func(r *clientv3.GetResponse) { r.Count++ }
	uncounted := func(r *clientv3.GetResponse) { r.Count = 0 }
	calm := Config{Schedules: 1, Faults: &Faults{}}
	for name, tc := range map[string]struct {
		promise Promise
		lie     func(*clientv3.GetResponse)
		right   bool
	}{
		"any":                      {Any, none, true},
		"any, an old one":          {Any, old, true},
		"any, with a ghost":        {Any, ghost, false},
		"any, without a key":       {Any, lost, false},
		"not older":                {NotOlderThan(3), none, true},
		"not older, but is":        {NotOlderThan(3), old, false},
		"not older, with a ghost":  {NotOlderThan(3), ghost, false},
		"exact":                    {Exact(3), none, true},
		"exact, of another":        {Exact(2), none, false},
		"consistent, miscounted":   {Consistent, miscounted, false},
		"consistent, uncounted":    {Consistent, uncounted, true},
		"consistent, an old one":   {Consistent, old, false},
		"consistent, with a ghost": {Consistent, ghost, false},
	} {
		require.Equal(t, tc.right, explored(t, calm, lies(tc.promise, tc.lie)) == "", name)
	}
}

// TestGoroutinesOfOneClient: what several goroutines write by one client at the same time has no order of that client.
func TestGoroutinesOfOneClient(t *testing.T) {
	Run(t, Config{Schedules: 20}, func(t *T) {
		c := t.Client()
		for i := range 3 {
			t.Go("writer", func() {
				for k := range 5 {
					_, _ = c.Put(t.Context(), fmt.Sprint("/pods/", k), fmt.Sprint(i))
				}
			})
		}
		t.Go("reader", func() {
			for range 5 {
				_, _ = t.List(Consistent, "/pods/", func(ctx context.Context) (*clientv3.GetResponse, error) {
					return c.Get(ctx, "/pods/", clientv3.WithPrefix())
				})
			}
		})
	})
}

// TestListsAreSortedWithoutAnOrder: etcd sorts by a target that is not the key in ascending order.
func TestListsAreSortedWithoutAnOrder(t *testing.T) {
	Run(t, Config{Schedules: 1, Faults: &Faults{}}, func(t *T) {
		c := t.Client()
		for i, value := range []string{"c", "b", "a"} {
			_, err := c.Put(t.Context(), fmt.Sprint("/pods/", i), value)
			require.NoError(t, err)
		}
		for _, limit := range []int64{0, 1} {
			sorted := []clientv3.OpOption{clientv3.WithPrefix(), clientv3.WithSort(clientv3.SortByValue, clientv3.SortNone), clientv3.WithLimit(limit)}
			_, err := c.Get(t.Context(), "/pods/", sorted...)
			require.NoError(t, err)
		}
	})
}

// TestFailNowFails: also without a message.
func TestFailNowFails(t *testing.T) {
	require.Equal(t, "the test fails\nFailNow was called", explored(t, Config{Schedules: 1}, func(t *T) { t.FailNow() }))
}

// TestRapidDrawsWhatATestDoes: with rapid the requests are drawn, too.
func TestRapidDrawsWhatATestDoes(t *testing.T) {
	Check(t, Config{}, func(r *rapid.T) []string {
		return rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b"}), 1, 6).Draw(r, "keys")
	}, func(t *T, keys []string) {
		client := t.Client()
		for _, key := range keys {
			_, _ = client.Put(t.Context(), key, key, clientv3.WithPrevKV())
		}
	})
}

// TestTrialsAreReadAsTheyAreSaid: what a failure names runs alone.
func TestTrialsAreReadAsTheyAreSaid(t *testing.T) {
	for _, text := range []string{"12", "12.1", "12.0.3", "12.1.3:none", "12:3,17", "12/none", "12:none/00a3f.1,12345.2"} {
		one, err := parseTrial(text)
		require.NoError(t, err)
		require.Equal(t, text, one.String())
	}
	for _, text := range []string{"12.1.3.4", "12.", "12:a", "12/a", ""} {
		_, err := parseTrial(text)
		require.Error(t, err, text)
	}
}

// TestConfigurationIsWrong: one line says what is, and what to do.
func TestConfigurationIsWrong(t *testing.T) {
	for want, c := range map[string]Config{
		`etcd: unknown version "2.3.8": 3.3.0 to 3.7.x are known, the nearest is 3.3.0`:            {Etcd: "2.3.8"},
		`etcd: unknown version "3.6.99": 3.6.16 is the newest release of its branch that is known`: {Etcd: "3.6.99"},
		`progress`: {Set: []string{"progress=never"}},
		`speed`:    {Set: []string{"speed=high"}},
		"unknown bug \"etcd-15220\"; did you mean \"issue-15220\"? (`simrun list bugs` has all; an option is NAME=VALUE)": {Bug: "etcd-15220"},
		"kubernetes-58545 is no bug of etcd: `simrun run --bug kubernetes-58545` shows it":                                {Bug: "kubernetes-58545"},
		"etcd 3.3.1 cannot have issue-15220, since progress is ignored there: take 3.3.14":                                {Bug: "issue-15220", Etcd: "3.3.1"},
		"etcd 3.3.1 cannot have fragment-for-each-event, since fragments is none there: take 3.3.14":                      {Set: []string{"fragment-for-each-event"}, Etcd: "3.3.1"},
		"issue-18667 is a bug of followers: set Follower of the configuration":                                            {Bug: "issue-18667"},
		"chunks-unpinned cannot show, since clientv3 sends no RangeStream: `simrun run --bug chunks-unpinned` shows it":   {Bug: "chunks-unpinned"},
		"unknown bug \"15221\"": {Bug: "15221"},
	} {
		_, err := c.setDefaults()
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "\n")
	}
	byName, err := (&Config{Bug: "issue-15220"}).setDefaults()
	require.NoError(t, err)
	byNumber, err := (&Config{Bug: "15220"}).setDefaults()
	require.NoError(t, err)
	require.Equal(t, byName.Options, byNumber.Options)
	t.Setenv(seedVariable, "six")
	_, err = new(Config).setDefaults()
	require.EqualError(t, err, "ETCDTEST_SEED=six: want the number of a seed, or what a failure said")
	t.Setenv(seedVariable, "6/none")
	_, err = new(Config).setDefaults()
	require.EqualError(t, err, "ETCDTEST_SEED=6/none: behind the slash are turns of goroutines, which `simrun test` gives and go test does not")
}

// TestLongWriter: ten thousand writes take longer than the horizon, and are no goroutine that hangs. A read that hangs is
// one beside a writer that ends.
func TestLongWriter(t *testing.T) {
	write := func(t *T, n int) {
		c := t.Client()
		for i := range n {
			if _, err := c.Put(t.Context(), "a", strconv.Itoa(i)); err != nil {
				t.Errorf("%v", err)
				return
			}
		}
	}
	n := testsize.Of(10_000, 3_000)
	began := time.Now()
	Run(t, Config{Schedules: 1, Faults: &Faults{}}, func(t *T) { write(t, n) })
	t.Logf("%d puts in %v", n, time.Since(began))
	require.Regexp(t, `^the test fails\nreader: not over after 2m0s`, explored(t, Config{Schedules: 1}, func(t *T) {
		t.Go("reader", func() { select {} })
		write(t, 10)
	}))
}
