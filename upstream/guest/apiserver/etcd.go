package apiserver

import (
	"context"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// etcd is the etcd that the host speaks with. It implements the generated clients of etcd's
// KV and Watch API, on which clientv3 rests. The host's lock guards all of it, and its streams.
type etcd struct {
	host Host
	// last is the number of the newest connection.
	last uint32
	// calls, watches and ranges wait for what etcd says.
	calls   map[uint32]chan answer
	watches map[uint32]*watchStream
	ranges  rangeStreams
	out     protocol.Writer
}

// answer is what came of a call: one of the four is set.
type answer struct {
	ranged  *pb.RangeResponse
	txned   *pb.TxnResponse
	version string
	err     error
}

func newEtcd(h Host) *etcd {
	return &etcd{host: h, calls: map[uint32]chan answer{}, watches: map[uint32]*watchStream{}, ranges: rangeStreams{}}
}

func (e *etcd) call(ctx context.Context, write func(*protocol.Writer, uint32)) (answer, error) {
	come := make(chan answer, 1)
	e.host.Lock()
	e.last++
	conn := e.last
	e.calls[conn] = come
	write(&e.out, conn)
	e.host.Send(&e.out)
	e.host.Unlock()
	select {
	case a := <-come:
		return a, a.err
	case <-ctx.Done():
		e.host.Lock()
		defer e.host.Unlock()
		delete(e.calls, conn)
		e.out.Begin(protocol.CloseStream, conn)
		e.host.Send(&e.out)
		return answer{}, status.FromContextError(ctx.Err()).Err()
	}
}

// refused takes an error of etcd: that of a call or of a Range that is streamed.
func (e *etcd) refused(conn uint32, err error) {
	e.answered(conn, answer{err: err})
	e.endRange(conn, err)
}

func (e *etcd) endRange(conn uint32, err error) {
	e.host.Lock()
	defer e.host.Unlock()
	e.ranges.end(conn, err)
}

func (e *etcd) answered(conn uint32, a answer) {
	e.host.Lock()
	defer e.host.Unlock()
	if come, waits := e.calls[conn]; waits {
		delete(e.calls, conn)
		come <- a
	}
}

// Range implements pb.KVClient.
func (e *etcd) Range(ctx context.Context, r *pb.RangeRequest, _ ...grpc.CallOption) (*pb.RangeResponse, error) {
	a, err := e.call(ctx, func(w *protocol.Writer, conn uint32) { writeRange(w.Begin(protocol.Range, conn), r) })
	return a.ranged, err
}

// Txn implements pb.KVClient.
func (e *etcd) Txn(ctx context.Context, r *pb.TxnRequest, _ ...grpc.CallOption) (*pb.TxnResponse, error) {
	if !isOptimistic(r) {
		return nil, status.Error(codes.Unimplemented, "the guest has no transactions but those of writes")
	}
	a, err := e.call(ctx, func(w *protocol.Writer, conn uint32) { writeTxn(w.Begin(protocol.Txn, conn), r) })
	return a.txned, err
}

// Put implements pb.KVClient.
func (*etcd) Put(context.Context, *pb.PutRequest, ...grpc.CallOption) (*pb.PutResponse, error) {
	return nil, status.Error(codes.Unimplemented, "the guest writes by transactions")
}

// DeleteRange implements pb.KVClient.
func (*etcd) DeleteRange(context.Context, *pb.DeleteRangeRequest, ...grpc.CallOption) (*pb.DeleteRangeResponse, error) {
	return nil, status.Error(codes.Unimplemented, "the guest writes by transactions")
}

// Compact implements pb.KVClient.
func (*etcd) Compact(context.Context, *pb.CompactionRequest, ...grpc.CallOption) (*pb.CompactionResponse, error) {
	return nil, status.Error(codes.Unimplemented, "the guest compacts nothing")
}
