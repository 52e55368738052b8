package recorded

import (
	"context"
	"fmt"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"

	"github.com/watchbed/watchbed/conformance/realetcd"
)

const memberKey = "/member/a"

// BehindStartResult is how a number of equal runs of the #20221 script went.
type BehindStartResult struct {
	Etcd string `json:"etcd"`
	Runs int    `json:"runs"`
	// Behind runs had a member that was behind the start of the watch when it
	// created it. The others cannot show the bug.
	Behind     int `json:"behind"`
	Violations int `json:"violations"`
}

// ProgressBehindStart runs the #20221 script: a write at the leader, and at once a
// watch from the next revision at the last member of the cluster, which may not have
// applied the write yet, and right behind it a request for progress. A run violates the
// contract if progress names a revision before the write: the client of the watch knows
// more than that.
func ProgressBehindStart(ctx context.Context, cluster []*realetcd.Server, runs int) (BehindStartResult, error) {
	res := BehindStartResult{Etcd: cluster[0].Version, Runs: runs}
	leader, err := cluster[0].Dial()
	if err != nil {
		return res, err
	}
	defer leader.Close()
	member, err := cluster[len(cluster)-1].Dial()
	if err != nil {
		return res, err
	}
	defer member.Close()
	res.Violations, err = count(runs, func() (bool, error) {
		behind, violated, err := behindStartRun(ctx, leader, member)
		if behind {
			res.Behind++
		}
		return violated, err
	})
	return res, err
}

// behindStartRun ends with the event of a second write. A member that has the fix sends no
// progress before it: until then its revision is below the start of the watch.
func behindStartRun(ctx context.Context, leader, member *grpc.ClientConn) (behind, violated bool, err error) {
	// The stream is open and the connection in use before the write, so that no
	// handshake gives the member time.
	stream, err := realetcd.OpenStream(ctx, member)
	if err != nil {
		return false, false, err
	}
	defer stream.Close()
	if _, err := pb.NewKVClient(member).Range(ctx, &pb.RangeRequest{Key: []byte(memberKey)}); err != nil {
		return false, false, err
	}
	write, err := pb.NewKVClient(leader).Put(ctx, &pb.PutRequest{Key: []byte(memberKey), Value: []byte("x")})
	if err != nil {
		return false, false, err
	}
	written := write.Header.Revision
	if err := stream.Create(&pb.WatchCreateRequest{Key: []byte(memberKey), StartRevision: written + 1}); err != nil {
		return false, false, err
	}
	if err := stream.RequestProgress(); err != nil {
		return false, false, err
	}
	for {
		resp, err := stream.Recv()
		switch {
		case err != nil:
			return behind, violated, err
		case resp.Canceled:
			return behind, violated, fmt.Errorf("the watch was cancelled: %v", resp)
		case resp.Created:
			behind = resp.Header.Revision < written
			if err := putKey(ctx, leader, memberKey, "later"); err != nil {
				return behind, violated, err
			}
		case realetcd.IsProgress(resp):
			violated = violated || resp.Header.Revision < written
		case len(resp.Events) > 0:
			return behind, violated, nil
		}
	}
}
