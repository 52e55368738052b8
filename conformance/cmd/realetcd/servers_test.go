package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/watchbed/watchbed/check"
	"github.com/watchbed/watchbed/conformance/realetcd"
	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/model"
)

// TestConform: realetcd conform finds in released etcd what is known of it, and nothing else.
func TestConform(t *testing.T) {
	for _, x := range []struct {
		release  string
		violated bool
		says     []string
	}{
		{"3.5.7", true, []string{"bookmarkable        violated ", "compaction          violated ", "full-watch          violated ", "negative-watch      violated "}},
		{"3.5.12", true, []string{"progress-quiet      violated ", "compaction          violated "}},
		{"3.5.35", false, []string{"range-stream        not offered", "progress-periodic   holds "}},
		{"3.6.16", false, []string{"full-watch          holds ", "negative-watch      holds ", "compaction          holds "}},
		{"3.7.3", false, []string{"range-stream        holds "}},
	} {
		t.Run(x.release, func(t *testing.T) {
			server := realetcd.StartForTest(t, x.release, periodic(x.release))
			var out bytes.Buffer
			c := conformCommand()
			c.SetArgs([]string{server.Endpoint, "--compact", "--keep", t.TempDir()})
			c.SetOut(&out)
			c.SilenceErrors, c.SilenceUsage = true, true
			err := c.ExecuteContext(t.Context())
			assert.Equal(t, x.violated, errors.Is(err, errViolated), "%v\n%s", err, &out)
			assert.Equal(t, x.violated, err != nil, "%v", err)
			for _, line := range x.says {
				assert.Contains(t, out.String(), line)
			}
		})
	}
}

// periodic is the flag for a progress notification every two seconds.
func periodic(release string) string {
	if release < "3.6" {
		return "--experimental-watch-progress-notify-interval=2s"
	}
	return "--watch-progress-notify-interval=2s"
}

// program builds realetcd.
func program(t testing.TB) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "realetcd")
	built, err := exec.Command("go", "build", "-o", name).CombinedOutput()
	require.NoError(t, err, string(built))
	return name
}

// before starts a program that listens before a server, and returns a client of it.
func before(t testing.TB, listen string, command ...string) (*exec.Cmd, *clientv3.Client) {
	t.Helper()
	c := exec.Command(command[0], command[1:]...)
	require.NoError(t, c.Start())
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	return c, clientOf(t, listen)
}

func clientOf(t testing.TB, endpoint string) *clientv3.Client {
	t.Helper()
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{endpoint}, Logger: zap.NewNop()})
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, err = client.Get(ctx, "there")
	require.NoError(t, err)
	return client
}

// freeAddress is one that nothing listens on.
func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

// TestRecordingSurvivesAKill: kill -9 of the proxy leaves a history that can be judged.
func TestRecordingSurvivesAKill(t *testing.T) {
	server := realetcd.StartForTest(t, "3.7.3")
	name, listen, out := program(t), freeAddress(t), filepath.Join(t.TempDir(), "history.jsonl")
	c, client := before(t, listen, name, "record", "--listen", listen, "--etcd", server.Endpoint, "--out", out)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var writers sync.WaitGroup
	for i := range 4 {
		writers.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				_, _ = client.Put(ctx, "/a", fmt.Sprint(i, " ", n))
				_, _ = client.Get(ctx, "/a")
			}
		})
	}
	time.Sleep(time.Second)
	require.NoError(t, c.Process.Kill())
	cancel()
	writers.Wait()
	f, err := os.Open(out)
	require.NoError(t, err)
	defer f.Close()
	h, err := history.Read(f)
	require.NoError(t, err)
	require.Greater(t, len(h.Operations), 100)
	judged, err := check.History(h, check.Options{})
	require.NoError(t, err)
	require.NotEqual(t, model.Violated, judged.Verdict)
}

// BenchmarkRecord is the latency of one client and the throughput of 16, directly, through record, and through etcd's
// own grpc-proxy, interleaved.
func BenchmarkRecord(b *testing.B) {
	server := realetcd.StartForTest(b, "3.7.3")
	name, recorded, proxied := program(b), freeAddress(b), freeAddress(b)
	_, record := before(b, recorded, name, "record", "--listen", recorded, "--etcd", server.Endpoint, "--out", filepath.Join(b.TempDir(), "history.jsonl"))
	_, proxy := before(b, proxied, realetcd.Binary("3.7.3"), "grpc-proxy", "start", "--endpoints", server.Endpoint, "--listen-addr", proxied)
	ways := []struct {
		name   string
		client *clientv3.Client
	}{{"direct", clientOf(b, server.Endpoint)}, {"record", record}, {"grpc-proxy", proxy}}
	took, rates := make([][]time.Duration, len(ways)), make([][]float64, len(ways))
	for b.Loop() {
		for i, way := range ways {
			for range 200 {
				began := time.Now()
				_, err := way.client.Get(b.Context(), "/a")
				require.NoError(b, err)
				took[i] = append(took[i], time.Since(began))
			}
			rates[i] = append(rates[i], throughput(b, way.client))
		}
	}
	var text []string
	for i, way := range ways {
		slices.Sort(took[i])
		slices.Sort(rates[i])
		text = append(text, fmt.Sprintf("%s: p50 %v, %.0f puts a second", way.name, took[i][len(took[i])/2].Round(time.Microsecond), rates[i][len(rates[i])/2]))
	}
	b.Log(strings.Join(text, "; "))
}

// throughput is how many puts a second 16 clients of a connection get done.
func throughput(b *testing.B, client *clientv3.Client) float64 {
	const clients, each = 16, 50
	began := time.Now()
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			for range each {
				if _, err := client.Put(b.Context(), fmt.Sprint("/a/", i), "x"); err != nil {
					b.Error(err)
				}
			}
		})
	}
	all.Wait()
	return clients * each / time.Since(began).Seconds()
}

// TestJudgedRealServers: record --judge finds etcd #15220 in the release that has it, under load, and nothing in others,
// also if the server is killed in between.
func TestJudgedRealServers(t *testing.T) {
	name := program(t)
	for _, release := range []string{"3.5.7", "3.6.16"} {
		t.Run(release, func(t *testing.T) {
			etcd := realetcd.StartForTest(t, release)
			listen, kept := freeAddress(t), filepath.Join(t.TempDir(), "history.jsonl")
			c := exec.Command(name, "record", "--judge", "--whole", "--listen", listen, "--etcd", etcd.Endpoint, "--out", kept)
			var out bytes.Buffer
			c.Stdout = &out
			require.NoError(t, c.Start())
			client := clientOf(t, listen)
			s := &server{kv: pb.NewKVClient(client.ActiveConnection()), conn: client.ActiveConnection(), report: &Report{}}
			for n := range 10 {
				killed := make(chan error, 1)
				if n == 5 {
					go func() { killed <- etcd.Restart(t.Context()) }()
				} else {
					killed <- nil
				}
				err := s.round(t.Context(), n)
				require.NoError(t, <-killed)
				// Clients are in the middle of requests when the server is killed.
				require.True(t, err == nil || n == 5, "%v", err)
				if n == 5 {
					clientOf(t, listen)
				}
			}
			require.NoError(t, c.Process.Signal(os.Interrupt))
			err := c.Wait()
			t.Log(out.String())
			assert.Equal(t, release == "3.5.7", err != nil, "%v", err)
			assert.Equal(t, release == "3.5.7", strings.Contains(out.String(), "violated: bookmarkable: "))
			assert.Equal(t, strings.Count(out.String(), "violated: bookmarkable: "), strings.Count(out.String(), "violated: "))
		})
	}
}
