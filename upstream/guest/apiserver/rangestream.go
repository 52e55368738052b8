package apiserver

import (
	"context"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// rangeStreams are the Ranges that etcd streams. The host's lock is held in all methods.
type rangeStreams map[uint32]*stream[pb.RangeStreamResponse]

func (all rangeStreams) end(conn uint32, err error) {
	if s := all[conn]; s != nil {
		delete(all, conn)
		s.end(err)
	}
}

func (all rangeStreams) leave(conn uint32) { delete(all, conn) }

// deliver takes a part of the answer to a Range. Only the last one has a header.
func (all rangeStreams) deliver(conn uint32, r *protocol.Reader) {
	p := readRanged(r)
	if p.Header.Revision == 0 {
		p.Header = nil
	}
	if s := all[conn]; s != nil {
		s.deliver(&pb.RangeStreamResponse{RangeResponse: p})
	}
}

// RangeStream implements pb.KVClient. That etcd does not know the method comes in the place of the first part.
func (e *etcd) RangeStream(ctx context.Context, r *pb.RangeRequest, _ ...grpc.CallOption) (grpc.ServerStreamingClient[pb.RangeStreamResponse], error) {
	if err := ctx.Err(); err != nil {
		return nil, status.FromContextError(err).Err()
	}
	e.host.Lock()
	defer e.host.Unlock()
	s := newStream[pb.RangeStreamResponse](e, ctx)
	e.ranges[s.conn] = s
	writeRange(e.out.Begin(protocol.RangeStream, s.conn), r)
	e.host.Send(&e.out)
	return s, nil
}
