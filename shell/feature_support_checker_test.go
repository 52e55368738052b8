package shell_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/watchbed/watchbed/shell"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/wire"
)

// statuses stands for the endpoints of a client: they have one version, or do not answer.
type statuses struct {
	clientv3.Maintenance
	version string
	asked   atomic.Int64
}

// Status implements clientv3.Maintenance.
func (s *statuses) Status(ctx context.Context, _ string) (*clientv3.StatusResponse, error) {
	s.asked.Add(1)
	if s.version == "" {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return &clientv3.StatusResponse{Version: s.version}, nil
}

// checked starts a cache with a version check.
func checked(t *testing.T, e *etcd, s *statuses, endpoint, check string, shared *shell.FeatureSupportChecker) *shell.Cache {
	t.Helper()
	o, err := cache.Options{}.With("snapshots", "on")
	require.NoError(t, err)
	o, err = o.With("version-check", check)
	require.NoError(t, err)
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{endpoint}})
	require.NoError(t, err)
	watcher := client.Watcher
	t.Cleanup(func() {
		client.Watcher = watcher
		client.Close()
	})
	client.KV, client.Watcher, client.Maintenance = e, e, s
	c, err := shell.Start(t.Context(), client, shell.Config{Cache: cache.Config{Prefix: prefix, Options: o}, FeatureSupportChecker: shared})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	require.NoError(t, c.Ready(t.Context()))
	return c
}

// TestCachesShareTheVersionCheck: while a check is pending, etcd answers the lists that the
// cache serves after it has waited for progress: those of the newest state, and exact ones of a
// resourceVersion that the cache has not reached.
func TestCachesShareTheVersionCheck(t *testing.T) {
	consistent := wire.ListRequest{Prefix: prefix, ResourceVersion: wire.Unset}
	for name, second := range map[string]struct {
		endpoint, check string
		own             bool
		origin          wire.Origin
	}{
		"the same endpoint":           {endpoint: "127.0.0.1:1", check: "shipped", origin: wire.FromCache},
		"another endpoint":            {endpoint: "127.0.0.1:2", check: "shipped", origin: wire.FromEtcd},
		"a checker of its own":        {endpoint: "127.0.0.1:1", check: "shipped", own: true, origin: wire.FromEtcd},
		"a check that asks each time": {endpoint: "127.0.0.1:1", check: "periodic", origin: wire.FromEtcd},
	} {
		t.Run(name, func(t *testing.T) {
			e, shared := newEtcd(), &shell.FeatureSupportChecker{}
			e.set(prefix+"a", "0")
			first := checked(t, e, &statuses{version: "3.5.35"}, "127.0.0.1:1", "shipped", shared)
			require.Eventually(t, func() bool { return list(t, first, consistent).Origin == wire.FromCache }, 10*time.Second, time.Millisecond)
			if second.own {
				shared = &shell.FeatureSupportChecker{}
			}

			silent := &statuses{}
			c := checked(t, e, silent, second.endpoint, second.check, shared)
			elsewhere := e.set("/other/a", "0")
			ahead := wire.ListRequest{Prefix: prefix, ResourceVersion: elsewhere, Match: wire.MatchExact}
			require.Equal(t, second.origin, list(t, c, ahead).Origin, "an exact list ahead of the cache")
			require.Equal(t, second.origin, list(t, c, consistent).Origin, "a consistent list")
			if second.origin == wire.FromCache {
				require.Zero(t, silent.asked.Load(), "its endpoint has answered before")
			} else {
				require.Eventually(t, func() bool { return silent.asked.Load() > 0 }, 10*time.Second, time.Millisecond)
			}
		})
	}
}

// What is shared is the answer: an endpoint that is too old is so for all.
func TestAnOldEndpointIsOldForEachCache(t *testing.T) {
	e, shared := newEtcd(), &shell.FeatureSupportChecker{}
	e.set(prefix+"a", "0")
	old := &statuses{version: "3.5.7"}
	for range 2 {
		c := checked(t, e, old, "127.0.0.1:1", "shipped", shared)
		require.Eventually(t, func() bool { return old.asked.Load() == 1 }, 10*time.Second, time.Millisecond)
		require.Equal(t, wire.FromEtcd, list(t, c, wire.ListRequest{Prefix: prefix, ResourceVersion: wire.Unset}).Origin)
	}
	require.EqualValues(t, 1, old.asked.Load())
}
