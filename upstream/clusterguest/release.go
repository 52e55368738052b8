//go:build wasip1

package main

import (
	"go.etcd.io/etcd/server/v3/config"
	"go.etcd.io/etcd/server/v3/wal"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// What the branches of etcd call differently, or build in another way, is here. These files are about 3.5. Those named
// _v3.6 stand in their place from 3.6 on, those named _v3.7 from 3.7 on; go.mod and go.sum are among them.
//
// They must never decide anything.

// Prepare sets what is no part of the configuration: small segments of the WAL have a member begin a new one often.
func Prepare() { wal.SegmentSizeBytes = 64 * 1024 }

// WALExists says whether there is a WAL in a directory.
func WALExists(directory string) bool { return wal.Exist(directory) }

// Configure sets what releases have as fields of other types.
func Configure(cfg *config.ServerConfig, _ *protocol.Member) error {
	cfg.V2Deprecation = config.V2_DEPR_DEFAULT
	return nil
}
