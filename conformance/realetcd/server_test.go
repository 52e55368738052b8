package realetcd_test

import (
	"net"
	"os"
	"testing"

	"google.golang.org/grpc"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/watchbed/watchbed/conformance/realetcd"
)

func TestServersRunTheirVersion(t *testing.T) {
	for _, version := range realetcd.Versions() {
		t.Run(version, func(t *testing.T) {
			s := realetcd.StartForTest(t, version)
			conn, err := s.Dial()
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			status, err := pb.NewMaintenanceClient(conn).Status(t.Context(), &pb.StatusRequest{})
			if err != nil {
				t.Fatal(err)
			}
			if status.Version != version {
				t.Errorf("the server says it is %s, want %s", status.Version, version)
			}
			if status.Header.Revision != 1 {
				t.Errorf("a fresh server is at revision %d, want 1", status.Header.Revision)
			}
		})
	}
}

func TestStopLeavesNothingBehind(t *testing.T) {
	version := realetcd.Versions()[0]
	realetcd.Need(t, version)
	t.Setenv("TMPDIR", t.TempDir())
	s, err := realetcd.Start(t.Context(), version)
	if err != nil {
		t.Fatal(err)
	}
	s.Stop()
	s.Stop()
	if conn, err := net.Dial("tcp", s.Endpoint); err == nil {
		conn.Close()
		t.Errorf("%s still answers", s.Endpoint)
	}
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range left {
		t.Errorf("left behind: %s", f.Name())
	}
}

func TestRestartKeepsTheData(t *testing.T) {
	s := realetcd.StartForTest(t, realetcd.Versions()[0])
	conn, err := s.Dial()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	kv := pb.NewKVClient(conn)
	if _, err := kv.Put(t.Context(), &pb.PutRequest{Key: []byte("a"), Value: []byte("1")}); err != nil {
		t.Fatal(err)
	}
	before := s.Pid()
	if err := s.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.Pid() == before {
		t.Error("it is the same process")
	}
	got, err := kv.Range(t.Context(), &pb.RangeRequest{Key: []byte("a")}, grpc.WaitForReady(true))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Kvs) != 1 || string(got.Kvs[0].Value) != "1" {
		t.Errorf("after the restart there is %v", got.Kvs)
	}
}
