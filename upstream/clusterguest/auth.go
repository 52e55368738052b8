//go:build wasip1

package main

import (
	"go.etcd.io/etcd/api/v3/authpb"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/watchbed/watchbed/upstream/protocol"
	"github.com/watchbed/watchbed/upstream/protocol/etcdpb"
)

func writeAuthStatus(w *protocol.Writer, p *pb.AuthStatusResponse) {
	w.Bool(p.Enabled).Int(int64(p.AuthRevision))
}

func writeToken(w *protocol.Writer, p *pb.AuthenticateResponse) { w.Text(p.Token) }

// roles is a response that lists roles.
type roles interface{ GetRoles() []string }

func writeRoles[Response roles](w *protocol.Writer, p Response) { writeTexts(w, p.GetRoles()) }

func readPermission(r *protocol.Reader) *authpb.Permission {
	return &authpb.Permission{PermType: authpb.Permission_Type(r.Byte()), Key: etcdpb.ReadBytes(r), RangeEnd: etcdpb.ReadBytes(r)}
}

func readRevokePermission(r *protocol.Reader) *pb.AuthRoleRevokePermissionRequest {
	return &pb.AuthRoleRevokePermissionRequest{Role: r.Text(), Key: etcdpb.ReadBytes(r), RangeEnd: etcdpb.ReadBytes(r)}
}

func writePermissions(w *protocol.Writer, p *pb.AuthRoleGetResponse) {
	w.Int(int64(len(p.Perm)))
	for _, x := range p.Perm {
		w.Byte(byte(x.PermType)).Text(string(x.Key)).Text(string(x.RangeEnd))
	}
}
