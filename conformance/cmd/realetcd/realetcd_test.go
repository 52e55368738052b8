package main

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/watchbed/watchbed/etcdtest"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/testbed"
)

// asked is the report on a simulated etcd of a release, with what is set, and the history that was kept.
func asked(t *testing.T, release string, set ...string) (*Report, *model.History) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if !assert.NoError(t, err) {
		return nil, nil
	}
	_, stop, err := etcdtest.Serve(l, nil, etcdtest.Config{Etcd: release, Set: set})
	if !assert.NoError(t, err) {
		return nil, nil
	}
	defer stop()
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{l.Addr().String()}, Logger: zap.NewNop()})
	if !assert.NoError(t, err) {
		return nil, nil
	}
	defer client.Close()
	_, err = client.Put(context.Background(), "/elsewhere", "1")
	if !assert.NoError(t, err) {
		return nil, nil
	}
	var kept *model.History
	r, err := Run(context.Background(), client.ActiveConnection(), Config{
		Prefix: "/conform/", For: time.Millisecond, Notified: time.Millisecond, Seed: 1,
		// Releases before 3.5.16 lose a deletion at the compacted revision, which takes the patience of a probe to
		// notice.
		Compact: release > "3.6",
		Keep:    func(h *model.History) (string, error) { kept = h; return "kept", nil },
	})
	if !assert.NoError(t, err) {
		return nil, nil
	}
	left, err := client.Get(context.Background(), "", clientv3.WithPrefix())
	if !assert.NoError(t, err) {
		return nil, nil
	}
	assert.EqualValues(t, 1, left.Count, "keys are left, or one elsewhere is gone")
	return r, kept
}

// violated are the promises that a report says are violated.
func violated(r *Report) (all []string) {
	for i := range r.Promises {
		if p := &r.Promises[i]; p.Verdict == Violated {
			all = append(all, p.Name)
		}
	}
	return all
}

// TestReleases: whether a cache may take consistent lists from a release.
func TestReleases(t *testing.T) {
	t.Parallel()
	// They wait most of the time: all are asked at once, however few tests are run at a time.
	cases := []struct {
		release, violated string
		set               []string
		report            *Report
		kept              *model.History
	}{
		{release: "3.6.16"}, {release: "3.7.3"}, {release: "3.5.7", violated: "bookmarkable"}, {release: "3.5.12", violated: "progress-quiet"},
		{release: "3.6.16", set: []string{"requested-revision-in-header"}, violated: "past-revisions"},
	}
	var all sync.WaitGroup
	for i := range cases {
		x := &cases[i]
		all.Go(func() { x.report, x.kept = asked(t, x.release, x.set...) })
	}
	all.Wait()
	for _, x := range cases {
		t.Run(x.release+x.violated, func(t *testing.T) {
			r, kept := x.report, x.kept
			require.NotNil(t, r)
			require.Equal(t, x.release, r.Version)
			assert.Equal(t, x.release == "3.7.3", r.Promise("range-stream").Verdict == Holds, "since 3.7")
			for i := range r.Promises {
				p := &r.Promises[i]
				assert.True(t, p.Verdict != Holds || p.Checked > 0, "%s holds and was never checked", p.Name)
			}
			if x.violated == "" {
				assert.Empty(t, violated(r))
				assert.Nil(t, kept)
				assert.Equal(t, Holds, r.Caches[1].Safe, r.Caches[1].Sentence)
				return
			}
			assert.Contains(t, violated(r), x.violated)
			p := r.Promise(x.violated)
			assert.NotEmpty(t, p.Sentence)
			assert.Equal(t, p.History == "kept", kept != nil)
			assert.Equal(t, Violated, r.Caches[1].Safe)
			i := slices.IndexFunc(r.Caches, func(u Use) bool { return u.Name == "events that expire" })
			assert.Equal(t, Holds, r.Caches[i].Safe)
		})
	}
}

// TestWritesOfOthers: another client writes elsewhere, and all is judged as if it did not.
func TestWritesOfOthers(t *testing.T) {
	t.Parallel()
	client := etcdtest.New(t, "3.6.16")
	ctx, stop := context.WithCancel(t.Context())
	var other sync.WaitGroup
	other.Go(func() {
		for ctx.Err() == nil {
			_, _ = client.Put(ctx, "/elsewhere", "1")
			wait(ctx, 5*time.Millisecond)
		}
	})
	r, err := Run(t.Context(), client.ActiveConnection(), Config{Prefix: "/conform/", For: time.Millisecond, Notified: time.Millisecond, Seed: 1})
	stop()
	other.Wait()
	require.NoError(t, err)
	require.Empty(t, violated(r))
	require.Equal(t, Holds, r.Promise("reliable").Verdict, r.Promise("reliable").Sentence)
	require.Equal(t, Holds, r.Promise("linearizable").Verdict, r.Promise("linearizable").Sentence)
}

// TestServerThatGoesAway: what was found before is in the report, also if its history cannot be kept.
func TestServerThatGoesAway(t *testing.T) {
	t.Parallel()
	client := etcdtest.New(t, "3.5.7")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := Run(ctx, client.ActiveConnection(), Config{
		Prefix: "/conform/", For: time.Hour, Notified: time.Millisecond, Seed: 1,
		Keep: func(*model.History) (string, error) { cancel(); return "", errors.New("the disk is full") },
	})
	require.ErrorContains(t, err, "the disk is full")
	require.Equal(t, []string{"bookmarkable"}, violated(r))
	left, err := client.Get(t.Context(), "", clientv3.WithPrefix())
	require.NoError(t, err)
	require.Empty(t, left.Kvs)
}

// TestPlantedBugs: each bug of etcd that simetcd can have violates a promise, or cannot be seen from outside.
func TestPlantedBugs(t *testing.T) {
	t.Parallel()
	const (
		restart  = "the server would have to be restarted"
		follower = "a follower would have to be asked"
		leader   = "the leader would have to be lost"
		full     = "the channel of a watch never fills up in simetcd, which takes what a client does not read"
		raced    = "a compaction would have to meet a range, or a crash"
		ticks    = "etcd sends progress by itself every ten minutes"
		every    = "every release has it: its promises are judged up to that"
	)
	found := map[string]string{
		"compaction-after-last": "compaction", "deleted-without-value": "prevKV", "deletes-count-one": "linearizable", "events-share-value": "reliable",
		"new-value-as-previous": "transactions", "previous-of-created": "prevKV", "requested-revision-in-header": "past-revisions", "count-of-selection": "pages",
		"issue-12385": "watch-ids", "issue-15220": "bookmarkable", "issue-17507": "progress-quiet", "issue-20221": "future-watch",
		"issue-20693": "negative-watch", "revision-by-first-key": "reliable", "issue-18089": "compaction", "lease-renewal-lost": "lease-renewals",
	}
	unseen := map[string]string{
		"created-overtakes-progress": every, "options-after-watch": every, "issue-13514": restart, "issue-13766": restart, "issue-17780": restart, "issue-19179": restart,
		"issue-20221-events": follower, "leaderless-kept": leader, "header-keeps-term": leader, "promoted-leases-forgotten": leader, "issue-17642": leader,
		"issue-15271": full, "issue-17529": full, "victims-left": full, "compaction-in-range": raced, "physical-after-first-batch": raced,
		"fragment-for-each-event": "a response may be split anywhere", "ticks-elided-by-others": ticks, "ticks-stop-after-events": ticks,
		"issue-22376": "a server that has it exits", "issue-22294": "more than 512 watches would have to be behind a compaction",
	}
	var all sync.WaitGroup
	for _, b := range testbed.KnownBugs() {
		if b.Node() != "etcd" {
			continue
		}
		assert.False(t, found[b.Name] != "" && unseen[b.Name] != "", b.Name)
		promise := found[b.Name]
		if promise == "" {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			if _, stop, err := etcdtest.Serve(l, nil, etcdtest.Config{Bug: b.Name}); err == nil {
				stop()
				assert.NotEmpty(t, unseen[b.Name], b.Name)
			} else {
				_ = l.Close()
			}
			continue
		}
		all.Go(func() {
			if r, _ := asked(t, "3.6.16", b.Name); r != nil {
				assert.Contains(t, violated(r), promise, b.Name)
			}
		})
	}
	all.Wait()
}
