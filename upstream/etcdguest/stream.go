//go:build wasip1

package main

import (
	"context"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/watchbed/watchbed/upstream/protocol"
	"github.com/watchbed/watchbed/upstream/protocol/etcdpb"
)

// stream is the one of a connection. With the first message gRPC starts the handler.
func (s *server) stream(conn uint32) *etcdpb.Stream {
	t := s.streams[conn]
	if t == nil {
		t = etcdpb.NewStream(context.Background(), conn)
		s.streams[conn] = t
		go s.serve(conn, t)
	}
	return t
}

// serve runs the handler of a stream. The host learns that the server has ended it.
func (s *server) serve(conn uint32, t *etcdpb.Stream) {
	s.watch.Watch(t)
	t.Cancel()
	if s.streams[conn] == t {
		delete(s.streams, conn)
		t.Closed()
	}
}

func readWatchRequest(kind protocol.Kind, r *protocol.Reader) *pb.WatchRequest {
	switch kind {
	case protocol.CreateWatch:
		c := &pb.WatchCreateRequest{Key: []byte(r.Text()), RangeEnd: []byte(r.Text()), StartRevision: r.Int(), ProgressNotify: r.Bool()}
		filters := r.Byte()
		for f := range pb.WatchCreateRequest_FilterType_name {
			if filters&(1<<f) != 0 {
				c.Filters = append(c.Filters, pb.WatchCreateRequest_FilterType(f))
			}
		}
		c.PrevKv, c.WatchId, c.Fragment = r.Bool(), r.Int(), r.Bool()
		return &pb.WatchRequest{RequestUnion: &pb.WatchRequest_CreateRequest{CreateRequest: c}}
	case protocol.CancelWatch:
		return &pb.WatchRequest{RequestUnion: &pb.WatchRequest_CancelRequest{CancelRequest: &pb.WatchCancelRequest{WatchId: r.Int()}}}
	default:
		return &pb.WatchRequest{RequestUnion: &pb.WatchRequest_ProgressRequest{ProgressRequest: &pb.WatchProgressRequest{}}}
	}
}
