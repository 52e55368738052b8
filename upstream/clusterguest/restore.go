//go:build wasip1

package main

import (
	"errors"
	"reflect"

	"go.etcd.io/etcd/etcdutl/v3/snapshot"
	"go.uber.org/zap"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// restore makes the data directory out of a copy of a database, as etcdutl snapshot restore --skip-hash-check does.
func restore(of *protocol.Member, lg *zap.Logger) error {
	cfg := snapshot.RestoreConfig{
		SnapshotPath: of.Restore, Name: of.Name, OutputDataDir: of.Dir, InitialCluster: initialCluster(of.Peers), InitialClusterToken: of.Token, SkipHashCheck: true,
	}
	for _, p := range of.Peers {
		if p.Name == of.Name {
			cfg.PeerURLs = []string{p.URL}
		}
	}
	bump, marks := reflect.ValueOf(&cfg).Elem().FieldByName("RevisionBump"), reflect.ValueOf(&cfg).Elem().FieldByName("MarkCompacted")
	if !bump.IsValid() {
		return errors.New("etcdutl of this release has no --bump-revision")
	}
	bump.SetUint(of.RevisionBump)
	marks.SetBool(true)
	return snapshot.NewV3(lg).Restore(cfg)
}
