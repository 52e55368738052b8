package races

import (
	"context"
	"fmt"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/grpc"

	"github.com/watchbed/watchbed/conformance/realetcd"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
)

// Comparison sends one sequence of requests after the other to a real server, which has no
// other users, and to simulated ones.
type Comparison struct {
	cfg    etcd.Config
	server *realetcd.Server
	conn   *grpc.ClientConn
	// sequences counts them: each has ids of its own for its leases.
	sequences int64
	Tally     RequestTally
}

// NewComparison compares a server that was just started with a simulated one of its version. The
// caller must Close it.
func NewComparison(server *realetcd.Server, cfg etcd.Config) (*Comparison, error) {
	conn, err := server.Dial()
	if err != nil {
		return nil, err
	}
	return &Comparison{cfg: cfg, server: server, conn: conn}, nil
}

// Close ends the connection.
func (c *Comparison) Close() { c.conn.Close() }

// leases is how many ids of leases a sequence has to itself.
const leases = 10

// length is how many requests a sequence has.
const length = 80

// leaseLives is less than the shortest time that etcd grants a lease, by more than a request
// takes on a machine under load. Longer leases outlive every sequence.
const leaseLives = time.Second

// shortest is the shortest time to live of a lease that outlives every sequence, in seconds.
const shortest = 60

// Sequence compares the sequence of a seed. It ends with the first difference, since the contents may differ from then
// on, or with what a server has that has exited and was started again. The error says that a server did not answer.
func (c *Comparison) Sequence(ctx context.Context, seed uint64) error {
	begin, err := c.clear(ctx)
	if err != nil {
		return err
	}
	c.sequences++
	v := newInventor(seed, begin, leases*c.sequences)
	simulated := simulate(c.cfg, begin)
	var over time.Time
	began := time.Now()
	exited := false
	for i := range length {
		p := v.next()
		if exited {
			p = &wire.RangeRequest{Key: all, RangeEnd: fromKey}
		}
		if grant, ok := p.(*wire.LeaseGrantRequest); ok && grant.TTL < shortest && over.IsZero() {
			over = time.Now().Add(leaseLives)
		}
		real, err := c.call(ctx, p)
		if err != nil {
			return fmt.Errorf("seed %d, request %d, %s: %w", seed, i, show(p), err)
		}
		if !over.IsZero() && time.Now().After(over) {
			return nil
		}
		ours, err := simulated.call(p)
		if err != nil {
			return err
		}
		c.Tally.add(p, real)
		if namesAnother(p, real, ours) {
			c.Tally.Explained.OtherReason++
			continue
		}
		if c.leavesLeasesOut() && dropLeases(p, ours) {
			c.Tally.Explained.NoLease++
		}
		if diff := difference(real, ours, time.Since(began)); diff != "" {
			c.Tally.Differences = append(c.Tally.Differences,
				fmt.Sprintf("etcd %s, seed %d, request %d: %s\n-real +simulated\n%s", c.cfg.Version, seed, i, show(p), diff))
			return nil
		}
		if exited {
			return nil
		}
		_, exited = real.(*sim.Hangup)
		v.revision = max(v.revision, revision(real))
	}
	return nil
}

// call has the real server answer. One that exits breaks the connection, which is an answer, and is started again.
func (c *Comparison) call(ctx context.Context, p sim.Payload) (sim.Payload, error) {
	answer, err := realetcd.Call(ctx, c.conn, p)
	if err == nil || !c.server.Exits() {
		return answer, err
	}
	if err := c.server.Restart(ctx); err != nil {
		return nil, err
	}
	c.conn.Close()
	c.conn, err = c.server.Dial()
	return &sim.Hangup{Broken: true}, err
}

// clear empties the server, and forgets its past unless nothing was ever written. It
// returns the revision.
func (c *Comparison) clear(ctx context.Context) (int64, error) {
	if c.sequences == 0 {
		return 1, nil
	}
	for id := range int64(leases) {
		if _, err := realetcd.Call(ctx, c.conn, &wire.LeaseRevokeRequest{ID: leases*c.sequences + id}); err != nil {
			return 0, err
		}
	}
	// A change, so that there is a revision to compact at.
	if _, err := realetcd.Call(ctx, c.conn, &wire.PutRequest{Key: requestKeys[0]}); err != nil {
		return 0, err
	}
	cleared, err := realetcd.Call(ctx, c.conn, &wire.DeleteRangeRequest{Key: all, RangeEnd: fromKey})
	if err != nil {
		return 0, err
	}
	rev := revision(cleared)
	_, err = realetcd.Call(ctx, c.conn, &wire.CompactionRequest{Revision: rev})
	return rev, err
}

// difference is what differs between the answers, nothing if they are the same. A server
// tells the whole seconds that a lease has left: on the real one some time has passed.
func difference(real, ours sim.Payload, passed time.Duration) string {
	if r, ok := real.(*wire.LeaseTimeToLiveResponse); ok {
		if o, ok := ours.(*wire.LeaseTimeToLiveResponse); ok && r.TTL <= o.TTL && r.TTL >= o.TTL-1-int64(passed/time.Second) {
			same := *r
			same.TTL = o.TTL
			real = &same
		}
	}
	// Unexported fields only make digests faster. The ids in a header are the cluster's own.
	return cmp.Diff(real, ours, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(wire.RangeResponse{}), cmpopts.IgnoreFields(wire.Error{}, "Code"), cmpopts.IgnoreTypes(wire.Headed{}))
}

// revision is that of an answer's header, 0 if it has none.
func revision(p sim.Payload) int64 {
	switch p := p.(type) {
	case *wire.RangeResponse:
		return p.Revision
	case *wire.PutResponse:
		return p.Revision
	case *wire.DeleteRangeResponse:
		return p.Revision
	case *wire.TxnResponse:
		return p.Revision
	}
	return 0
}
