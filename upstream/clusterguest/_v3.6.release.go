//go:build wasip1

package main

import (
	"go.etcd.io/etcd/pkg/v3/featuregate"
	"go.etcd.io/etcd/server/v3/config"
	"go.etcd.io/etcd/server/v3/features"
	"go.etcd.io/etcd/server/v3/storage/wal"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// Prepare sets what is no part of the configuration: small segments of the WAL have a member begin a new one often.
func Prepare() { wal.SegmentSizeBytes = 64 * 1024 }

// WALExists says whether there is a WAL in a directory.
func WALExists(directory string) bool { return wal.Exist(directory) }

// Configure sets what releases have as fields of other types.
func Configure(cfg *config.ServerConfig, of *protocol.Member) error {
	cfg.V2Deprecation = config.V2DeprDefault
	gates := features.NewDefaultServerFeatureGate(of.Name, nil)
	cfg.ServerFeatureGate = gates
	return gates.(featuregate.MutableFeatureGate).SetFromMap(map[string]bool{
		string(features.InitialCorruptCheck): of.InitialCorruptCheck,
		string(features.CompactHashCheck):    of.CompactHashCheckMs > 0,
		string(features.LeaseCheckpoint):     of.LeaseCheckpoint,
	})
}
