//go:build wasip1

package main

import (
	"context"
	"reflect"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/watchbed/watchbed/upstream/protocol"
)

func statusOf() operation {
	return unary(&pb.StatusRequest{},
		func(m *member, ctx context.Context, r *pb.StatusRequest) (*pb.StatusResponse, error) {
			return m.maintenance.Status(ctx, r)
		},
		func(w *protocol.Writer, p *pb.StatusResponse) {
			w.Int(p.GetHeader().GetRevision()).Text(p.Version).Int(p.DbSize).Int(int64(p.Leader)).Int(int64(p.RaftIndex)).Int(int64(p.RaftTerm)).
				Int(int64(p.RaftAppliedIndex)).Bool(p.IsLearner).Int(int64(len(p.Errors)))
			for _, e := range p.Errors {
				w.Text(e)
			}
		})
}

func hashKV(r *protocol.Reader) operation {
	return unary(&pb.HashKVRequest{Revision: r.Int()},
		func(m *member, ctx context.Context, r *pb.HashKVRequest) (*pb.HashKVResponse, error) {
			return m.maintenance.HashKV(ctx, r)
		},
		func(w *protocol.Writer, p *pb.HashKVResponse) {
			w.Int(p.GetHeader().GetRevision()).Int(int64(p.Hash)).Int(p.CompactRevision)
			// Releases of 3.5 do not have it.
			if revision := reflect.ValueOf(p).Elem().FieldByName("HashRevision"); revision.IsValid() {
				w.Int(revision.Int())
			} else {
				w.Int(0)
			}
		})
}

func moveLeader(r *protocol.Reader) operation {
	return unary(&pb.MoveLeaderRequest{TargetID: uint64(r.Int())},
		func(m *member, ctx context.Context, r *pb.MoveLeaderRequest) (*pb.MoveLeaderResponse, error) {
			return m.maintenance.MoveLeader(ctx, r)
		},
		func(w *protocol.Writer, p *pb.MoveLeaderResponse) { w.Int(p.GetHeader().GetRevision()) })
}

func defragment() operation {
	return unary(&pb.DefragmentRequest{},
		func(m *member, ctx context.Context, r *pb.DefragmentRequest) (*pb.DefragmentResponse, error) {
			return m.maintenance.Defragment(ctx, r)
		},
		func(*protocol.Writer, *pb.DefragmentResponse) {})
}

func alarm(r *protocol.Reader) operation {
	return unary(&pb.AlarmRequest{Action: pb.AlarmRequest_AlarmAction(r.Byte()), MemberID: uint64(r.Int()), Alarm: pb.AlarmType(r.Byte())},
		func(m *member, ctx context.Context, r *pb.AlarmRequest) (*pb.AlarmResponse, error) {
			return m.maintenance.Alarm(ctx, r)
		},
		func(w *protocol.Writer, p *pb.AlarmResponse) {
			w.Int(int64(len(p.Alarms)))
			for _, a := range p.Alarms {
				w.Int(int64(a.MemberID)).Byte(byte(a.Alarm))
			}
		})
}

func downgrade(r *protocol.Reader) operation {
	return unary(&pb.DowngradeRequest{Action: pb.DowngradeRequest_DowngradeAction(r.Byte()), Version: r.Text()},
		func(m *member, ctx context.Context, r *pb.DowngradeRequest) (*pb.DowngradeResponse, error) {
			return m.maintenance.Downgrade(ctx, r)
		},
		func(w *protocol.Writer, p *pb.DowngradeResponse) { w.Text(p.Version) })
}
