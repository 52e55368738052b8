//go:build wasip1

package main

import (
	"context"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/watchbed/watchbed/upstream/protocol"
)

func memberList(r *protocol.Reader) operation {
	return unary(&pb.MemberListRequest{Linearizable: r.Bool()},
		func(m *member, ctx context.Context, r *pb.MemberListRequest) (*pb.MemberListResponse, error) {
			return m.cluster.MemberList(ctx, r)
		},
		func(w *protocol.Writer, p *pb.MemberListResponse) { writeMembers(w, p.Members) })
}

func memberAdd(r *protocol.Reader) operation {
	return unary(&pb.MemberAddRequest{PeerURLs: readTexts(r), IsLearner: r.Bool()},
		func(m *member, ctx context.Context, r *pb.MemberAddRequest) (*pb.MemberAddResponse, error) {
			return m.cluster.MemberAdd(ctx, r)
		},
		func(w *protocol.Writer, p *pb.MemberAddResponse) { writeMembers(w.Int(int64(p.Member.ID)), p.Members) })
}

func memberRemove(r *protocol.Reader) operation {
	return unary(&pb.MemberRemoveRequest{ID: uint64(r.Int())},
		func(m *member, ctx context.Context, r *pb.MemberRemoveRequest) (*pb.MemberRemoveResponse, error) {
			return m.cluster.MemberRemove(ctx, r)
		},
		func(w *protocol.Writer, p *pb.MemberRemoveResponse) { writeMembers(w, p.Members) })
}

func memberPromote(r *protocol.Reader) operation {
	return unary(&pb.MemberPromoteRequest{ID: uint64(r.Int())},
		func(m *member, ctx context.Context, r *pb.MemberPromoteRequest) (*pb.MemberPromoteResponse, error) {
			return m.cluster.MemberPromote(ctx, r)
		},
		func(w *protocol.Writer, p *pb.MemberPromoteResponse) { writeMembers(w, p.Members) })
}

func writeMembers(w *protocol.Writer, members []*pb.Member) {
	w.Int(int64(len(members)))
	for _, m := range members {
		writeTexts(w.Int(int64(m.ID)).Text(m.Name).Bool(m.IsLearner), m.PeerURLs)
		writeTexts(w, m.ClientURLs)
	}
}

func readTexts(r *protocol.Reader) []string {
	var all []string
	for range r.Int() {
		all = append(all, r.Text())
	}
	return all
}

func writeTexts(w *protocol.Writer, all []string) *protocol.Writer {
	w.Int(int64(len(all)))
	for _, text := range all {
		w.Text(text)
	}
	return w
}
