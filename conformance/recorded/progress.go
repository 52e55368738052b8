package recorded

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"

	"github.com/watchbed/watchbed/conformance/realetcd"
)

// ProgressResult is how a number of equal runs of the #17507 script went.
type ProgressResult struct {
	Etcd string `json:"etcd"`
	// DelayMs is the time between the Created response and the first request.
	DelayMs int `json:"delayMs"`
	Runs    int `json:"runs"`
	// Silent runs saw no progress response within WaitMs of the first request,
	// with a request every 100 ms.
	Silent int `json:"silent"`
	WaitMs int `json:"waitMs"`
	// MedianMs is the time from the first request to the first response, over
	// the runs that saw one; absent if none did.
	MedianMs float64 `json:"medianMs,omitempty"`
}

const (
	progressPatience = 3 * time.Second
	progressPeriod   = 100 * time.Millisecond
	waveSize         = 25
	waveSpread       = time.Second

	quietPrefix = "/quiet/"
	noiseKey    = "/noise"
	noiseWrites = 20
)

// Delays are those that the recording has: at once, inside the first round of
// the server's sync loop, and after it.
func Delays() []time.Duration {
	return []time.Duration{0, 20 * time.Millisecond, 50 * time.Millisecond, 150 * time.Millisecond}
}

// Progress runs the #17507 script: a watch from revision 2 on a range that
// never had a key, on a server whose revision has moved on elsewhere, then
// progress requests.
func Progress(ctx context.Context, server *realetcd.Server, delay time.Duration, runs int) (ProgressResult, error) {
	res := ProgressResult{Etcd: server.Version, DelayMs: int(delay.Milliseconds()), Runs: runs, WaitMs: int(progressPatience.Milliseconds())}
	conn, err := server.Dial()
	if err != nil {
		return res, err
	}
	defer conn.Close()
	for range noiseWrites {
		if err := putKey(ctx, conn, noiseKey, "x"); err != nil {
			return res, err
		}
	}
	var answered []time.Duration
	for done := 0; done < runs; done += waveSize {
		wave, err := progressWave(ctx, conn, delay, min(waveSize, runs-done))
		if err != nil {
			return res, err
		}
		for _, after := range wave {
			if after < 0 {
				res.Silent++
			} else {
				answered = append(answered, after)
			}
		}
	}
	if len(answered) > 0 {
		slices.Sort(answered)
		res.MedianMs = float64(answered[len(answered)/2].Microseconds()) / 1000
	}
	return res, nil
}

func progressWave(ctx context.Context, conn *grpc.ClientConn, delay time.Duration, size int) ([]time.Duration, error) {
	after := make([]time.Duration, size)
	errs := make([]error, size)
	var wg sync.WaitGroup
	for i := range size {
		wg.Go(func() {
			time.Sleep(rand.N(waveSpread))
			after[i], errs[i] = progressRun(ctx, conn, delay)
		})
	}
	wg.Wait()
	return after, errors.Join(errs...)
}

// progressRun returns the time from the first request to the first response,
// negative if patience ran out.
func progressRun(ctx context.Context, conn *grpc.ClientConn, delay time.Duration) (time.Duration, error) {
	stream, err := realetcd.OpenStream(ctx, conn)
	if err != nil {
		return 0, err
	}
	defer stream.Close()
	err = stream.Create(&pb.WatchCreateRequest{
		Key:           []byte(quietPrefix),
		RangeEnd:      []byte("/quiet0"),
		StartRevision: 2,
	})
	if err != nil {
		return 0, err
	}
	if created, err := stream.Recv(); err != nil {
		return 0, err
	} else if !created.Created || created.Canceled {
		return 0, fmt.Errorf("the watch was not created: %v", created)
	}
	responses := stream.Responses()
	time.Sleep(delay)
	first := time.Now()
	if err := stream.RequestProgress(); err != nil {
		return 0, err
	}
	again := time.NewTicker(progressPeriod)
	defer again.Stop()
	patience := time.After(progressPatience)
	for {
		select {
		case resp, ok := <-responses:
			if !ok {
				return 0, errors.New("the stream ended")
			}
			if !realetcd.IsProgress(resp) {
				return 0, fmt.Errorf("unexpected response: %v", resp)
			}
			return time.Since(first), nil
		case <-again.C:
			if err := stream.RequestProgress(); err != nil {
				return 0, err
			}
		case <-patience:
			return -1, nil
		}
	}
}

func putKey(ctx context.Context, conn *grpc.ClientConn, key, value string) error {
	_, err := pb.NewKVClient(conn).Put(ctx, &pb.PutRequest{Key: []byte(key), Value: []byte(value)})
	return err
}
