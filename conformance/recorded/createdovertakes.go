package recorded

import (
	"context"
	"fmt"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"

	"github.com/watchbed/watchbed/conformance/realetcd"
)

// lateKey has the history that the second watch has to catch up on, idleKey is
// what the first one watches.
const (
	lateKey = "/late/a"
	idleKey = "/idle/a"
)

// CreatedOvertakesResult is how a number of equal runs went.
type CreatedOvertakesResult struct {
	Etcd string `json:"etcd"`
	// Requests is how many progress requests stand before the second watch.
	Requests   int `json:"requests"`
	Runs       int `json:"runs"`
	Violations int `json:"violations"`
}

// CreatedOvertakes runs the script of what is left of #15220: on a stream whose
// watch is synced, requests for progress and, right behind them, the creation of
// a second watch that has history to catch up on. The answers to the requests go
// through the watch channel, Created through the control queue, and sendLoop
// takes from either. A run violates the contract if after the second watch's
// Created a progress response for all watches comes that names a revision whose
// event the watch has not been sent.
func CreatedOvertakes(ctx context.Context, server *realetcd.Server, requests, runs int) (CreatedOvertakesResult, error) {
	res := CreatedOvertakesResult{Etcd: server.Version, Requests: requests, Runs: runs}
	conn, err := server.Dial()
	if err != nil {
		return res, err
	}
	defer conn.Close()
	first, last, err := writeHistory(ctx, conn, lateKey)
	if err != nil {
		return res, err
	}
	res.Violations, err = count(runs, func() (bool, error) { return createdOvertakesRun(ctx, conn, requests, first, last) })
	return res, err
}

// createdOvertakesRun ends when the second watch has been sent its history.
func createdOvertakesRun(ctx context.Context, conn *grpc.ClientConn, requests int, first, last int64) (early bool, err error) {
	stream, err := realetcd.OpenStream(ctx, conn)
	if err != nil {
		return false, err
	}
	defer stream.Close()
	if err := stream.Create(&pb.WatchCreateRequest{Key: []byte(idleKey)}); err != nil {
		return false, err
	}
	if resp, err := stream.Recv(); err != nil {
		return false, err
	} else if !resp.Created || resp.Canceled {
		return false, fmt.Errorf("the first watch was not created: %v", resp)
	}
	for range requests {
		if err := stream.RequestProgress(); err != nil {
			return false, err
		}
	}
	if err := stream.Create(&pb.WatchCreateRequest{Key: []byte(lateKey), StartRevision: first}); err != nil {
		return false, err
	}
	created, delivered := false, first-1
	for delivered < last {
		resp, err := stream.Recv()
		switch {
		case err != nil:
			return false, err
		case resp.Canceled:
			return false, fmt.Errorf("a watch was cancelled: %v", resp)
		case resp.Created:
			created = true
		case realetcd.IsProgress(resp):
			early = early || created && resp.Header.Revision > delivered
		case len(resp.Events) > 0:
			delivered = resp.Events[len(resp.Events)-1].Kv.ModRevision
		}
	}
	return early, nil
}
