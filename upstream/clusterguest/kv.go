//go:build wasip1

package main

import (
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/watchbed/watchbed/upstream/protocol"
	"github.com/watchbed/watchbed/upstream/protocol/etcdpb"
)

func readRange(r *protocol.Reader) *pb.RangeRequest {
	return &pb.RangeRequest{
		Key: etcdpb.ReadBytes(r), RangeEnd: etcdpb.ReadBytes(r), Limit: r.Int(), Revision: r.Int(), Serializable: r.Bool(), KeysOnly: r.Bool(), CountOnly: r.Bool(),
		SortOrder: pb.RangeRequest_SortOrder(r.Byte()), SortTarget: pb.RangeRequest_SortTarget(r.Byte()),
		MinModRevision: r.Int(), MaxModRevision: r.Int(), MinCreateRevision: r.Int(), MaxCreateRevision: r.Int(),
	}
}

func readPut(r *protocol.Reader) *pb.PutRequest {
	return &pb.PutRequest{Key: etcdpb.ReadBytes(r), Value: etcdpb.ReadBytes(r), PrevKv: r.Bool(), IgnoreValue: r.Bool(), Lease: r.Int(), IgnoreLease: r.Bool()}
}

func readDeleteRange(r *protocol.Reader) *pb.DeleteRangeRequest {
	return &pb.DeleteRangeRequest{Key: etcdpb.ReadBytes(r), RangeEnd: etcdpb.ReadBytes(r), PrevKv: r.Bool()}
}

func readTxn(r *protocol.Reader) *pb.TxnRequest {
	t := &pb.TxnRequest{}
	for range r.Int() {
		t.Compare = append(t.Compare, etcdpb.ReadCompare(r))
	}
	for _, branch := range []*[]*pb.RequestOp{&t.Success, &t.Failure} {
		for range r.Int() {
			*branch = append(*branch, readOp(r))
		}
	}
	return t
}

// readOp reads an operation of a transaction.
func readOp(r *protocol.Reader) *pb.RequestOp {
	switch r.Byte() {
	case protocol.OpRange:
		return &pb.RequestOp{Request: &pb.RequestOp_RequestRange{RequestRange: readRange(r)}}
	case protocol.OpPut:
		return &pb.RequestOp{Request: &pb.RequestOp_RequestPut{RequestPut: readPut(r)}}
	case protocol.OpDeleteRange:
		return &pb.RequestOp{Request: &pb.RequestOp_RequestDeleteRange{RequestDeleteRange: readDeleteRange(r)}}
	default:
		return &pb.RequestOp{Request: &pb.RequestOp_RequestTxn{RequestTxn: readTxn(r)}}
	}
}
