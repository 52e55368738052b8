//go:build wasip1

package main

import (
	"context"
	"encoding/json"
	"net/http"
	"path/filepath"
	"reflect"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"go.etcd.io/etcd/api/v3/version"
	"go.etcd.io/etcd/server/v3/config"
	"go.etcd.io/etcd/server/v3/etcdserver"
	"go.etcd.io/etcd/server/v3/etcdserver/api/etcdhttp"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3rpc"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/watchbed/watchbed/upstream/protocol"
	"github.com/watchbed/watchbed/upstream/protocol/etcdpb"
)

// member is the process.
type member struct {
	network *network
	log     *logCore
	// listens: the server takes requests. What is below is there from then on.
	listens bool
	server  *etcdserver.EtcdServer
	peers   http.Handler

	kv          pb.KVServer
	lease       pb.LeaseServer
	maintenance pb.MaintenanceServer
	cluster     pb.ClusterServer
	auth        pb.AuthServer
	watch       pb.WatchServer
	// unary and stream are what gRPC calls before a service.
	unary  grpc.UnaryServerInterceptor
	stream grpc.StreamServerInterceptor

	// calls are those that clients wait for, by their connections, streams those on which they watch.
	calls   map[uint32]context.CancelFunc
	streams map[uint32]*etcdpb.Stream
}

func newMember() *member {
	m := &member{network: newNetwork(), calls: map[uint32]context.CancelFunc{}, streams: map[uint32]*etcdpb.Stream{}}
	m.network.install()
	tellRequests()
	return m
}

// receive takes a message of the host.
func (m *member) receive(r protocol.Reader) {
	kind, conn := r.Begin()
	ctx := context.Background()
	if kind == protocol.As {
		ctx = metadata.NewIncomingContext(ctx, metadata.Pairs(rpctypes.TokenFieldNameGRPC, r.Text()))
		kind, conn = r.Begin()
	}
	switch kind {
	case protocol.Start:
		protocol.Seed(uint64(r.Int()))
		var of protocol.Member
		if err := json.Unmarshal([]byte(r.Text()), &of); err != nil {
			panic(err)
		}
		go m.start(of)
	case protocol.Do:
		m.do(ctx, conn, &r)
	case protocol.CreateWatch, protocol.CancelWatch, protocol.RequestProgress:
		m.watchRequest(ctx, kind, conn, &r)
	case protocol.Drained:
		if t := m.streams[conn]; t != nil {
			t.Drained()
		}
	case protocol.Hangup:
		m.hangup(conn)
	case protocol.PeerRequest:
		m.servePeer(conn, &r)
	default:
		m.network.receive(kind, conn, &r, m.listens)
	}
}

// hangup takes it that a client is gone.
func (m *member) hangup(conn uint32) {
	if cancel := m.calls[conn]; cancel != nil {
		delete(m.calls, conn)
		cancel()
	}
	if t := m.streams[conn]; t != nil {
		delete(m.streams, conn)
		t.Cancel()
	}
}

// start starts the server, as package embed does.
func (m *member) start(of protocol.Member) {
	m.log = newLog(of.Log)
	Prepare()
	cfg, err := configure(&of, m.log.logger())
	if err != nil {
		stopped(err.Error())
		return
	}
	initialized := WALExists(filepath.Join(of.Dir, "member", "wal"))
	if of.Restore != "" && !initialized {
		if err := restore(&of, cfg.Logger); err != nil {
			stopped(err.Error())
			return
		}
		initialized = true
	}
	if initialized {
		// A member that has a log does not look at the initial cluster.
		cfg.InitialPeerURLsMap = nil
	}
	s, err := etcdserver.NewServer(cfg)
	if err == nil && initialized && of.InitialCorruptCheck {
		err = checkInitially(s)
	}
	if err != nil {
		stopped(err.Error())
		return
	}
	s.Start()
	m.serve(s, cfg)
	var out protocol.Writer
	protocol.Send(out.Begin(protocol.Started, 0).Text(version.Version))
	go func() {
		select {
		case <-s.ReadyNotify():
			protocol.Send(new(protocol.Writer).Begin(protocol.Ready, 0))
		case <-s.StopNotify():
		}
	}()
	<-s.StopNotify()
	stopped(m.log.why())
}

// serve has the services of the server.
func (m *member) serve(s *etcdserver.EtcdServer, cfg config.ServerConfig) {
	m.server = s
	m.peers = etcdhttp.NewPeerHandler(cfg.Logger, s)
	m.kv = v3rpc.NewQuotaKVServer(s)
	m.lease = v3rpc.NewQuotaLeaseServer(s)
	m.maintenance = v3rpc.WatchbedNewMaintenanceServer(s)
	m.cluster = v3rpc.NewClusterServer(s)
	m.auth = v3rpc.NewAuthServer(s)
	m.watch = v3rpc.NewWatchServer(s)
	m.unary, m.stream = v3rpc.WatchbedInterceptors(s)
	m.listens = true
}

func stopped(why string) {
	protocol.Send(new(protocol.Writer).Begin(protocol.Stopped, 0).Text(why))
}

// checkInitially compares the data of the member with that of the others. The method has another name in releases of
// 3.5.
func checkInitially(s *etcdserver.EtcdServer) error {
	v := reflect.ValueOf(s)
	check := v.MethodByName("CheckInitialHashKV")
	if !check.IsValid() {
		check = v.MethodByName("CorruptionChecker").Call(nil)[0].MethodByName("InitialCheck")
	}
	err, _ := check.Call(nil)[0].Interface().(error)
	return err
}
