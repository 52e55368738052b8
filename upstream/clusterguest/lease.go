//go:build wasip1

package main

import (
	"context"
	"io"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/watchbed/watchbed/upstream/protocol"
)

func writeGranted(w *protocol.Writer, p *pb.LeaseGrantResponse) {
	w.Int(p.GetHeader().GetRevision()).Int(p.ID).Int(p.TTL)
}

func writeTimeToLive(w *protocol.Writer, p *pb.LeaseTimeToLiveResponse) {
	w.Int(p.GetHeader().GetRevision()).Int(p.ID).Int(p.TTL).Int(p.GrantedTTL).Int(int64(len(p.Keys)))
	for _, key := range p.Keys {
		w.Text(string(key))
	}
}

// keepAlive sends one request on a stream of its own.
func keepAlive(r *protocol.Reader) operation {
	id := r.Int()
	return func(ctx context.Context, m *member) (func(*protocol.Writer), error) {
		s := &keepAliveStream{ctx: ctx, request: &pb.LeaseKeepAliveRequest{ID: id}}
		err := m.stream(m.lease, s, &grpc.StreamServerInfo{FullMethod: "/etcdserverpb.Lease/LeaseKeepAlive"}, func(any, grpc.ServerStream) error {
			return m.lease.LeaseKeepAlive(s)
		})
		p := s.response
		switch {
		case p != nil:
			return func(w *protocol.Writer) { w.Int(p.GetHeader().GetRevision()).Int(p.ID).Int(p.TTL) }, nil
		case err == nil:
			err = status.Error(codes.Unavailable, "the stream has ended")
		}
		return nil, err
	}
}

// keepAliveStream is the server's end of a gRPC stream with one request.
type keepAliveStream struct {
	grpc.ServerStream
	ctx      context.Context
	request  *pb.LeaseKeepAliveRequest
	response *pb.LeaseKeepAliveResponse
}

// Context implements grpc.ServerStream.
func (s *keepAliveStream) Context() context.Context { return s.ctx }

// Recv implements pb.Lease_LeaseKeepAliveServer.
func (s *keepAliveStream) Recv() (*pb.LeaseKeepAliveRequest, error) {
	r := s.request
	if r == nil {
		return nil, io.EOF
	}
	s.request = nil
	return r, nil
}

// Send implements pb.Lease_LeaseKeepAliveServer.
func (s *keepAliveStream) Send(p *pb.LeaseKeepAliveResponse) error {
	s.response = p
	return nil
}
