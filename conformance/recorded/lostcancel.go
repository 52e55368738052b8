package recorded

import (
	"context"
	"fmt"
	"strings"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"

	"github.com/watchbed/watchbed/conformance/realetcd"
)

const (
	fillKey = "/fill"
	lostKey = "/lost"

	fillID, lostID = 1, 2

	// fillWrites of fillSize bytes are more than the stream's channel (128
	// responses), gRPC's window and the server's own buffer of about the same
	// size hold together.
	sendWindow = 64 << 10
	fillWrites = 200
	fillSize   = 16 << 10
	// syncPasses is several rounds of the server's sync loop.
	syncPasses = 500 * time.Millisecond
)

// LostCancel runs the #17529 script. A client does not read its stream until the
// channel is full; then it asks on the same stream for a watch from a compacted
// revision. When it reads again, it must receive the cancellation of the watch. A
// run violates the contract if the watch goes on and sends a later event instead:
// the events before are missing, without an error.
func LostCancel(ctx context.Context, server *realetcd.Server, runs int) (Result, error) {
	res := Result{Bug: 17529, Etcd: server.Version, Runs: runs}
	var err error
	res.Violations, err = count(runs, func() (bool, error) { return lostCancelRun(ctx, server) })
	return res, err
}

func lostCancelRun(ctx context.Context, server *realetcd.Server) (bool, error) {
	// Streams of one connection share its flow control: the writes need
	// another connection than the stream that is not read.
	writer, err := server.Dial()
	if err != nil {
		return false, err
	}
	defer writer.Close()
	// A given window stays as it is; by default gRPC lets it grow.
	conn, err := server.Dial(grpc.WithInitialWindowSize(sendWindow))
	if err != nil {
		return false, err
	}
	defer conn.Close()

	kv := pb.NewKVClient(writer)
	missed, err := kv.Put(ctx, &pb.PutRequest{Key: []byte(lostKey), Value: []byte("missed")})
	if err != nil {
		return false, err
	}
	stream, err := realetcd.OpenStream(ctx, conn)
	if err != nil {
		return false, err
	}
	defer stream.Close()
	if err := stream.Create(&pb.WatchCreateRequest{Key: []byte(fillKey), WatchId: fillID}); err != nil {
		return false, err
	}
	if created, err := stream.Recv(); err != nil || !created.Created {
		return false, fmt.Errorf("not created: %v: %w", created, err)
	}
	value := strings.Repeat("x", fillSize)
	for range fillWrites {
		if err := putKey(ctx, writer, fillKey, value); err != nil {
			return false, err
		}
	}
	if _, err := kv.Compact(ctx, &pb.CompactionRequest{Revision: missed.Header.Revision + 1}); err != nil {
		return false, err
	}
	err = stream.Create(&pb.WatchCreateRequest{
		Key:           []byte(lostKey),
		WatchId:       lostID,
		StartRevision: missed.Header.Revision,
	})
	if err != nil {
		return false, err
	}
	time.Sleep(syncPasses)
	return readOn(ctx, stream, writer)
}

// readOn reads the stream again until it is clear what became of the watch.
func readOn(ctx context.Context, stream *realetcd.Stream, writer *grpc.ClientConn) (lost bool, err error) {
	for {
		resp, err := stream.Recv()
		if err != nil {
			return false, err
		}
		switch {
		case resp.WatchId != lostID:
		case resp.Created:
			// Once the channel is empty the sync loop may still cancel the
			// watch; one that survives it is synced and sees the next write.
			time.AfterFunc(syncPasses, func() { putKey(ctx, writer, lostKey, "later") })
		case resp.CompactRevision != 0:
			return false, nil
		case len(resp.Events) > 0 && string(resp.Events[0].Kv.Value) == "later":
			return true, nil
		default:
			return false, fmt.Errorf("unexpected response: %v", resp)
		}
	}
}
