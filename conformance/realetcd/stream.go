package realetcd

import (
	"context"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
)

// AllWatchers is the watch id of a progress response for the whole stream.
const AllWatchers = -1

// Stream is one watch stream, over plain gRPC: what the server sends is what one sees. clientv3 would merge streams,
// resume watches, and hide progress responses.
type Stream struct {
	grpc   pb.Watch_WatchClient
	cancel context.CancelFunc
}

// OpenStream starts a stream. The caller must Close it.
func OpenStream(ctx context.Context, conn *grpc.ClientConn) (*Stream, error) {
	ctx, cancel := context.WithCancel(ctx)
	s, err := pb.NewWatchClient(conn).Watch(ctx)
	if err != nil {
		cancel()
		return nil, err
	}
	return &Stream{s, cancel}, nil
}

// Close ends the stream at once, and with it every call on it.
func (s *Stream) Close() { s.cancel() }

// Done is closed when the stream has ended.
func (s *Stream) Done() <-chan struct{} { return s.grpc.Context().Done() }

// Recv waits for the next response.
func (s *Stream) Recv() (*pb.WatchResponse, error) { return s.grpc.Recv() }

// Responses receives in the background until the stream ends.
func (s *Stream) Responses() <-chan *pb.WatchResponse {
	// After Close the receiver of the responses may be gone, so a send must not
	// block.
	c := make(chan *pb.WatchResponse)
	go func() {
		defer close(c)
		for {
			resp, err := s.Recv()
			if err != nil {
				return
			}
			select {
			case c <- resp:
			case <-s.Done():
				return
			}
		}
	}()
	return c
}

// Create asks for a watch.
func (s *Stream) Create(r *pb.WatchCreateRequest) error {
	return s.grpc.Send(&pb.WatchRequest{RequestUnion: &pb.WatchRequest_CreateRequest{CreateRequest: r}})
}

// Cancel asks for the end of a watch.
func (s *Stream) Cancel(id int64) error {
	return s.grpc.Send(&pb.WatchRequest{RequestUnion: &pb.WatchRequest_CancelRequest{
		CancelRequest: &pb.WatchCancelRequest{WatchId: id},
	}})
}

// RequestProgress asks how far the stream as a whole has got.
func (s *Stream) RequestProgress() error {
	return s.grpc.Send(&pb.WatchRequest{RequestUnion: &pb.WatchRequest_ProgressRequest{
		ProgressRequest: &pb.WatchProgressRequest{},
	}})
}

// IsProgress reports whether a response is the answer to RequestProgress.
func IsProgress(r *pb.WatchResponse) bool {
	return r.WatchId == AllWatchers && len(r.Events) == 0 && !r.Created && !r.Canceled
}
