//go:build wasip1

package main

import (
	"reflect"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/watchbed/watchbed/upstream/protocol"
)

func writeStatus(w *protocol.Writer, p *pb.StatusResponse) {
	w.Int(p.GetHeader().GetRevision()).Text(p.Version).Int(p.DbSize).Int(int64(p.Leader)).Int(int64(p.RaftIndex)).Int(int64(p.RaftTerm)).
		Int(int64(p.RaftAppliedIndex)).Bool(p.IsLearner)
	writeTexts(w, p.Errors)
}

func writeHashKV(w *protocol.Writer, p *pb.HashKVResponse) {
	w.Int(p.GetHeader().GetRevision()).Int(int64(p.Hash)).Int(p.CompactRevision)
	// Releases of 3.5 do not have it.
	if revision := reflect.ValueOf(p).Elem().FieldByName("HashRevision"); revision.IsValid() {
		w.Int(revision.Int())
	} else {
		w.Int(0)
	}
}

func readAlarm(r *protocol.Reader) *pb.AlarmRequest {
	return &pb.AlarmRequest{Action: pb.AlarmRequest_AlarmAction(r.Byte()), MemberID: uint64(r.Int()), Alarm: pb.AlarmType(r.Byte())}
}

func writeAlarms(w *protocol.Writer, p *pb.AlarmResponse) {
	w.Int(int64(len(p.Alarms)))
	for _, a := range p.Alarms {
		w.Int(int64(a.MemberID)).Byte(byte(a.Alarm))
	}
}

func readDowngrade(r *protocol.Reader) *pb.DowngradeRequest {
	return &pb.DowngradeRequest{Action: pb.DowngradeRequest_DowngradeAction(r.Byte()), Version: r.Text()}
}
