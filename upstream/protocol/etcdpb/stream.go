//go:build wasip1

package etcdpb

import (
	"context"
	"io"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// Stream is the server's end of one gRPC stream of the Watch API.
type Stream struct {
	grpc.ServerStream
	// Cancel ends the stream.
	Cancel context.CancelFunc
	ctx    context.Context
	conn   uint32
	// queue is what has come and was not received yet; come has room for one sign of it, as drained has for one
	// that more can be sent.
	queue         []*pb.WatchRequest
	come, drained chan struct{}
	out           protocol.Writer
}

// NewStream is that of a connection, with what came with the first request in a context.
func NewStream(ctx context.Context, conn uint32) *Stream {
	t := &Stream{conn: conn, come: make(chan struct{}, 1), drained: make(chan struct{}, 1)}
	t.ctx, t.Cancel = context.WithCancel(ctx)
	return t
}

// Deliver takes what has come.
func (t *Stream) Deliver(r *pb.WatchRequest) {
	t.queue = append(t.queue, r)
	wake(t.come)
}

// Drained takes it that more can be sent.
func (t *Stream) Drained() { wake(t.drained) }

// Closed has the host know that the server has ended the stream.
func (t *Stream) Closed() { protocol.Send(t.out.Begin(protocol.Closed, t.conn)) }

func wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Recv implements pb.Watch_WatchServer.
func (t *Stream) Recv() (*pb.WatchRequest, error) {
	for {
		if t.ctx.Err() != nil {
			return nil, io.EOF
		}
		if len(t.queue) > 0 {
			r := t.queue[0]
			t.queue = t.queue[1:]
			return r, nil
		}
		select {
		case <-t.come:
		case <-t.ctx.Done():
		}
	}
}

// Send implements pb.Watch_WatchServer: it waits for the client to read, as gRPC's flow control has it wait.
func (t *Stream) Send(r *pb.WatchResponse) error {
	for t.ctx.Err() == nil && !protocol.CanSend(t.conn) {
		select {
		case <-t.drained:
		case <-t.ctx.Done():
		}
	}
	if err := t.ctx.Err(); err != nil {
		return err
	}
	protocol.Send(writeWatchResponse(t.out.Begin(protocol.WatchResponse, t.conn), r))
	return nil
}

// Context implements grpc.ServerStream.
func (t *Stream) Context() context.Context { return t.ctx }

// writeWatchResponse writes a message of the server.
func writeWatchResponse(w *protocol.Writer, p *pb.WatchResponse) *protocol.Writer {
	w.Int(p.Header.Revision).Int(p.WatchId).Bool(p.Created).Bool(p.Canceled).Int(p.CompactRevision).Text(p.CancelReason).
		Bool(p.Fragment).Int(int64(len(p.Events)))
	for _, e := range p.Events {
		WriteKV(w.Byte(byte(e.Type)), e.Kv)
		w.Bool(e.PrevKv != nil)
		if e.PrevKv != nil {
			WriteKV(w, e.PrevKv)
		}
	}
	return w
}
