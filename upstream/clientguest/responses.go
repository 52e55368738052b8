//go:build wasip1

package main

import (
	"errors"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/watchbed/watchbed/upstream/protocol"
	"github.com/watchbed/watchbed/upstream/protocol/etcdpb"
)

func header(revision int64) *pb.ResponseHeader { return &pb.ResponseHeader{Revision: revision} }

func readKVs(r *protocol.Reader) []*mvccpb.KeyValue {
	var all []*mvccpb.KeyValue
	for range r.Int() {
		all = append(all, etcdpb.ReadKV(r))
	}
	return all
}

// readDid reads what etcd answers.
func readDid(r *protocol.Reader) *pb.ResponseOp {
	switch r.Byte() {
	case protocol.OpRange:
		p := &pb.RangeResponse{Header: header(r.Int()), More: r.Bool(), Count: r.Int(), Kvs: readKVs(r)}
		return &pb.ResponseOp{Response: &pb.ResponseOp_ResponseRange{ResponseRange: p}}
	case protocol.OpPut:
		p := &pb.PutResponse{Header: header(r.Int())}
		if previous := readKVs(r); len(previous) > 0 {
			p.PrevKv = previous[0]
		}
		return &pb.ResponseOp{Response: &pb.ResponseOp_ResponsePut{ResponsePut: p}}
	case protocol.OpDeleteRange:
		p := &pb.DeleteRangeResponse{Header: header(r.Int()), Deleted: r.Int(), PrevKvs: readKVs(r)}
		return &pb.ResponseOp{Response: &pb.ResponseOp_ResponseDeleteRange{ResponseDeleteRange: p}}
	default:
		p := &pb.TxnResponse{Header: header(r.Int()), Succeeded: r.Bool()}
		for range r.Int() {
			p.Responses = append(p.Responses, readDid(r))
		}
		return &pb.ResponseOp{Response: &pb.ResponseOp_ResponseTxn{ResponseTxn: p}}
	}
}

// writeDid writes what a client is answered.
func writeDid(w *protocol.Writer, op clientv3.Op, did clientv3.OpResponse) {
	switch {
	case op.IsGet():
		etcdpb.WriteRanged(w.Byte(protocol.OpRange), (*pb.RangeResponse)(did.Get()))
	case op.IsPut():
		etcdpb.WritePutDone(w.Byte(protocol.OpPut), (*pb.PutResponse)(did.Put()))
	case op.IsDelete():
		etcdpb.WriteDeleted(w.Byte(protocol.OpDeleteRange), (*pb.DeleteRangeResponse)(did.Del()))
	default:
		etcdpb.WriteTxned(w.Byte(protocol.OpTxn), (*pb.TxnResponse)(did.Txn()))
	}
}

// readError is an error of etcd, as the gRPC library of its clients gives it.
func readError(r *protocol.Reader) error {
	switch code, message := r.Byte(), r.Text(); code {
	case protocol.ErrCompacted:
		return rpctypes.ErrGRPCCompacted
	case protocol.ErrFutureRev:
		return rpctypes.ErrGRPCFutureRev
	case protocol.NoLeader:
		return rpctypes.ErrGRPCNoLeader
	case protocol.Unavailable:
		return status.Error(codes.Unavailable, message)
	case protocol.BadRequest:
		if message == rpctypes.ErrorDesc(rpctypes.ErrGRPCLeaseNotFound) {
			return rpctypes.ErrGRPCLeaseNotFound
		}
		return status.Error(codes.InvalidArgument, message)
	default:
		return status.Error(codes.Unknown, message)
	}
}

// writeError writes what a client is told. A write that it does not say to be refused may have happened.
func writeError(w *protocol.Writer, err error) {
	code := protocol.Unavailable
	var of rpctypes.EtcdError
	refused := status.Code(err)
	if errors.As(err, &of) {
		refused = of.Code()
	}
	if refused == codes.InvalidArgument || refused == codes.NotFound || refused == codes.OutOfRange {
		code = protocol.BadRequest
	}
	w.Byte(code).Text(err.Error())
}
