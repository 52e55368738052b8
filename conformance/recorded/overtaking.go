package recorded

import (
	"context"
	"fmt"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"

	"github.com/watchbed/watchbed/conformance/realetcd"
)

const historyKey = "/history/a"

// Overtaking runs the #15220 script: a watch that has events to catch up on,
// and progress requests from the start. A run violates the contract if a
// progress response names a revision whose event has not come yet.
func Overtaking(ctx context.Context, server *realetcd.Server, runs int) (Result, error) {
	res := Result{Bug: 15220, Etcd: server.Version, Runs: runs}
	conn, err := server.Dial()
	if err != nil {
		return res, err
	}
	defer conn.Close()
	first, last, err := writeHistory(ctx, conn, historyKey)
	if err != nil {
		return res, err
	}
	res.Violations, err = count(runs, func() (bool, error) { return overtakingRun(ctx, conn, first, last) })
	return res, err
}

// overtakingRun ends when the event of the last revision has come.
func overtakingRun(ctx context.Context, conn *grpc.ClientConn, first, last int64) (early bool, err error) {
	stream, err := realetcd.OpenStream(ctx, conn)
	if err != nil {
		return false, err
	}
	defer stream.Close()
	if err := stream.Create(&pb.WatchCreateRequest{Key: []byte(historyKey), StartRevision: first}); err != nil {
		return false, err
	}
	if err := stream.RequestProgress(); err != nil {
		return false, err
	}
	delivered := first - 1
	for delivered < last {
		resp, err := stream.Recv()
		switch {
		case err != nil:
			return false, err
		case resp.Canceled:
			return false, fmt.Errorf("the watch was cancelled: %v", resp)
		case realetcd.IsProgress(resp):
			early = early || resp.Header.Revision > delivered
		case len(resp.Events) > 0:
			delivered = resp.Events[len(resp.Events)-1].Kv.ModRevision
		}
	}
	return early, nil
}
