//go:build wasip1

package main

import (
	"context"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"

	"github.com/watchbed/watchbed/upstream/protocol"
	"github.com/watchbed/watchbed/upstream/protocol/etcdpb"
)

// watchRequest takes a message of a stream. With the first one gRPC starts the handler.
func (m *member) watchRequest(ctx context.Context, kind protocol.Kind, conn uint32, r *protocol.Reader) {
	if !m.listens {
		protocol.Send(new(protocol.Writer).Begin(protocol.Closed, conn))
		return
	}
	t := m.streams[conn]
	if t == nil {
		t = etcdpb.NewStream(ctx, conn)
		m.streams[conn] = t
		go m.serveWatch(conn, t)
	}
	t.Deliver(readWatchRequest(kind, r))
}

// serveWatch runs the handler of a stream. The host learns that the server has ended it.
func (m *member) serveWatch(conn uint32, t *etcdpb.Stream) {
	m.stream(m.watch, t, &grpc.StreamServerInfo{FullMethod: "/etcdserverpb.Watch/Watch"}, func(any, grpc.ServerStream) error {
		return m.watch.Watch(t)
	})
	t.Cancel()
	if m.streams[conn] == t {
		delete(m.streams, conn)
		t.Closed()
	}
}

func readWatchRequest(kind protocol.Kind, r *protocol.Reader) *pb.WatchRequest {
	switch kind {
	case protocol.CreateWatch:
		c := &pb.WatchCreateRequest{Key: etcdpb.ReadBytes(r), RangeEnd: etcdpb.ReadBytes(r), StartRevision: r.Int(), ProgressNotify: r.Bool()}
		filters := r.Byte()
		for f := range pb.WatchCreateRequest_FilterType(len(pb.WatchCreateRequest_FilterType_name)) {
			if filters&(1<<f) != 0 {
				c.Filters = append(c.Filters, f)
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
