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

// etcd is the etcd that the host speaks with. It implements the generated clients of etcd's KV, Watch and Lease
// API, on which clientv3 rests.
type etcd struct {
	// last is the number of the newest connection.
	last uint32
	// calls wait for what etcd says, watches are the streams of the Watch API. renewals are the calls that are under
	// way on streams of keep-alives.
	calls    map[uint32]chan answer
	watches  map[uint32]*watchStream
	renewals map[uint32]*renewalStream
	out      protocol.Writer
}

// answer is what came of a call: one of the three is set.
type answer struct {
	did    *pb.ResponseOp
	leased leased
	err    error
}

// leased is what came of a call to the Lease API.
type leased struct{ revision, id, ttl int64 }

func newEtcd() *etcd {
	return &etcd{calls: map[uint32]chan answer{}, watches: map[uint32]*watchStream{}, renewals: map[uint32]*renewalStream{}}
}

func (e *etcd) number() uint32 {
	e.last++
	return e.last
}

func (e *etcd) call(ctx context.Context, kind protocol.Kind, write func(*protocol.Writer)) (answer, error) {
	conn, come := e.number(), make(chan answer, 1)
	e.calls[conn] = come
	write(e.out.Begin(kind, conn))
	protocol.Send(&e.out)
	select {
	case a := <-come:
		return a, a.err
	case <-ctx.Done():
		delete(e.calls, conn)
		e.out.Begin(protocol.CloseStream, conn)
		protocol.Send(&e.out)
		return answer{}, status.FromContextError(ctx.Err()).Err()
	}
}

func (e *etcd) answered(conn uint32, a answer) {
	if come, waits := e.calls[conn]; waits {
		delete(e.calls, conn)
		come <- a
	}
}

// failed ends a call without an answer.
func (e *etcd) failed(conn uint32, err error) {
	e.answered(conn, answer{err: err})
	if s := e.renewals[conn]; s != nil {
		delete(e.renewals, conn)
		s.end(err)
	}
}

func (e *etcd) leased(conn uint32, l leased) {
	e.answered(conn, answer{leased: l})
	if s := e.renewals[conn]; s != nil {
		delete(e.renewals, conn)
		s.deliver(&pb.LeaseKeepAliveResponse{Header: header(l.revision), ID: l.id, TTL: l.ttl})
	}
}

// Range implements pb.KVClient.
func (e *etcd) Range(ctx context.Context, r *pb.RangeRequest, _ ...grpc.CallOption) (*pb.RangeResponse, error) {
	a, err := e.call(ctx, protocol.Do, func(w *protocol.Writer) { writeRange(w, r) })
	return a.did.GetResponseRange(), err
}

// Put implements pb.KVClient.
func (e *etcd) Put(ctx context.Context, r *pb.PutRequest, _ ...grpc.CallOption) (*pb.PutResponse, error) {
	a, err := e.call(ctx, protocol.Do, func(w *protocol.Writer) { writePut(w, r) })
	return a.did.GetResponsePut(), err
}

// DeleteRange implements pb.KVClient.
func (e *etcd) DeleteRange(ctx context.Context, r *pb.DeleteRangeRequest, _ ...grpc.CallOption) (*pb.DeleteRangeResponse, error) {
	a, err := e.call(ctx, protocol.Do, func(w *protocol.Writer) { writeDeleteRange(w, r) })
	return a.did.GetResponseDeleteRange(), err
}

// Txn implements pb.KVClient.
func (e *etcd) Txn(ctx context.Context, r *pb.TxnRequest, _ ...grpc.CallOption) (*pb.TxnResponse, error) {
	a, err := e.call(ctx, protocol.Do, func(w *protocol.Writer) { writeTxn(w, r) })
	return a.did.GetResponseTxn(), err
}

// RangeStream implements pb.KVClient, as an etcd does that is older than 3.7.
func (*etcd) RangeStream(context.Context, *pb.RangeRequest, ...grpc.CallOption) (grpc.ServerStreamingClient[pb.RangeStreamResponse], error) {
	return nil, status.Error(codes.Unimplemented, "unknown method RangeStream for service etcdserverpb.KV")
}

// Compact implements pb.KVClient.
func (*etcd) Compact(context.Context, *pb.CompactionRequest, ...grpc.CallOption) (*pb.CompactionResponse, error) {
	return nil, status.Error(codes.Unimplemented, "the guest compacts nothing")
}
