//go:build wasip1

package main

import (
	"context"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/etcdserver"
	"google.golang.org/grpc"

	"github.com/watchbed/watchbed/upstream/protocol"
	"github.com/watchbed/watchbed/upstream/protocol/etcdpb"
)

// operation calls a service, and has what writes its response.
type operation func(ctx context.Context, m *member) (func(*protocol.Writer), error)

// do carries out what a client asks for, in a goroutine of its own, as gRPC does it.
func (m *member) do(ctx context.Context, conn uint32, r *protocol.Reader) {
	op := r.Byte()
	call := readOperation(op, r)
	if !m.listens {
		failed(conn, protocol.Unavailable, "connection refused")
		return
	}
	ctx, cancel := context.WithCancel(context.WithValue(ctx, etcdserver.WatchbedCall{}, conn))
	m.calls[conn] = cancel
	go func() {
		write, err := call(ctx, m)
		if m.calls[conn] == nil {
			// The client is gone.
			return
		}
		delete(m.calls, conn)
		cancel()
		if err != nil {
			code, message := describe(err)
			failed(conn, code, message)
			return
		}
		var out protocol.Writer
		write(out.Begin(protocol.Did, conn).Byte(op))
		protocol.Send(&out)
	}()
}

func failed(conn uint32, code byte, message string) {
	protocol.Send(new(protocol.Writer).Begin(protocol.Failed, conn).Byte(code).Text(message))
}

// unary is the operation that a method of a service carries out.
func unary[Service, Request, Response any](
	of func(*member) Service, method func(Service, context.Context, Request) (Response, error), r Request, write func(*protocol.Writer, Response),
) operation {
	return func(ctx context.Context, m *member) (func(*protocol.Writer), error) {
		p, err := m.unary(ctx, r, &grpc.UnaryServerInfo{}, func(ctx context.Context, r any) (any, error) {
			return method(of(m), ctx, r.(Request))
		})
		if err != nil {
			return nil, err
		}
		return func(w *protocol.Writer) { write(w, p.(Response)) }, nil
	}
}

// The services of a member.
func kv(m *member) pb.KVServer                   { return m.kv }
func leases(m *member) pb.LeaseServer            { return m.lease }
func maintenance(m *member) pb.MaintenanceServer { return m.maintenance }
func cluster(m *member) pb.ClusterServer         { return m.cluster }
func authentication(m *member) pb.AuthServer     { return m.auth }

// revised is a response of which clients want the revision alone.
type revised interface{ GetHeader() *pb.ResponseHeader }

func writeRevision[Response revised](w *protocol.Writer, p Response) {
	w.Int(p.GetHeader().GetRevision())
}

// writeNothing writes that it is done.
func writeNothing[Response any](*protocol.Writer, Response) {}

// readOperation reads what is behind the byte that says which one it is.
func readOperation(op byte, r *protocol.Reader) operation {
	switch op {
	case protocol.OpRange:
		return unary(kv, pb.KVServer.Range, readRange(r), etcdpb.WriteRanged)
	case protocol.OpPut:
		return unary(kv, pb.KVServer.Put, readPut(r), etcdpb.WritePutDone)
	case protocol.OpDeleteRange:
		return unary(kv, pb.KVServer.DeleteRange, readDeleteRange(r), etcdpb.WriteDeleted)
	case protocol.OpTxn:
		return unary(kv, pb.KVServer.Txn, readTxn(r), etcdpb.WriteTxned)
	case protocol.OpCompact:
		return unary(kv, pb.KVServer.Compact, &pb.CompactionRequest{Revision: r.Int(), Physical: r.Bool()}, writeRevision)
	case protocol.OpGrant:
		return unary(leases, pb.LeaseServer.LeaseGrant, &pb.LeaseGrantRequest{ID: r.Int(), TTL: r.Int()}, writeGranted)
	case protocol.OpRevoke:
		return unary(leases, pb.LeaseServer.LeaseRevoke, &pb.LeaseRevokeRequest{ID: r.Int()}, writeRevision)
	case protocol.OpKeepAlive:
		return keepAlive(r)
	case protocol.OpTimeToLive:
		return unary(leases, pb.LeaseServer.LeaseTimeToLive, &pb.LeaseTimeToLiveRequest{ID: r.Int(), Keys: r.Bool()}, writeTimeToLive)
	case protocol.OpStatus:
		return unary(maintenance, pb.MaintenanceServer.Status, &pb.StatusRequest{}, writeStatus)
	case protocol.OpHashKV:
		return unary(maintenance, pb.MaintenanceServer.HashKV, &pb.HashKVRequest{Revision: r.Int()}, writeHashKV)
	case protocol.OpMoveLeader:
		return unary(maintenance, pb.MaintenanceServer.MoveLeader, &pb.MoveLeaderRequest{TargetID: uint64(r.Int())}, writeRevision)
	case protocol.OpDefragment:
		return unary(maintenance, pb.MaintenanceServer.Defragment, &pb.DefragmentRequest{}, writeNothing)
	case protocol.OpAlarm:
		return unary(maintenance, pb.MaintenanceServer.Alarm, readAlarm(r), writeAlarms)
	case protocol.OpMemberList:
		return unary(cluster, pb.ClusterServer.MemberList, &pb.MemberListRequest{Linearizable: r.Bool()}, writeMembers)
	case protocol.OpMemberAdd:
		return unary(cluster, pb.ClusterServer.MemberAdd, &pb.MemberAddRequest{PeerURLs: readTexts(r), IsLearner: r.Bool()}, writeAdded)
	case protocol.OpMemberUpdate:
		return unary(cluster, pb.ClusterServer.MemberUpdate, &pb.MemberUpdateRequest{ID: uint64(r.Int()), PeerURLs: readTexts(r)}, writeMembers)
	case protocol.OpMemberRemove:
		return unary(cluster, pb.ClusterServer.MemberRemove, &pb.MemberRemoveRequest{ID: uint64(r.Int())}, writeMembers)
	case protocol.OpMemberPromote:
		return unary(cluster, pb.ClusterServer.MemberPromote, &pb.MemberPromoteRequest{ID: uint64(r.Int())}, writeMembers)
	case protocol.OpAuthEnable:
		return unary(authentication, pb.AuthServer.AuthEnable, &pb.AuthEnableRequest{}, writeNothing)
	case protocol.OpAuthDisable:
		return unary(authentication, pb.AuthServer.AuthDisable, &pb.AuthDisableRequest{}, writeNothing)
	case protocol.OpAuthStatus:
		return unary(authentication, pb.AuthServer.AuthStatus, &pb.AuthStatusRequest{}, writeAuthStatus)
	case protocol.OpAuthenticate:
		return unary(authentication, pb.AuthServer.Authenticate, &pb.AuthenticateRequest{Name: r.Text(), Password: r.Text()}, writeToken)
	case protocol.OpUserAdd:
		return unary(authentication, pb.AuthServer.UserAdd, &pb.AuthUserAddRequest{Name: r.Text(), Password: r.Text()}, writeNothing)
	case protocol.OpUserDelete:
		return unary(authentication, pb.AuthServer.UserDelete, &pb.AuthUserDeleteRequest{Name: r.Text()}, writeNothing)
	case protocol.OpUserChangePassword:
		return unary(authentication, pb.AuthServer.UserChangePassword, &pb.AuthUserChangePasswordRequest{Name: r.Text(), Password: r.Text()}, writeNothing)
	case protocol.OpUserGrantRole:
		return unary(authentication, pb.AuthServer.UserGrantRole, &pb.AuthUserGrantRoleRequest{User: r.Text(), Role: r.Text()}, writeNothing)
	case protocol.OpUserRevokeRole:
		return unary(authentication, pb.AuthServer.UserRevokeRole, &pb.AuthUserRevokeRoleRequest{Name: r.Text(), Role: r.Text()}, writeNothing)
	case protocol.OpUserGet:
		return unary(authentication, pb.AuthServer.UserGet, &pb.AuthUserGetRequest{Name: r.Text()}, writeRoles)
	case protocol.OpUserList:
		return unary(authentication, pb.AuthServer.UserList, &pb.AuthUserListRequest{}, func(w *protocol.Writer, p *pb.AuthUserListResponse) { writeTexts(w, p.Users) })
	case protocol.OpRoleAdd:
		return unary(authentication, pb.AuthServer.RoleAdd, &pb.AuthRoleAddRequest{Name: r.Text()}, writeNothing)
	case protocol.OpRoleDelete:
		return unary(authentication, pb.AuthServer.RoleDelete, &pb.AuthRoleDeleteRequest{Role: r.Text()}, writeNothing)
	case protocol.OpRoleGrantPermission:
		return unary(authentication, pb.AuthServer.RoleGrantPermission, &pb.AuthRoleGrantPermissionRequest{Name: r.Text(), Perm: readPermission(r)}, writeNothing)
	case protocol.OpRoleRevokePermission:
		return unary(authentication, pb.AuthServer.RoleRevokePermission, readRevokePermission(r), writeNothing)
	case protocol.OpRoleGet:
		return unary(authentication, pb.AuthServer.RoleGet, &pb.AuthRoleGetRequest{Role: r.Text()}, writePermissions)
	case protocol.OpRoleList:
		return unary(authentication, pb.AuthServer.RoleList, &pb.AuthRoleListRequest{}, writeRoles)
	default:
		return unary(maintenance, pb.MaintenanceServer.Downgrade, readDowngrade(r), func(w *protocol.Writer, p *pb.DowngradeResponse) { w.Text(p.Version) })
	}
}
