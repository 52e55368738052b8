package etcdtest

import (
	"context"
	"errors"
	"io"
	"math"
	"net"
	"sync"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// server is the gRPC server that one client is connected to: its handlers speak for the process in the world.
type server struct {
	pb.UnimplementedKVServer
	pb.UnimplementedWatchServer
	pb.UnimplementedLeaseServer
	pb.UnimplementedMaintenanceServer
	loop    *loop
	process *process
	node    sim.NodeID
}

// pipes is a listener whose connections are in memory.
type pipes struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

func (*pipes) Addr() net.Addr { return address{} }

type address struct{}

func (address) Network() string { return "memory" }
func (address) String() string  { return "etcdtest" }

func (p *pipes) dial(ctx context.Context, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-p.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// connect starts the server of a process and returns a client of it, and what ends both.
func connect(l *loop, node sim.NodeID, p *process) (*clientv3.Client, func(), error) {
	s := &server{loop: l, process: p, node: node}
	g := grpc.NewServer(grpc.MaxRecvMsgSize(math.MaxInt32), grpc.MaxSendMsgSize(math.MaxInt32))
	pb.RegisterKVServer(g, s)
	pb.RegisterWatchServer(g, s)
	pb.RegisterLeaseServer(g, s)
	pb.RegisterMaintenanceServer(g, s)
	listener := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = g.Serve(listener)
	}()
	client, err := clientv3.New(clientv3.Config{
		Endpoints: []string{"passthrough:///etcdtest"}, Logger: zap.NewNop(),
		DialOptions: []grpc.DialOption{grpc.WithContextDialer(listener.dial), grpc.WithTransportCredentials(insecure.NewCredentials())},
	})
	end := func() {
		if client != nil {
			_ = client.Close()
		}
		g.Stop()
		<-served
	}
	if err != nil {
		end()
		return nil, nil, err
	}
	return client, end, nil
}

// errClosed is what requests are answered that come when the run is over.
var errClosed = status.Error(codes.Unavailable, "etcdtest: the etcd is closed")

// unary asks etcd and waits for the answer.
func (s *server) unary(ctx context.Context, request sim.Payload) (sim.Payload, error) {
	come := make(chan sim.Payload, 1)
	var conn sim.Conn
	asks := func(env *sim.Env) { conn = s.process.call(env, request, func(p sim.Payload) { come <- p }) }
	if !s.loop.post(happening{s.node, calls, request.Label(), asks}) {
		return nil, errClosed
	}
	select {
	case p := <-come:
		switch p := p.(type) {
		case *wire.Error:
			return nil, refusal(p)
		case *sim.Hangup:
			return nil, status.Error(codes.Unavailable, "error reading from server: EOF")
		}
		return p, nil
	case <-ctx.Done():
		s.loop.post(happening{s.node, givesUp, request.Label(), func(env *sim.Env) { s.process.leave(env, conn) }})
		return nil, status.FromContextError(ctx.Err()).Err()
	case <-s.loop.stopping:
		return nil, errClosed
	}
}

// ask is unary with the answer's type, and the answer in gRPC's words.
func ask[P sim.Payload, R any](s *server, ctx context.Context, request sim.Payload, answer func(P) *R) (*R, error) {
	p, err := s.unary(ctx, request)
	if err != nil {
		return nil, err
	}
	return answer(p.(P)), nil
}

func (s *server) Range(ctx context.Context, r *pb.RangeRequest) (*pb.RangeResponse, error) {
	return ask(s, ctx, rangeRequest(r), ranged)
}

func (s *server) Put(ctx context.Context, r *pb.PutRequest) (*pb.PutResponse, error) {
	return ask(s, ctx, putRequest(r), putDone)
}

func (s *server) DeleteRange(ctx context.Context, r *pb.DeleteRangeRequest) (*pb.DeleteRangeResponse, error) {
	return ask(s, ctx, deleteRequest(r), deleted)
}

func (s *server) Txn(ctx context.Context, r *pb.TxnRequest) (*pb.TxnResponse, error) {
	return ask(s, ctx, txnRequest(r), txnDone)
}

func (s *server) Compact(ctx context.Context, r *pb.CompactionRequest) (*pb.CompactionResponse, error) {
	return ask(s, ctx, &wire.CompactionRequest{Revision: r.Revision, Physical: r.Physical}, func(p *wire.CompactionResponse) *pb.CompactionResponse {
		return &pb.CompactionResponse{Header: header(p.Headed, p.Revision)}
	})
}

func (s *server) LeaseGrant(ctx context.Context, r *pb.LeaseGrantRequest) (*pb.LeaseGrantResponse, error) {
	return ask(s, ctx, &wire.LeaseGrantRequest{ID: r.ID, TTL: r.TTL}, func(p *wire.LeaseGrantResponse) *pb.LeaseGrantResponse {
		return &pb.LeaseGrantResponse{Header: header(p.Headed, p.Revision), ID: p.ID, TTL: p.TTL}
	})
}

func (s *server) LeaseRevoke(ctx context.Context, r *pb.LeaseRevokeRequest) (*pb.LeaseRevokeResponse, error) {
	return ask(s, ctx, &wire.LeaseRevokeRequest{ID: r.ID}, func(p *wire.LeaseRevokeResponse) *pb.LeaseRevokeResponse {
		return &pb.LeaseRevokeResponse{Header: header(p.Headed, p.Revision)}
	})
}

func (s *server) LeaseTimeToLive(ctx context.Context, r *pb.LeaseTimeToLiveRequest) (*pb.LeaseTimeToLiveResponse, error) {
	return ask(s, ctx, &wire.LeaseTimeToLiveRequest{ID: r.ID, Keys: r.Keys}, func(p *wire.LeaseTimeToLiveResponse) *pb.LeaseTimeToLiveResponse {
		l := &pb.LeaseTimeToLiveResponse{Header: header(p.Headed, p.Revision), ID: p.ID, TTL: p.TTL, GrantedTTL: p.GrantedTTL}
		for _, k := range p.Keys {
			l.Keys = append(l.Keys, []byte(k))
		}
		return l
	})
}

// LeaseKeepAlive answers the requests of the stream in their order, as etcd does.
func (s *server) LeaseKeepAlive(stream pb.Lease_LeaseKeepAliveServer) error {
	for {
		r, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		renewed, err := ask(s, stream.Context(), &wire.LeaseKeepAliveRequest{ID: r.ID}, func(p *wire.LeaseKeepAliveResponse) *pb.LeaseKeepAliveResponse {
			return &pb.LeaseKeepAliveResponse{Header: header(p.Headed, p.Revision), ID: p.ID, TTL: p.TTL}
		})
		if err != nil {
			return err
		}
		if err := stream.Send(renewed); err != nil {
			return err
		}
	}
}

func (s *server) Status(ctx context.Context, _ *pb.StatusRequest) (*pb.StatusResponse, error) {
	return ask(s, ctx, &wire.StatusRequest{Endpoint: wire.ServingEndpoint}, func(p *wire.StatusResponse) *pb.StatusResponse {
		return &pb.StatusResponse{Header: &pb.ResponseHeader{}, Version: p.Version}
	})
}

// Watch carries a stream of watches over: this goroutine sends what etcd sent, another one receives from the client.
func (s *server) Watch(stream pb.Watch_WatchServer) error {
	var (
		mu    sync.Mutex
		queue []sim.Payload
		come  = make(chan struct{}, 1)
		conn  sim.Conn
	)
	take := func(p sim.Payload) {
		mu.Lock()
		queue = append(queue, p)
		mu.Unlock()
		signal(come)
	}
	if !s.loop.post(happening{s.node, onStream, "", func(env *sim.Env) { conn = s.process.open(env, take) }}) {
		return errClosed
	}
	md, _ := metadata.FromIncomingContext(stream.Context())
	requireLeader := len(md.Get("hasleader")) > 0
	left := make(chan struct{})
	go func() {
		defer close(left)
		for {
			r, err := stream.Recv()
			if err != nil {
				return
			}
			if p := watchRequest(r, requireLeader); p != nil {
				s.loop.post(happening{s.node, onStream, "", func(env *sim.Env) { s.process.send(env, conn, p) }})
			}
		}
	}()
	defer s.loop.post(happening{s.node, onStream, "", func(env *sim.Env) { s.process.leave(env, conn) }})
	for {
		select {
		case <-come:
		case <-left:
			return nil
		case <-stream.Context().Done():
			return stream.Context().Err()
		case <-s.loop.stopping:
			return errClosed
		}
		mu.Lock()
		all := queue
		queue = nil
		mu.Unlock()
		for _, p := range all {
			switch p := p.(type) {
			case *wire.WatchResponse:
				if err := stream.Send(watchResponse(p)); err != nil {
					return err
				}
			case *wire.Error:
				return refusal(p)
			case *sim.Hangup:
				return status.Error(codes.Unavailable, "error reading from server: EOF")
			}
		}
	}
}

func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
