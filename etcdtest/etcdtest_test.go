package etcdtest

import (
	"crypto/sha256"
	"fmt"
	"io"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// TestPlainEtcd: a client has keys, watches, transactions and leases, in parallel tests as well.
func TestPlainEtcd(t *testing.T) {
	for range 4 {
		t.Run("parallel", func(t *testing.T) {
			t.Parallel()
			use(t, New(t, "3.6.16"))
		})
	}
}

// use asks for some of everything.
func use(t *testing.T, c *clientv3.Client) {
	w := c.Watch(t.Context(), "a", clientv3.WithPrefix())
	lease, err := c.Grant(t.Context(), 5)
	require.NoError(t, err)
	const writes = 500
	for i := range writes {
		put, err := c.Put(t.Context(), fmt.Sprintf("a%d", i%100), "1", clientv3.WithLease(lease.ID), clientv3.WithPrevKV())
		require.NoError(t, err)
		require.Equal(t, i >= 100, put.PrevKv != nil)
	}
	listed, err := c.Get(t.Context(), "a", clientv3.WithPrefix(), clientv3.WithLimit(10))
	require.NoError(t, err)
	require.Len(t, listed.Kvs, 10)
	require.True(t, listed.More)
	for got := 0; got < writes; {
		got += len((<-w).Events)
	}
	renewed, err := c.KeepAliveOnce(t.Context(), lease.ID)
	require.NoError(t, err)
	require.Equal(t, int64(5), renewed.TTL)
	done, err := c.Txn(t.Context()).If(clientv3.Compare(clientv3.Version("a0"), ">", 1)).Then(clientv3.OpDelete("a", clientv3.WithPrefix())).Commit()
	require.NoError(t, err)
	require.True(t, done.Succeeded)
	require.Equal(t, int64(100), done.Responses[0].GetResponseDeleteRange().Deleted)
	_, err = c.Compact(t.Context(), done.Header.Revision)
	require.NoError(t, err)
	_, err = c.Get(t.Context(), "a0", clientv3.WithRev(2))
	require.ErrorContains(t, err, "required revision has been compacted")
	_, err = c.Revoke(t.Context(), 1)
	require.ErrorContains(t, err, "requested lease not found")
	status, err := c.Status(t.Context(), c.Endpoints()[0])
	require.NoError(t, err)
	require.Equal(t, "3.6.16", status.Version)
}

// TestNothingIsLeftOfAPlainEtcd: its goroutines end with the test.
func TestNothingIsLeftOfAPlainEtcd(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Run("one", func(t *testing.T) { use(t, New(t, "3.6.16")) })
	for until := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			all := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, all[:runtime.Stack(all, true)])
		}
	}
}

// TestPlainEtcdInABubble: a test of its own bubble has an etcd in virtual time, in which leases run out at once.
func TestPlainEtcdInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(t, "3.6.16")
		lease, err := c.Grant(t.Context(), 3600)
		require.NoError(t, err)
		_, err = c.Put(t.Context(), "a", "1", clientv3.WithLease(lease.ID))
		require.NoError(t, err)
		w := c.Watch(t.Context(), "a")
		synctest.Wait()
		begin := time.Now()
		for r := range w {
			require.Equal(t, clientv3.EventTypeDelete, r.Events[0].Type)
			break
		}
		require.InDelta(t, time.Hour, time.Since(begin), float64(10*time.Second))
	})
}

// TestServedEtcd: a client on a port has what etcdctl asks for, too, and an error where there is nothing.
func TestServedEtcd(t *testing.T) {
	c, address := served(t, false, Config{Set: []string{"progress=control-queue"}})
	use(t, c)
	leases, err := c.Leases(t.Context())
	require.NoError(t, err)
	require.Len(t, leases.Leases, 1)
	auth, err := c.AuthStatus(t.Context())
	require.NoError(t, err)
	require.False(t, auth.Enabled)
	_, err = c.UserAdd(t.Context(), "me", "secret")
	require.ErrorContains(t, err, "authentication is not enabled")
	_, err = c.MoveLeader(t.Context(), 1)
	require.ErrorContains(t, err, "bad leader transferee")
	_, err = c.Defragment(t.Context(), address)
	require.NoError(t, err)
	snapshot, err := c.Snapshot(t.Context())
	require.NoError(t, err)
	file, err := io.ReadAll(snapshot)
	require.NoError(t, err)
	content := len(file) - sha256.Size
	require.Zero(t, content%512)
	require.Equal(t, sha256.Sum256(file[:content]), [sha256.Size]byte(file[content:]))

	_, _, err = Serve(nil, nil, Config{Etcd: "2.1"})
	require.ErrorContains(t, err, `unknown version "2.1"`)
	_, _, err = Serve(nil, nil, Config{Set: []string{"speed=high"}})
	require.ErrorContains(t, err, `unknown option "speed"`)
}

// TestHashKV: the hash is that of etcd 3.6.16 after the same requests.
func TestHashKV(t *testing.T) {
	c, address := served(t, false, Config{})
	do := func(op clientv3.Op) {
		_, err := c.Do(t.Context(), op)
		require.NoError(t, err)
	}
	do(clientv3.OpPut("a", "1"))
	do(clientv3.OpPut("a", "2"))
	do(clientv3.OpPut("b", "1"))
	do(clientv3.OpDelete("a"))
	_, err := c.Compact(t.Context(), 5)
	require.NoError(t, err)
	do(clientv3.OpPut("b", "2"))
	do(clientv3.OpDelete("b"))
	h, err := c.HashKV(t.Context(), address, 0)
	require.NoError(t, err)
	require.Equal(t, []int64{261899751, 5, 7}, []int64{int64(h.Hash), h.CompactRevision, h.HashRevision})
	_, err = c.HashKV(t.Context(), address, 4)
	require.ErrorContains(t, err, "compacted")
	_, err = c.HashKV(t.Context(), address, 8)
	require.ErrorContains(t, err, "future revision")
}

func BenchmarkStart(b *testing.B) {
	config, err := configure("3.6.16", nil, false)
	require.NoError(b, err)
	for b.Loop() {
		s := plain(config)
		go s.loop.run()
		_, closes, err := s.connect()
		require.NoError(b, err)
		s.loop.stop()
		closes()
	}
}

func BenchmarkPut(b *testing.B) {
	c := New(b, "3.6.16")
	for b.Loop() {
		if _, err := c.Put(b.Context(), "a", "1"); err != nil {
			b.Fatal(err)
		}
	}
}
