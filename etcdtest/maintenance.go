package etcdtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"strings"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/release"
	"github.com/watchbed/watchbed/sim/wire"
)

func (s *server) Status(ctx context.Context, _ *pb.StatusRequest) (*pb.StatusResponse, error) {
	h, err := s.header(ctx)
	if err != nil {
		return nil, err
	}
	r, err := ask(s, ctx, &wire.StatusRequest{Endpoint: wire.ServingEndpoint}, func(p *wire.StatusResponse) *pb.StatusResponse {
		return &pb.StatusResponse{
			Header: h, Version: p.Version, Leader: h.MemberId, RaftTerm: h.RaftTerm, DbSizeQuota: 2 << 30, DowngradeInfo: &pb.DowngradeInfo{},
		}
	})
	if err != nil {
		return nil, err
	}
	if storesVersion.Includes(release.Must(r.Version)) {
		r.StorageVersion = branch(r.Version)
	}
	err = s.look(ctx, func(e *etcd.Server) {
		r.RaftIndex, r.RaftAppliedIndex = e.Applied(), e.Applied()
		if !e.HasLeader() {
			r.Leader, r.Errors = 0, []string{rpctypes.ErrorDesc(rpctypes.ErrGRPCNoLeader)}
		}
		// There is no file. An empty one has 20 KiB, and each change some bytes beside its key and value.
		r.DbSize = 20 << 10
		e.Stored(func(kv *wire.KeyValue, _ int32, _ bool) { r.DbSize += int64(len(kv.Key) + len(kv.Value) + 32) })
		r.DbSizeInUse = r.DbSize
	})
	return r, err
}

// storesVersion are the releases whose data says of which version it is.
var storesVersion = release.SinceAll("3.6.0")

func (s *server) MemberList(ctx context.Context, _ *pb.MemberListRequest) (*pb.MemberListResponse, error) {
	h, err := s.header(ctx)
	return &pb.MemberListResponse{Header: h, Members: []*pb.Member{{ID: h.GetMemberId(), Name: "default", ClientURLs: s.urls}}}, err
}

// MemberAdd has no member to add: a simulated cluster stays as it is.
func (s *server) MemberAdd(context.Context, *pb.MemberAddRequest) (*pb.MemberAddResponse, error) {
	return nil, status.Error(codes.Unimplemented, "a simulated etcd stays of its members")
}

func (s *server) MemberRemove(ctx context.Context, r *pb.MemberRemoveRequest) (*pb.MemberRemoveResponse, error) {
	return nil, s.staysAs(ctx, r.ID, rpctypes.ErrGRPCUnhealthy)
}

func (s *server) MemberUpdate(ctx context.Context, r *pb.MemberUpdateRequest) (*pb.MemberUpdateResponse, error) {
	return nil, s.staysAs(ctx, r.ID, status.Error(codes.Unimplemented, "a simulated etcd stays of its members"))
}

func (s *server) MemberPromote(ctx context.Context, r *pb.MemberPromoteRequest) (*pb.MemberPromoteResponse, error) {
	return nil, s.staysAs(ctx, r.ID, rpctypes.ErrGRPCMemberNotLearner)
}

// staysAs is the error of a change of a member: it is not there, or why it is not changed.
func (s *server) staysAs(ctx context.Context, member uint64, why error) error {
	h, err := s.header(ctx)
	switch {
	case err != nil:
		return err
	case member != h.MemberId:
		return rpctypes.ErrGRPCMemberNotFound
	}
	return why
}

// MoveLeader has one member to move to.
func (s *server) MoveLeader(ctx context.Context, r *pb.MoveLeaderRequest) (*pb.MoveLeaderResponse, error) {
	h, err := s.header(ctx)
	if err == nil && r.TargetID != h.MemberId {
		err = rpctypes.ErrGRPCBadLeaderTransferee
	}
	return &pb.MoveLeaderResponse{Header: h}, err
}

// Alarm has none: there is always space, and no other member to differ from.
func (s *server) Alarm(ctx context.Context, r *pb.AlarmRequest) (*pb.AlarmResponse, error) {
	if r.Action == pb.AlarmRequest_ACTIVATE {
		return nil, status.Error(codes.Unimplemented, "a simulated etcd has no alarms")
	}
	h, err := s.header(ctx)
	return &pb.AlarmResponse{Header: h}, err
}

// Downgrade says whether the cluster could be downgraded: it stays what it is.
func (s *server) Downgrade(ctx context.Context, r *pb.DowngradeRequest) (*pb.DowngradeResponse, error) {
	at, err := s.Status(ctx, nil)
	if err != nil {
		return nil, err
	}
	of := release.Must(at.Version)
	to, err := release.Parse(r.Version + strings.Repeat(".0", 2-min(2, strings.Count(r.Version, "."))))
	switch {
	case r.Action == pb.DowngradeRequest_CANCEL && storesVersion.Includes(of):
	case r.Action == pb.DowngradeRequest_CANCEL:
		return nil, rpctypes.ErrGRPCNoInflightDowngrade
	case err != nil:
		return nil, rpctypes.ErrGRPCWrongDowngradeVersionFormat
	case to.Major != of.Major || to.Minor != of.Minor-1:
		return nil, rpctypes.ErrGRPCInvalidDowngradeTargetVersion
	case r.Action == pb.DowngradeRequest_ENABLE:
		return nil, status.Error(codes.Unimplemented, "a simulated etcd stays of its release")
	}
	return &pb.DowngradeResponse{Header: at.Header, Version: of.Branch()}, nil
}

// Defragment takes no time: there is no file.
func (s *server) Defragment(ctx context.Context, _ *pb.DefragmentRequest) (*pb.DefragmentResponse, error) {
	s.loop.post(happening{s.node, calls, "", func(env *sim.Env) { etcd.Defragment(etcdNode, s.process.name, env.Now()).Strike(env) }})
	h, err := s.header(ctx)
	return &pb.DefragmentResponse{Header: h}, err
}

// change is one that etcd stores: the key in its file, and the value there.
type change struct {
	kv      *wire.KeyValue
	sub     int32
	deleted bool
}

// stored are the changes up to a revision, 0 for all, and the revisions of the store.
func (s *server) stored(ctx context.Context, upTo int64) (all []change, revision, compacted int64, err error) {
	err = s.look(ctx, func(e *etcd.Server) {
		revision, compacted = e.Revision(), e.CompactRevision()
		e.Stored(func(kv *wire.KeyValue, sub int32, deleted bool) {
			if upTo == 0 || kv.ModRevision <= upTo {
				all = append(all, change{kv, sub, deleted})
			}
		})
	})
	return all, revision, compacted, err
}

// HashKV is etcd's hash, by kvHasher: members and releases with the same history have the same.
func (s *server) HashKV(ctx context.Context, r *pb.HashKVRequest) (*pb.HashKVResponse, error) {
	h, err := s.header(ctx)
	if err != nil {
		return nil, err
	}
	all, revision, compacted, err := s.stored(ctx, r.Revision)
	switch {
	case err != nil:
		return nil, err
	case r.Revision > revision:
		return nil, rpctypes.ErrGRPCFutureRev
	case r.Revision > 0 && r.Revision < compacted:
		return nil, rpctypes.ErrGRPCCompacted
	case compacted == 0:
		compacted = -1
	}
	// What a compaction is about to remove does not count.
	last := map[string]change{}
	for _, c := range all {
		last[c.kv.Key] = c
		if c.deleted {
			delete(last, c.kv.Key)
		}
	}
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	sum.Write([]byte("key"))
	for _, c := range all {
		kept := last[c.kv.Key] == c || len(last) == 0
		if c.kv.ModRevision <= compacted && !kept || c.kv.ModRevision == compacted && c.deleted {
			continue
		}
		at := binary.BigEndian.AppendUint64(nil, uint64(c.kv.ModRevision))
		at = binary.BigEndian.AppendUint64(append(at, '_'), uint64(c.sub))
		value := keyValue(c.kv)
		if c.deleted {
			at, value = append(at, 't'), &mvccpb.KeyValue{Key: value.Key}
		}
		sum.Write(at)
		sum.Write(encoded(value))
	}
	h.Revision = revision
	at := r.Revision
	if at == 0 {
		at = revision
	}
	return &pb.HashKVResponse{Header: h, Hash: sum.Sum32(), CompactRevision: compacted, HashRevision: at}, nil
}

// encoded is the message mvccpb.KeyValue: the library that encodes it is not the same in all releases of etcd's module.
func encoded(kv *mvccpb.KeyValue) (to []byte) {
	const varint, length = 0, 2
	number := func(field uint64, n int64) {
		if n != 0 {
			to = binary.AppendUvarint(append(to, byte(field<<3|varint)), uint64(n))
		}
	}
	text := func(field uint64, text []byte) {
		if len(text) > 0 {
			to = append(binary.AppendUvarint(append(to, byte(field<<3|length)), uint64(len(text))), text...)
		}
	}
	text(1, kv.Key)
	number(2, kv.CreateRevision)
	number(3, kv.ModRevision)
	number(4, kv.Version)
	text(5, kv.Value)
	number(6, kv.Lease)
	return to
}

// Hash is that of the same: there is nothing else in a file.
func (s *server) Hash(ctx context.Context, _ *pb.HashRequest) (*pb.HashResponse, error) {
	r, err := s.HashKV(ctx, &pb.HashKVRequest{})
	return &pb.HashResponse{Header: r.GetHeader(), Hash: r.GetHash()}, err
}

// Snapshot sends lines of JSON, one for each change: a simulated etcd has no file, and no program restores these. What
// clients check is as it should be: the size, and the sum at the end.
func (s *server) Snapshot(_ *pb.SnapshotRequest, to pb.Maintenance_SnapshotServer) error {
	at, err := s.Status(to.Context(), nil)
	if err != nil {
		return err
	}
	all, _, _, err := s.stored(to.Context(), 0)
	if err != nil {
		return err
	}
	var file bytes.Buffer
	for _, c := range all {
		_ = json.NewEncoder(&file).Encode(keyValue(c.kv))
	}
	const page, part = 512, 32 << 10
	file.Write(bytes.Repeat([]byte{'\n'}, page-file.Len()%page))
	sum := sha256.Sum256(file.Bytes())
	for file.Len() > 0 {
		blob := file.Next(part)
		if err := to.Send(&pb.SnapshotResponse{RemainingBytes: uint64(file.Len()), Blob: blob, Version: at.StorageVersion}); err != nil {
			return err
		}
	}
	return to.Send(&pb.SnapshotResponse{Blob: sum[:], Version: at.StorageVersion})
}

func (s *server) AuthStatus(ctx context.Context, _ *pb.AuthStatusRequest) (*pb.AuthStatusResponse, error) {
	h, err := s.header(ctx)
	return &pb.AuthStatusResponse{Header: h, AuthRevision: 1}, err
}

func (s *server) UserList(ctx context.Context, _ *pb.AuthUserListRequest) (*pb.AuthUserListResponse, error) {
	h, err := s.header(ctx)
	return &pb.AuthUserListResponse{Header: h}, err
}

func (s *server) RoleList(ctx context.Context, _ *pb.AuthRoleListRequest) (*pb.AuthRoleListResponse, error) {
	h, err := s.header(ctx)
	return &pb.AuthRoleListResponse{Header: h}, err
}

func (*server) Authenticate(context.Context, *pb.AuthenticateRequest) (*pb.AuthenticateResponse, error) {
	return nil, rpctypes.ErrGRPCAuthNotEnabled
}

// withoutAuth answers all else that is asked of Auth.
func withoutAuth(ctx context.Context, request any, of *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	r, err := handle(ctx, request)
	if status.Code(err) == codes.Unimplemented && strings.HasPrefix(of.FullMethod, "/etcdserverpb.Auth/") {
		err = rpctypes.ErrGRPCAuthNotEnabled
	}
	return r, err
}
