package races

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/watchbed/watchbed/conformance/realetcd"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
)

// Recorder records one race after the other on a cluster that has no other users.
type Recorder struct {
	version    string
	onFollower bool
	// conns are the clients' connections, one each: requests of different clients do
	// not wait for each other in one.
	conns [len(names)]*grpc.ClientConn
	// barrier is the connection of what finds out that the server is at rest.
	barrier   *grpc.ClientConn
	compacted int64
	races     int
}

// Members are those of a cluster with followers. With three a follower may be behind what
// the leader has answered.
const Members = 3

// NewRecorder connects to a cluster: the writer to the first member, the others to the
// last. The caller must Close it.
func NewRecorder(cluster []*realetcd.Server) (*Recorder, error) {
	writes, serves := cluster[0], cluster[len(cluster)-1]
	r := &Recorder{version: writes.Version, onFollower: writes != serves}
	for _, c := range []struct {
		conn   **grpc.ClientConn
		server *realetcd.Server
	}{{&r.conns[stream], serves}, {&r.conns[writer], writes}, {&r.conns[reader], serves}, {&r.barrier, serves}} {
		conn, err := c.server.Dial()
		if err != nil {
			r.Close()
			return nil, err
		}
		*c.conn = conn
	}
	return r, nil
}

// Close ends the connections.
func (r *Recorder) Close() {
	for _, c := range append(r.conns[:], r.barrier) {
		if c != nil {
			c.Close()
		}
	}
}

// raceTimeout is generous: a race takes about half a second on an idle machine.
const raceTimeout = time.Minute

// Record records the race of a seed.
func (r *Recorder) Record(ctx context.Context, seed uint64) (*Race, error) {
	ctx, cancel := context.WithTimeout(ctx, raceTimeout)
	defer cancel()
	r.races++
	begin, err := r.begin(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.connect(ctx); err != nil {
		return nil, err
	}
	watch, err := realetcd.OpenStream(ctx, r.conns[stream])
	if err != nil {
		return nil, err
	}
	defer watch.Close()
	l := &notebook{}
	p := newPlan(seed, fmt.Sprintf("/race%d/", r.races), begin)
	race := &Race{Version: r.version, OnFollower: r.onFollower, Begin: begin, Compacted: r.compacted}
	for _, write := range p.before {
		if err := r.call(ctx, l, writer, write); err != nil {
			return nil, err
		}
	}
	if err := r.run(ctx, l, watch, p); err != nil {
		return nil, err
	}
	race.Moments = l.moments
	return race, nil
}

// connect opens the connections, so that no client's first request waits for a handshake. The
// reads are linearizable, so that both members have applied what was written before.
func (r *Recorder) connect(ctx context.Context) error {
	for _, c := range append(r.conns[:], r.barrier) {
		if _, err := pb.NewKVClient(c).Range(ctx, &pb.RangeRequest{Key: []byte("handshake")}); err != nil {
			return err
		}
	}
	return nil
}

// run has the clients do what they are to do, all at a time, and waits for rest.
func (r *Recorder) run(ctx context.Context, l *notebook, watch *realetcd.Stream, p *plan) error {
	var receiving sync.WaitGroup
	receiving.Go(func() {
		for {
			resp, err := watch.Recv()
			if err != nil {
				return
			}
			l.note(stream, false, realetcd.WatchResponse(resp))
		}
	})
	defer receiving.Wait()
	defer watch.Close()
	var running sync.WaitGroup
	var failed [len(names)]error
	for client := range names {
		running.Go(func() {
			for _, req := range p.requests[client] {
				time.Sleep(req.pause)
				if client == stream {
					l.note(stream, true, req.payload)
					failed[client] = send(watch, req.payload)
				} else {
					failed[client] = r.call(ctx, l, client, req.payload)
				}
				if failed[client] != nil {
					return
				}
			}
		})
	}
	running.Wait()
	if err := errors.Join(failed[:]...); err != nil {
		return err
	}
	err := r.rest(ctx, p.begin)
	l.close()
	return err
}

// call has a unary request answered.
func (r *Recorder) call(ctx context.Context, l *notebook, client int, p sim.Payload) error {
	l.note(client, true, p)
	resp, err := do(ctx, r.conns[client], p)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", names[client], p.Label(), err)
	}
	l.note(client, false, resp)
	if c, ok := p.(*wire.CompactionRequest); ok {
		if _, done := resp.(*wire.CompactionResponse); done {
			r.compacted = c.Revision
		}
	}
	return nil
}

// restPause is for what follows on the last turn of syncWatchersLoop: sendLoop, the
// network, and the goroutine that receives.
const restPause = 50 * time.Millisecond

// barrierKey is of no race.
const barrierKey = "barrier"

// begin is the revision at which a race begins: that of a change for rest to catch up on.
func (r *Recorder) begin(ctx context.Context) (int64, error) {
	put, err := pb.NewKVClient(r.barrier).Put(ctx, &pb.PutRequest{Key: []byte(barrierKey)})
	if err != nil {
		return 0, err
	}
	return put.Header.Revision, nil
}

// rest waits until the server has nothing left to send. A linearizable read is answered when
// it has applied all that was written.
func (r *Recorder) rest(ctx context.Context, begin int64) error {
	if err := r.connect(ctx); err != nil {
		return err
	}
	for range 2 {
		if err := r.sync(ctx, begin); err != nil {
			return fmt.Errorf("waiting for syncWatchersLoop: %w", err)
		}
	}
	time.Sleep(restPause)
	return nil
}

// syncTimeout is several periods of syncWatchersLoop. Before 3.5.24 and 3.6.6 all watches of a turn
// are sent nothing if one of them begins at a negative revision, and count as synced:
// then the next try is sent what it waits for.
const syncTimeout = 500 * time.Millisecond

// sync waits until syncWatchersLoop has been at a watch that begins now and in the past.
func (r *Recorder) sync(ctx context.Context, revision int64) error {
	for {
		trial, cancel := context.WithTimeout(ctx, syncTimeout)
		err := r.catchUp(trial, revision)
		cancel()
		if err == nil || ctx.Err() != nil || trial.Err() == nil {
			return err
		}
	}
}

// catchUp waits for the history of a watch, or that it was compacted.
func (r *Recorder) catchUp(ctx context.Context, revision int64) error {
	s, err := realetcd.OpenStream(ctx, r.barrier)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.Create(&pb.WatchCreateRequest{Key: []byte(barrierKey), StartRevision: revision}); err != nil {
		return err
	}
	for {
		resp, err := s.Recv()
		if err != nil {
			return err
		}
		if len(resp.Events) > 0 || resp.Canceled {
			return nil
		}
	}
}

// notebook collects the moments of a race.
type notebook struct {
	mu      sync.Mutex
	closed  bool
	moments []Moment
}

func (l *notebook) note(client int, sent bool, p sim.Payload) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.moments = append(l.moments, Moment{Client: client, Sent: sent, Payload: p})
	}
}

// close ends the race: nothing is noted any more.
func (l *notebook) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}
