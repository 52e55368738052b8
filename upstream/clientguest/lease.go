//go:build wasip1

package main

import (
	"context"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// LeaseGrant implements pb.LeaseClient.
func (e *etcd) LeaseGrant(ctx context.Context, r *pb.LeaseGrantRequest, _ ...grpc.CallOption) (*pb.LeaseGrantResponse, error) {
	a, err := e.call(ctx, protocol.Grant, func(w *protocol.Writer) { w.Int(r.ID).Int(r.TTL) })
	return &pb.LeaseGrantResponse{Header: header(a.leased.revision), ID: a.leased.id, TTL: a.leased.ttl}, err
}

// LeaseRevoke implements pb.LeaseClient.
func (e *etcd) LeaseRevoke(ctx context.Context, r *pb.LeaseRevokeRequest, _ ...grpc.CallOption) (*pb.LeaseRevokeResponse, error) {
	a, err := e.call(ctx, protocol.Revoke, func(w *protocol.Writer) { w.Int(r.ID) })
	return &pb.LeaseRevokeResponse{Header: header(a.leased.revision)}, err
}

// LeaseKeepAlive implements pb.LeaseClient. Each request on the stream is a call of its own, as etcd answers them in
// their order.
func (e *etcd) LeaseKeepAlive(ctx context.Context, _ ...grpc.CallOption) (grpc.BidiStreamingClient[pb.LeaseKeepAliveRequest, pb.LeaseKeepAliveResponse], error) {
	s := &renewalStream{etcd: e}
	s.ctx, s.come = ctx, make(chan struct{}, 1)
	return s, nil
}

// renewalStream is one gRPC stream of keep-alives.
type renewalStream struct {
	stream[pb.LeaseKeepAliveResponse]
	etcd *etcd
}

// Send implements grpc.BidiStreamingClient.
func (s *renewalStream) Send(r *pb.LeaseKeepAliveRequest) error {
	if err := s.closed(); err != nil {
		return err
	}
	conn := s.etcd.number()
	s.etcd.renewals[conn] = s
	s.etcd.out.Begin(protocol.KeepAlive, conn).Int(r.ID)
	protocol.Send(&s.etcd.out)
	return nil
}

// Recv implements grpc.BidiStreamingClient.
func (s *renewalStream) Recv() (*pb.LeaseKeepAliveResponse, error) { return s.receive(func() {}) }

// CloseSend implements grpc.ClientStream.
func (*renewalStream) CloseSend() error { return nil }

// LeaseTimeToLive implements pb.LeaseClient.
func (*etcd) LeaseTimeToLive(context.Context, *pb.LeaseTimeToLiveRequest, ...grpc.CallOption) (*pb.LeaseTimeToLiveResponse, error) {
	return nil, status.Error(codes.Unimplemented, "the guest does not ask for the time that leases have")
}

// LeaseLeases implements pb.LeaseClient.
func (*etcd) LeaseLeases(context.Context, *pb.LeaseLeasesRequest, ...grpc.CallOption) (*pb.LeaseLeasesResponse, error) {
	return nil, status.Error(codes.Unimplemented, "the guest does not list leases")
}
