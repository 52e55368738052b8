//go:build wasip1

package main

import (
	"math"
	"net"
	"net/url"
	"reflect"
	"strings"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/types"
	"go.etcd.io/etcd/server/v3/config"
	"go.etcd.io/etcd/server/v3/etcdserver"
	"go.uber.org/zap"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// configure is the configuration of a server: what is said of it, and for the rest the defaults of package embed.
func configure(of *protocol.Member, lg *zap.Logger) (config.ServerConfig, error) {
	peers, err := types.NewURLsMap(initialCluster(of.Peers))
	if err != nil {
		return config.ServerConfig{}, err
	}
	cfg := config.ServerConfig{
		Name:                       of.Name,
		PeerURLs:                   peers[of.Name],
		DataDir:                    of.Dir,
		SnapshotCount:              or(of.SnapshotCount, etcdserver.DefaultSnapshotCount),
		SnapshotCatchUpEntries:     or(of.SnapshotCatchUpEntries, etcdserver.DefaultSnapshotCatchUpEntries),
		MaxSnapFiles:               5,
		MaxWALFiles:                5,
		InitialPeerURLsMap:         peers,
		InitialClusterToken:        or(of.Token, "etcd-cluster"),
		NewCluster:                 !of.Existing,
		ForceNewCluster:            of.ForceNewCluster,
		TickMs:                     uint(or(of.TickMs, 100)),
		ElectionTicks:              or(of.ElectionTicks, 10),
		InitialElectionTickAdvance: of.InitialElectionTickAdvance,
		AutoCompactionMode:         or(of.AutoCompactionMode, "periodic"),
		AutoCompactionRetention:    time.Duration(of.AutoCompactionRetention),
		QuotaBackendBytes:          of.QuotaBytes,
		MaxTxnOps:                  128,
		MaxRequestBytes:            1.5 * 1024 * 1024,
		StrictReconfigCheck:        !of.LooseReconfig,
		AuthToken:                  or(of.AuthToken, "simple"),
		BcryptCost:                 4, // the smallest
		TokenTTL:                   or(of.TokenTTL, 300),
		CorruptCheckTime:           milliseconds(of.CorruptCheckMs),
		PreVote:                    of.PreVote,
		WarningApplyDuration:       100 * time.Millisecond,
		Logger:                     lg,
	}
	for _, u := range cfg.PeerURLs {
		cfg.ClientURLs = append(cfg.ClientURLs, url.URL{Scheme: "http", Host: net.JoinHostPort(u.Hostname(), "2379")})
	}
	// The rest is not there in all releases.
	set(&cfg, "BackendFreelistType", "hashmap")
	set(&cfg, "MaxConcurrentStreams", uint32(math.MaxUint32))
	set(&cfg, "WarningUnaryRequestDuration", 300*time.Millisecond)
	set(&cfg, "WatchProgressNotifyInterval", milliseconds(of.ProgressMs))
	set(&cfg, "DowngradeCheckTime", 5*time.Second)
	set(&cfg, "ExperimentalTxnModeWriteWithSharedBuffer", true)
	set(&cfg, "MaxLearners", 1)
	set(&cfg, "ExperimentalMaxLearners", 1)
	set(&cfg, "CompactionBatchLimit", of.CompactionBatchLimit)
	set(&cfg, "InitialCorruptCheck", of.InitialCorruptCheck)
	set(&cfg, "EnableLeaseCheckpoint", of.LeaseCheckpoint)
	set(&cfg, "CompactHashCheckEnabled", of.CompactHashCheckMs > 0)
	set(&cfg, "CompactHashCheckTime", milliseconds(or(of.CompactHashCheckMs, 60_000)))
	set(&cfg, "Metrics", "basic")
	return cfg, Configure(&cfg, of)
}

// initialCluster is as --initial-cluster has it.
func initialCluster(peers []protocol.Peer) string {
	var all []string
	for _, p := range peers {
		all = append(all, p.Name+"="+p.URL)
	}
	return strings.Join(all, ",")
}

func milliseconds(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// or is what is said, or the default.
func or[T comparable](said, otherwise T) T {
	var zero T
	if said == zero {
		return otherwise
	}
	return said
}

// set sets a field if the release has it.
func set(cfg *config.ServerConfig, field string, value any) {
	if f := reflect.ValueOf(cfg).Elem().FieldByName(field); f.IsValid() {
		f.Set(reflect.ValueOf(value).Convert(f.Type()))
	}
}
