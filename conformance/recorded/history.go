package recorded

import (
	"context"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
)

// historyWrites is less than one batch of the server's sync loop (1000
// revisions), so that one response brings all of them.
const historyWrites = 100

// writeHistory writes a key often enough that a watch from the first of the
// revisions has to catch up.
func writeHistory(ctx context.Context, conn *grpc.ClientConn, key string) (first, last int64, err error) {
	for i := range historyWrites {
		put, err := pb.NewKVClient(conn).Put(ctx, &pb.PutRequest{Key: []byte(key), Value: []byte("x")})
		if err != nil {
			return 0, 0, err
		}
		last = put.Header.Revision
		if i == 0 {
			first = last
		}
	}
	return first, last, nil
}
