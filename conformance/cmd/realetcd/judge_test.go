package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/model"
)

// judging is a journal with a judge of small windows, and what it says.
func judging(whole bool, prefix string) (*journal, func() string) {
	j := &journal{prefix: prefix}
	var mu sync.Mutex
	var said bytes.Buffer
	g := newJudge(&j.clock, model.Initial{Revision: 1})
	g.whole, g.most, g.every = whole, 100, 100*time.Millisecond
	g.keep = func(h *model.History) (string, error) {
		var file bytes.Buffer
		if err := history.Write(&file, h); err != nil {
			return "", err
		}
		_, err := history.Read(&file)
		return "kept", err
	}
	g.say = func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(&said, format+"\n", args...)
	}
	j.judge = g
	return j, func() string {
		mu.Lock()
		defer mu.Unlock()
		return said.String()
	}
}

// TestJudge: what a right server answers many clients at the same time holds, whether or not others write, too, and
// also if it is cut off.
func TestJudge(t *testing.T) {
	for _, x := range []struct {
		whole, cutOff bool
		prefix        string
	}{{whole: true, cutOff: true}, {cutOff: true, prefix: "/a/"}, {whole: true, prefix: "/a/"}} {
		j, said := judging(x.whole, x.prefix)
		c, end := judgedBehind(t, "3.6.16", j)
		watch := c.Watch(t.Context(), "/a/", clientv3.WithPrefix(), clientv3.WithPrevKV(), clientv3.WithRev(2))
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				for n := range 100 {
					key := fmt.Sprint("/a/", n%7)
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					if x.cutOff && i == 0 && n%10 == 5 {
						// It is not known what becomes of the write.
						ctx, cancel = context.WithTimeout(t.Context(), time.Duration(n)*10*time.Microsecond)
					}
					_, err := c.Put(ctx, key, fmt.Sprint(i, n))
					assert.True(t, err == nil || i == 0, "%v", err)
					switch n % 10 {
					case 1:
						_, _ = c.Put(ctx, "/b", "elsewhere")
					case 3:
						_, _ = c.Delete(ctx, key)
					case 5:
						_, _ = c.Txn(ctx).If(clientv3.Compare(clientv3.Version(key), ">", 3)).Then(clientv3.OpPut(key, "txn"), clientv3.OpGet(key)).Else(clientv3.OpGet(key)).Commit()
					case 9:
						if r, err := c.Get(ctx, "/a/", clientv3.WithPrefix()); err == nil && i == 1 {
							_, _ = c.Get(ctx, "/a/", clientv3.WithPrefix(), clientv3.WithRev(r.Header.Revision-3))
							_, _ = c.Compact(ctx, r.Header.Revision-50)
							_, _ = c.Get(ctx, "/a/", clientv3.WithPrefix(), clientv3.WithRev(r.Header.Revision-60))
						}
					}
					_, _ = c.Get(ctx, key)
					cancel()
				}
			})
		}
		for n := 0; n < 700; {
			r := <-watch
			require.NoError(t, r.Err())
			n += len(r.Events)
		}
		all.Wait()
		end()
		j.judge.sum()
		text := said()
		require.NotContains(t, text, "violated:")
		require.NotContains(t, text, "not judged")
		require.Greater(t, j.judge.report.windows, 5, text)
		require.Greater(t, j.judge.report.operations, 1500, text)
		of := j.judge.report.properties
		names := []string{"linearizable", "linearizable-data", "ordered", "unique", "exact"}
		if x.whole {
			names = append(names, "reliable", "resumable", "prevKV")
		}
		for _, name := range names {
			require.NotNil(t, of[name], text)
			require.Greater(t, of[name][model.Holds], 1, name+"\n"+text)
		}
		require.Greater(t, of["linearizable"][model.Holds], 4*of["linearizable"][model.VerdictUnknown], text)
	}
}

// TestJudgeFindsABug of a server under load: progress of etcd 3.5.7 overtakes events (etcd #15220).
func TestJudgeFindsABug(t *testing.T) {
	j, said := judging(true, "")
	c, end := judgedBehind(t, "3.5.7", j)
	s := &server{kv: pb.NewKVClient(c.ActiveConnection()), conn: c.ActiveConnection(), report: &Report{}}
	for n := 0; n < 20 && !strings.Contains(said(), "violated: bookmarkable"); n++ {
		require.NoError(t, s.round(t.Context(), n))
	}
	end()
	require.Contains(t, said(), "violated: bookmarkable: of ")
	require.Contains(t, said(), "simrun check kept")
	for _, line := range strings.Split(said(), "\n") {
		require.False(t, strings.HasPrefix(line, "violated:") && !strings.Contains(line, "bookmarkable"), line)
	}
}

// fed is a judge that a test tells what happened.
type fed struct {
	*judge
	said []string
	// store is what the server has.
	store *model.Store
}

func feed() *fed {
	f := &fed{judge: newJudge(new(atomic.Int64), model.Initial{Revision: 1}), store: model.NewStore(model.Initial{Revision: 1})}
	f.whole = true
	f.say = func(format string, args ...any) { f.said = append(f.said, fmt.Sprintf(format, args...)) }
	return f
}

// put is an answered write of a new client.
func (f *fed) put(key, value string) int64 {
	r := &model.Request{Kind: model.Put, Key: key, Value: value}
	result := f.store.Apply(r)
	f.answered(f.ask(r), result)
	return result.Revision
}

func (f *fed) ask(r *model.Request) *model.Operation {
	op := &model.Operation{Request: r, Return: 1 << 62}
	f.called(fmt.Sprint("client ", f.clock.Load()), op)
	return op
}

func (f *fed) answered(op *model.Operation, r model.Result) {
	op.Outcome, op.Result, op.Return = model.Done, &r, f.clock.Add(1)
	f.settled(op, true)
}

func (f *fed) read(items ...*model.Item) model.Result {
	return model.Result{Revision: f.store.Revision(), Items: items, Count: int64(len(items)), Counted: true}
}

// TestJudgeAcrossWindows: what is wrong between two windows is found.
func TestJudgeAcrossWindows(t *testing.T) {
	list := &model.Request{Kind: model.List, Key: "/", End: "0"}
	t.Run("a read goes back behind the window before", func(t *testing.T) {
		f := feed()
		f.put("/a", "1")
		old := f.read(f.store.Get("/a"))
		for range 4 {
			f.put("/a", "2")
			f.window(t.Context())
		}
		f.answered(f.ask(list), old)
		f.window(t.Context())
		require.Contains(t, strings.Join(f.said, "\n"), "violated: linearizable: ")
	})
	t.Run("an answered write is gone in the next window", func(t *testing.T) {
		f := feed()
		f.put("/a", "1")
		f.put("/b", "1")
		for range 3 {
			f.window(t.Context())
		}
		f.answered(f.ask(list), f.read(f.store.Get("/a")))
		f.window(t.Context())
		require.Contains(t, strings.Join(f.said, "\n"), "violated: linearizable: ")
	})
	t.Run("a read over several windows may be old", func(t *testing.T) {
		f := feed()
		f.put("/a", "1")
		slow, old := f.ask(list), f.read(f.store.Get("/a"))
		for range 4 {
			f.put("/a", "2")
			f.window(t.Context())
		}
		f.answered(slow, old)
		f.window(t.Context())
		require.Empty(t, f.said)
	})
	t.Run("a write over several windows", func(t *testing.T) {
		f := feed()
		slow := f.ask(&model.Request{Kind: model.Put, Key: "/s", Value: "1"})
		f.put("/a", "1")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		f.window(ctx)
		done := f.store.Apply(slow.Request)
		f.answered(f.ask(list), f.read(f.store.Get("/a"), f.store.Get("/s")))
		f.answered(slow, done)
		f.put("/a", "2")
		f.window(t.Context())
		f.answered(f.ask(list), f.read(f.store.Get("/a"), f.store.Get("/s")))
		f.window(t.Context())
		require.Empty(t, f.said)
	})
	event := func(f *fed, key string, revision int64) *model.WatchResponse {
		it := *f.store.Get(key)
		return &model.WatchResponse{Revision: revision, Events: []model.WatchEvent{{Item: &it, Revision: revision}}}
	}
	t.Run("an event of the window before does not come", func(t *testing.T) {
		f := feed()
		f.watch("w", model.WatchRequest{Key: "/", End: "0", StartRevision: 2})
		f.response("w", event(f, "/a", f.put("/a", "1")))
		f.window(t.Context())
		f.put("/a", "2")
		f.window(t.Context())
		f.response("w", event(f, "/b", f.put("/b", "1")))
		f.window(t.Context())
		require.Len(t, f.said, 1)
		require.Contains(t, f.said[0], "violated: resumable: of w's watch, stream 1: ")
	})
	t.Run("events come late", func(t *testing.T) {
		f := feed()
		f.watch("w", model.WatchRequest{Key: "/", End: "0", StartRevision: 2})
		var late []*model.WatchResponse
		for range 6 {
			late = append(late, event(f, "/a", f.put("/a", "1")))
			f.window(t.Context())
		}
		for _, r := range append(late, event(f, "/a", f.put("/a", "1"))) {
			f.response("w", r)
		}
		f.window(t.Context())
		require.Empty(t, f.said)
		require.Equal(t, 5, f.report.skipped)
		require.NotZero(t, f.report.properties["reliable"][model.Holds])
		f.response("w", late[1])
		f.window(t.Context())
		require.Len(t, f.said, 1)
		require.Contains(t, f.said[0], "violated: ordered: of w's watch: ")
	})
}

// TestJudgeIsBounded: more than it bears is not judged, which is said, and it goes on with what the server has then.
func TestJudgeIsBounded(t *testing.T) {
	f := feed()
	f.limit = 50
	f.list = func(context.Context, int64) (*model.Initial, error) {
		store := model.Initial{Revision: f.store.Revision()}
		f.store.Ascend("/", "0", func(it *model.Item) bool { store.Items = append(store.Items, it); return true })
		return &store, nil
	}
	for range 100 {
		f.put("/a", "1")
	}
	require.True(t, f.lost)
	require.Empty(t, f.ops)
	f.again(t.Context(), "too much")
	require.Equal(t, []string{"not judged: revisions 2 to 101: too much"}, f.said)
	f.put("/a", "2")
	f.answered(f.ask(&model.Request{Kind: model.List, Key: "/", End: "0"}), f.read(f.store.Get("/a")))
	f.window(t.Context())
	require.Len(t, f.said, 1)
	require.Equal(t, 1, f.report.properties["linearizable"][model.Holds])
}

// TestSample leaves out reads and watches, and no write.
func TestSample(t *testing.T) {
	var out bytes.Buffer
	c, end := judgedBehind(t, "3.6.16", &journal{to: history.NewWriter(&out), sample: 0.3})
	for range 100 {
		_, err := c.Put(t.Context(), "a", "1")
		require.NoError(t, err)
		_, err = c.Get(t.Context(), "a")
		require.NoError(t, err)
	}
	end()
	h, err := history.Read(&out)
	require.NoError(t, err)
	reads := 0
	for _, op := range h.Operations {
		if op.Request.Kind == model.List {
			reads++
		}
	}
	require.Equal(t, 100, len(h.Operations)-reads)
	require.Greater(t, reads, 5)
	require.Less(t, reads, 70)
}
