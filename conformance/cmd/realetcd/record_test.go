package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/watchbed/watchbed/check"
	"github.com/watchbed/watchbed/etcdtest"
	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/model"
)

// behind is a client of a simulated etcd behind a proxy, which ends when all that was recorded is asked for.
func behind(t *testing.T, release, prefix string, to io.Writer, lost func(error)) (c *clientv3.Client, end func()) {
	t.Helper()
	return judgedBehind(t, release, &journal{prefix: prefix, to: history.NewWriter(to), lost: lost})
}

// judgedBehind is the same with a journal. What it is to judge is judged at the end, too.
func judgedBehind(t *testing.T, release string, j *journal) (c *clientv3.Client, end func()) {
	t.Helper()
	listen := func() net.Listener {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		return l
	}
	l := listen()
	_, stop, err := etcdtest.Serve(l, nil, etcdtest.Config{Etcd: release})
	require.NoError(t, err)
	j.write(func(w *history.Writer) error { return w.Header(model.Initial{Revision: 1}, false) })
	connect := func() (*grpc.ClientConn, error) {
		return grpc.NewClient("passthrough:///"+l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	}
	ctx, cancel := context.WithCancel(t.Context())
	var served, judged sync.WaitGroup
	if j.judge != nil {
		f := &recordFlags{prefix: j.prefix}
		j.judge.prefix = j.prefix
		j.judge.list = func(ctx context.Context, revision int64) (*model.Initial, error) {
			return f.store(ctx, connect, revision)
		}
		judged.Go(func() { j.judge.run(ctx) })
	}
	g := (&proxy{journal: j, connect: connect}).server()
	front := listen()
	served.Go(func() { _ = g.Serve(front) })
	c, err = clientv3.New(clientv3.Config{Endpoints: []string{front.Addr().String()}, Logger: zap.NewNop()})
	require.NoError(t, err)
	end = sync.OnceFunc(func() {
		_ = c.Close()
		cancel()
		judged.Wait()
		g.Stop()
		served.Wait()
		stop()
	})
	t.Cleanup(end)
	return c, end
}

// TestRecord: what clientv3 does with a server goes through, and what was recorded is judged.
func TestRecord(t *testing.T) {
	var out bytes.Buffer
	c, end := behind(t, "3.6.16", "/a/", &out, nil)
	ctx := t.Context()
	watch := c.Watch(ctx, "/a/", clientv3.WithPrefix(), clientv3.WithCreatedNotify())
	require.True(t, (<-watch).Created)
	elsewhere := c.Watch(ctx, "/b", clientv3.WithCreatedNotify())
	require.True(t, (<-elsewhere).Created)
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for range 10 {
				_, err := c.Put(ctx, "/a/1", "x")
				assert.NoError(t, err)
				_, err = c.Get(ctx, "/a/", clientv3.WithPrefix())
				assert.NoError(t, err)
			}
		})
	}
	writers.Wait()
	for n := 0; n < 40; {
		n += len((<-watch).Events)
	}
	lease, err := c.Grant(ctx, 60)
	require.NoError(t, err)
	kept, err := c.KeepAliveOnce(ctx, lease.ID)
	require.NoError(t, err)
	require.Equal(t, lease.ID, kept.ID)
	_, err = c.Get(ctx, "/a/1", clientv3.WithRev(1000))
	require.ErrorIs(t, err, rpctypes.ErrFutureRev)
	late, cancel := context.WithTimeout(ctx, time.Nanosecond)
	defer cancel()
	_, err = c.Get(late, "/a/1")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	_, err = c.MemberPromote(ctx, 1)
	require.ErrorIs(t, err, rpctypes.ErrMemberNotFound)
	end()

	h, err := history.Read(&out)
	require.NoError(t, err)
	require.Len(t, h.Watchers, 1, "the other watch has no key below the prefix")
	require.Len(t, h.Operations, 81)
	require.LessOrEqual(t, len(h.Clients), 4)
	judged, err := check.History(h, check.Options{})
	require.NoError(t, err)
	require.Equal(t, model.Holds, judged.Verdict)
}

// TestRecordedWriteOfUnknownOutcome: its client goes on under another name.
func TestRecordedWriteOfUnknownOutcome(t *testing.T) {
	var c client
	require.Equal(t, []int{0, 1}, []int{c.take(), c.take()})
	var out bytes.Buffer
	j := &journal{to: history.NewWriter(&out)}
	one := &call{journal: j, from: &c, ctx: t.Context(), op: &model.Operation{Request: &model.Request{Kind: model.Put, Key: "a"}}}
	one.settle(status.Error(codes.Unavailable, "gone"))
	two := &call{journal: j, from: &c, ctx: t.Context(), place: 1, op: &model.Operation{Request: &model.Request{Kind: model.List, Key: "a"}}}
	two.settle(status.Error(codes.Unavailable, "gone"))
	require.Equal(t, []int{1, 2}, []int{c.take(), c.take()})
	require.Contains(t, out.String(), `"unknown":true`)
	require.Equal(t, 1, bytes.Count(out.Bytes(), []byte("\n")), "of a read without an answer nothing is to be said")
}

// full is a disk that has room for so many lines.
type full int

func (f *full) Write(p []byte) (int, error) {
	if *f--; *f < 0 {
		return 0, errors.New("no space left on device")
	}
	return len(p), nil
}

// TestFullDiskStopsTheRecordingOnly: clients do not notice.
func TestFullDiskStopsTheRecordingOnly(t *testing.T) {
	room, told := full(3), 0
	c, _ := behind(t, "3.6.16", "", &room, func(error) { told++ })
	for range 10 {
		_, err := c.Put(t.Context(), "a", "1")
		require.NoError(t, err)
	}
	require.Equal(t, 1, told)
}

// TestWholeWithPrefix: writes elsewhere would be revisions that no recorded write made.
func TestWholeWithPrefix(t *testing.T) {
	c := recordCommand()
	c.SetArgs([]string{"--whole", "--prefix", "/a/"})
	c.SilenceErrors, c.SilenceUsage = true, true
	require.ErrorContains(t, c.Execute(), "want one of them")
}

// TestConcerns: a range is recorded if it can have keys below the prefix.
func TestConcerns(t *testing.T) {
	j := &journal{prefix: "/a/"}
	for _, x := range []struct {
		key, end string
		want     bool
	}{{"/a/1", "", true}, {"/a", "", false}, {"/b", "", false}, {"/", "0", true}, {"/a", "/a/", false}, {"/a0", "\x00", false}, {"\x00", "\x00", true}, {"/a/1", "/a/2", true}} {
		assert.Equal(t, x.want, j.concerns(x.key, x.end), "[%q, %q)", x.key, x.end)
	}
}
