package shell_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/watchbed/watchbed/conformance/realetcd"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/shell"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/wire"
)

// Watchers of the cache are promised what watchers of etcd are. The same check
// as in simulated runs holds their streams against what etcd says happened,
// while the cache's own stream is cut and etcd is killed.
func TestWatchesThroughTheCache(t *testing.T) {
	for _, version := range realetcd.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			server := realetcd.StartForTest(t, version)
			etcd := connect(t, server)
			before := put(t, etcd, prefix+"a", "before")
			way := newNetwork(t, server)
			c := start(t, way.client(t), with(cache.Amounts{Amounts: dispatch.Amounts{BookmarkPeriod: 100 * time.Millisecond}}))

			truth := recordTruth(t, etcd, before)
			var (
				informers []*informer
				watching  sync.WaitGroup
			)
			for i := range 4 {
				// One of them takes its time.
				in := &informer{cache: c, pause: time.Duration(i/3) * time.Millisecond}
				informers = append(informers, in)
				watching.Go(func() { in.run(t.Context()) })
			}
			l := load{seed: 7, writers: 4, consistent: 2, perClient: 150, think: 10 * time.Millisecond}
			for _, midway := range []func(*run){nil, func(*run) { way.cut(); way.heal() }, func(*run) {
				if err := server.Restart(t.Context()); err != nil {
					t.Error(err)
				}
			}} {
				l.midway = midway
				l.seed++
				l.record(t, etcd, c)
			}
			last := put(t, etcd, prefix+"a", "after")
			for _, in := range informers {
				in.stopAt.Store(last)
			}
			// An informer that was sent the last write before it knew that waits for one more.
			last = put(t, etcd, prefix+"a", "after that")
			watching.Wait()
			log := truth(last)
			exercised := map[model.WatchGuarantee]int{}
			for i, in := range informers {
				if in.err != nil {
					t.Errorf("informer %d: %v", i, in.err)
				}
				for _, j := range model.CheckWatch(in.streams, log) {
					exercised[j.Guarantee] += j.Exercised
					switch {
					case j.Verdict != model.Violated:
					case version == early:
						// A client that resumes a broken watch begins behind progress that overtook events.
						t.Logf("%s is violated, as it may be on etcd %s: %s", j.Guarantee, early, j.Why.Sentence)
					default:
						t.Errorf("%s is violated: %s", j.Guarantee, j.Why.Sentence)
					}
				}
			}
			for _, g := range []model.WatchGuarantee{model.Ordered, model.Unique, model.Reliable, model.Resumable, model.Bookmarkable} {
				if exercised[g] == 0 {
					t.Errorf("%s was never checked", g)
				}
			}
			// Had one event been missing, it would have been missed.
			streams := informers[0].streams
			gap := 50
			for streams[0].Responses[gap].Progress {
				gap++
			}
			streams[0].Responses = slices.Delete(slices.Clone(streams[0].Responses), gap, gap+1)
			if !slices.ContainsFunc(model.CheckWatch(streams, log), func(j model.WatchJudgement) bool {
				return j.Guarantee == model.Reliable && j.Verdict == model.Violated
			}) {
				t.Error("a stream with a gap is called reliable")
			}
		})
	}
}

// informer lists and watches like a reflector, and records what it is sent, until
// the last write.
type informer struct {
	cache   *shell.Cache
	pause   time.Duration
	stopAt  lastRevision
	streams []model.WatchStream
	err     error
}

// lastRevision is 0 until it is known.
type lastRevision struct{ atomic.Int64 }

func (r *lastRevision) reached(at int64) bool { last := r.Load(); return last > 0 && at >= last }

func (in *informer) run(ctx context.Context) {
	at, listed := int64(0), false
	for in.err == nil && !in.stopAt.reached(at) {
		if at == 0 {
			list, err := in.cache.List(ctx, consistent)
			if err != nil {
				in.err = err
				return
			}
			at, listed = list.ResourceVersion, true
		}
		at = in.watch(ctx, at, listed)
		listed = false
	}
}

// watch returns where to go on, 0 if a new list is needed.
func (in *informer) watch(ctx context.Context, at int64, listed bool) int64 {
	w, err := in.cache.Watch(ctx, wire.WatchRequest{Prefix: prefix, ResourceVersion: at, AllowBookmarks: true})
	if err != nil {
		in.err = err
		return at
	}
	defer w.Stop()
	stream := model.WatchStream{Listed: listed, Request: model.WatchRequest{
		Key: prefix, End: model.PrefixEnd(prefix), StartRevision: at + 1, ProgressNotify: true,
	}}
	defer func() { in.streams = append(in.streams, stream) }()
	for !in.stopAt.reached(at) {
		e, err := w.Next(ctx)
		if err != nil {
			var refused *shell.StatusError
			if errors.As(err, &refused) && refused.HTTPStatus() == 410 {
				return 0
			}
			if ctx.Err() != nil {
				in.err = err
			}
			// Ended, or not ready: go on from here.
			time.Sleep(10 * time.Millisecond)
			return at
		}
		at = e.ResourceVersion
		stream.Responses = append(stream.Responses, response(e))
		if len(stream.Responses) == leaveAfter {
			return at
		}
		time.Sleep(in.pause)
	}
	return at
}

// leaveAfter is how many events an informer takes from one watch.
const leaveAfter = 200

func response(e *wire.WatchEvent) model.WatchResponse {
	out := model.WatchResponse{Revision: e.ResourceVersion}
	if e.Type == wire.Bookmark {
		out.Progress = true
		return out
	}
	event := model.WatchEvent{Revision: e.ResourceVersion, Item: &model.Item{
		Key: e.Item.Key, Value: e.Item.Value,
		CreateRevision: e.Item.CreateRevision, ModRevision: e.Item.ModRevision, Version: e.Item.Version,
	}}
	if e.Type == wire.Deleted {
		event.Type = model.DeleteEvent
	}
	out.Events = []model.WatchEvent{event}
	return out
}

// recordTruth follows etcd past the cache from a revision at which there was one
// object. What it returns waits for a revision and makes a log of everything up
// to there.
func recordTruth(t *testing.T, etcd *clientv3.Client, from int64) func(last int64) *model.Log {
	t.Helper()
	res, err := etcd.Get(t.Context(), prefix, clientv3.WithPrefix())
	if err != nil {
		t.Fatal(err)
	}
	initial := model.Initial{Revision: from}
	for _, kv := range res.Kvs {
		initial.Items = append(initial.Items, &model.Item{
			Key: string(kv.Key), Value: string(kv.Value),
			CreateRevision: kv.CreateRevision, ModRevision: kv.ModRevision, Version: kv.Version,
		})
	}
	log := model.NewLog(initial)
	watch := etcd.Watch(t.Context(), prefix, clientv3.WithPrefix(), clientv3.WithRev(from+1))
	return func(last int64) *model.Log {
		t.Helper()
		for log.Revision() < last {
			res, ok := <-watch
			if err := res.Err(); err != nil || !ok {
				t.Fatal(fmt.Errorf("ground truth ends at %d: %w", log.Revision(), err))
			}
			for _, e := range res.Events {
				req := &model.Request{Kind: model.Put, Key: string(e.Kv.Key), Value: string(e.Kv.Value)}
				if e.Type == clientv3.EventTypeDelete {
					req = &model.Request{Kind: model.Delete, Key: string(e.Kv.Key)}
				}
				log.Append(req)
				if log.Revision() != e.Kv.ModRevision {
					t.Fatalf("revision %d of etcd is %d in the log", e.Kv.ModRevision, log.Revision())
				}
			}
		}
		return log
	}
}
