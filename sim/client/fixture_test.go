package client_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/client"
	"github.com/watchbed/watchbed/sim/wire"
)

// covered sums up the coverage points of all worlds of this test binary.
var covered = map[string]uint64{}

func tally(w *sim.World) {
	for _, s := range sim.CoveragePoints() {
		covered[s.String()] += w.Count(s)
	}
}

// newest is a version without known defects in clientv3.
const newest = "3.6.16"

// TestMain fails a run of all tests that left a coverage point untried.
func TestMain(m *testing.M) {
	code := m.Run()
	if code == 0 && allTests() {
		for _, s := range sim.CoveragePoints() {
			ours := strings.HasPrefix(s.String(), "clientv3: ") || strings.HasPrefix(s.String(), "etcd3: ")
			if ours && covered[s.String()] == 0 {
				println("never came about:", s.String())
				code = 1
			}
		}
	}
	os.Exit(code)
}

func allTests() bool {
	for _, a := range os.Args[1:] {
		for _, flag := range []string{"run", "skip", "list", "bench", "short", "fuzz"} {
			if strings.HasPrefix(a, "-test."+flag+"=") && a != "-test.short=false" {
				return false
			}
		}
	}
	return true
}

const (
	etcdID sim.NodeID = iota + 1
	clientID
	cacheID
)

func config(t testing.TB, version string) client.Config {
	cfg, err := client.DefaultConfig(version)
	require.NoError(t, err)
	cfg.Etcd = etcdID
	return cfg
}

func createdAt(id, rev int64) *wire.WatchResponse {
	return &wire.WatchResponse{WatchID: id, Created: true, Revision: rev}
}

func progress(id, rev int64) *wire.WatchResponse {
	return &wire.WatchResponse{WatchID: id, Revision: rev}
}

func events(id int64, all ...wire.Event) *wire.WatchResponse {
	return &wire.WatchResponse{WatchID: id, Revision: all[len(all)-1].Kv.ModRevision, Events: all}
}

func putAt(key string, rev int64) wire.Event {
	return wire.Event{Kv: &wire.KeyValue{Key: key, Value: "v" + strconv.FormatInt(rev, 10), CreateRevision: rev, ModRevision: rev, Version: 1}}
}

func updateAt(key string, rev, created int64) wire.Event {
	return wire.Event{
		Kv:     &wire.KeyValue{Key: key, Value: "v" + strconv.FormatInt(rev, 10), CreateRevision: created, ModRevision: rev, Version: 2},
		PrevKv: &wire.KeyValue{Key: key, Value: "v" + strconv.FormatInt(created, 10), CreateRevision: created, ModRevision: created, Version: 1},
	}
}

func deleteAt(key string, rev, created int64) wire.Event {
	return wire.Event{
		Type: wire.Delete, Kv: &wire.KeyValue{Key: key, ModRevision: rev},
		PrevKv: &wire.KeyValue{Key: key, Value: "v" + strconv.FormatInt(created, 10), CreateRevision: created, ModRevision: created, Version: 1},
	}
}
