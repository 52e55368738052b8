package plans

import (
	"strconv"
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// Lock is a lock as clientv3 makes it (concurrency.Mutex and Election): each client has a key with its lease below
// Prefix, and the client of the oldest key holds the lock. Holders write Object, with the create revision of their key
// in the value.
type Lock struct {
	Prefix, Object string
	// Fenced: a write compares the create revision of the holder's key, as Election.Proclaim does (Mutex.IsOwner).
	Fenced bool
}

// Locks are those of the clients that LockClients plans.
var Locks = [...]Lock{
	{Prefix: topology.Elsewhere + "fenced-lock/", Object: topology.Elsewhere + "fenced", Fenced: true},
	{Prefix: topology.Elsewhere + "unfenced-lock/", Object: topology.Elsewhere + "unfenced"},
}

const (
	// LockTTL is how long the lease of a client of a lock lives, LockPause how long the client pauses at most before it
	// writes, and LockPoll how long before it asks again whether there is an older key. clientv3 watches that key.
	LockTTL   = 3 * time.Second
	LockPause = 4 * time.Second
	LockPoll  = time.Second
	// lockRounds is how often a client takes the lock, or gives its lease up; lockWrites is how often a holder writes.
	lockRounds, lockWrites = 3, 2
)

// CreateRevisionOf is the create revision of the key of the holder that wrote a value.
func (*Lock) CreateRevisionOf(value string) int64 {
	rev, _ := strconv.ParseInt(workload.WriterOf(value), 10, 64)
	return rev
}

// Holder is the oldest key of the lock, nil if there is none.
func (l *Lock) Holder(at *model.Store) *model.Item {
	var oldest *model.Item
	at.Ascend(l.Prefix, model.PrefixEnd(l.Prefix), func(it *model.Item) bool {
		if oldest == nil || it.CreateRevision < oldest.CreateRevision {
			oldest = it
		}
		return true
	})
	return oldest
}

// LockClients are so many clients of each lock.
func LockClients(t *topology.Topology, each int) []Program {
	var programs []Program
	for i := range Locks {
		for k := range each {
			name := "unfenced"
			if Locks[i].Fenced {
				name = "fenced"
			}
			n := len(programs)
			h := lockClient{to: t.KV(n, 0), lock: &Locks[i], lease: int64(n + 1), rounds: lockRounds}
			programs = append(programs, Program{Name: topology.Numbered(name, k, each), Steps: []workload.Step{*h.grant()}})
		}
	}
	return programs
}

// lockClient is what a client of a lock knows: its steps hold copies.
type lockClient struct {
	to    sim.NodeID
	lock  *Lock
	lease int64
	// until is when the lease has run out by the client's own clock.
	until sim.Time
	// created is the create revision of its key.
	created        int64
	rounds, writes int
}

func (h lockClient) key() string { return h.lock.Prefix + strconv.FormatInt(h.lease, 16) }

// lives reports whether the client takes its lease for alive when an answer has come.
func (h lockClient) lives(at *workload.Span) bool { return at.Return < h.until }

func (h lockClient) step(p sim.Payload, think sim.Duration, next func(lockClient, *model.Operation, *workload.Span) *workload.Step) *workload.Step {
	s := &workload.Step{To: h.to, Payload: p, Request: workload.Request(p)}
	if think > 0 {
		s.Think = sim.Delay{Max: think, Steps: 8}
	}
	if next != nil {
		s.Next = func(ended *model.Operation, span *workload.Span) *workload.Step { return next(h, ended, span) }
	}
	return s
}

// anew begins with another lease. The one before runs out.
func (h lockClient) anew() *workload.Step {
	if h.rounds--; h.rounds <= 0 {
		return nil
	}
	h.lease += 1 << 8
	return h.grant()
}

func (h lockClient) grant() *workload.Step {
	return h.step(&wire.LeaseGrantRequest{ID: h.lease, TTL: int64(LockTTL / time.Second)}, LockPoll, lockClient.granted)
}

func (h lockClient) granted(op *model.Operation, at *workload.Span) *workload.Step {
	if op.Outcome != model.Done {
		return h.anew()
	}
	h.until = at.Call + sim.Time(LockTTL)
	return h.acquire()
}

// acquire puts the key if it is not there, and reads the oldest key, as Mutex.tryAcquire does.
func (h lockClient) acquire() *workload.Step {
	h.writes = 0
	oldest := wire.RequestOp{Range: &wire.RangeRequest{
		Key: h.lock.Prefix, RangeEnd: model.PrefixEnd(h.lock.Prefix), Limit: 1, SortOrder: wire.SortAscend, SortTarget: wire.SortByCreate,
	}}
	return h.step(&wire.TxnRequest{
		Compare: []wire.Compare{{Key: h.key(), Target: wire.CompareCreate, Result: wire.CompareEqual}},
		Success: []wire.RequestOp{{Put: &wire.PutRequest{Key: h.key(), Lease: h.lease}}, oldest},
		Failure: []wire.RequestOp{{Range: &wire.RangeRequest{Key: h.key()}}, oldest},
	}, 0, lockClient.acquired)
}

func (h lockClient) acquired(op *model.Operation, at *workload.Span) *workload.Step {
	switch {
	case !h.lives(at) || op.Outcome == model.Failed:
		return h.anew()
	case op.Outcome == model.Unknown:
		return h.acquire()
	}
	own, oldest := op.Result.Results[0].Items, op.Result.Results[1].Items
	if h.created = op.Result.Revision; !op.Result.Succeeded && len(own) > 0 {
		h.created = own[0].CreateRevision
	}
	if len(oldest) > 0 && oldest[0].CreateRevision == h.created {
		return h.hold(at)
	}
	return h.wait()
}

// renew keeps the lease alive before the client goes on.
func (h lockClient) renew(then func(lockClient, *workload.Span) *workload.Step) *workload.Step {
	return h.step(&wire.LeaseKeepAliveRequest{ID: h.lease}, 0, func(h lockClient, op *model.Operation, at *workload.Span) *workload.Step {
		if op.Outcome == model.Done && op.Result.Lease.TTL > 0 {
			h.until = at.Call + sim.Time(LockTTL)
		}
		if !h.lives(at) || op.Outcome == model.Done && op.Result.Lease.TTL == 0 {
			return h.anew()
		}
		return then(h, at)
	})
}

// wait asks for the newest key that is older than its own (waitDeletes).
func (h lockClient) wait() *workload.Step {
	return h.step(&wire.RangeRequest{
		Key: h.lock.Prefix, RangeEnd: model.PrefixEnd(h.lock.Prefix), Limit: 1, SortOrder: wire.SortDescend, SortTarget: wire.SortByCreate,
		MaxCreateRevision: h.created - 1,
	}, LockPoll, lockClient.waited)
}

func (h lockClient) waited(op *model.Operation, at *workload.Span) *workload.Step {
	switch {
	case !h.lives(at):
		return h.anew()
	case op.Outcome == model.Done && len(op.Result.Items) == 0:
		return h.confirm()
	}
	return h.renew(func(h lockClient, _ *workload.Span) *workload.Step { return h.wait() })
}

// confirm looks whether the client's own key is still there, as Mutex.Lock does behind waitDeletes.
func (h lockClient) confirm() *workload.Step {
	return h.step(&wire.RangeRequest{Key: h.key()}, 0, func(h lockClient, op *model.Operation, at *workload.Span) *workload.Step {
		switch {
		case !h.lives(at) || op.Outcome == model.Done && len(op.Result.Items) == 0:
			return h.anew()
		case op.Outcome != model.Done:
			return h.confirm()
		}
		return h.hold(at)
	})
}

// hold writes the object while the lease lives, or unlocks. The client may pause between the look at its clock and the
// write.
func (h lockClient) hold(at *workload.Span) *workload.Step {
	if !h.lives(at) {
		return h.anew()
	}
	if h.writes == lockWrites {
		return h.step(&wire.DeleteRangeRequest{Key: h.key()}, 0, lockClient.unlocked)
	}
	put := &wire.PutRequest{Key: h.lock.Object, Value: strconv.FormatInt(h.created, 10) + "." + strconv.Itoa(h.writes)}
	var write sim.Payload = put
	if h.lock.Fenced {
		write = &wire.TxnRequest{
			Compare: []wire.Compare{{Key: h.key(), Target: wire.CompareCreate, Result: wire.CompareEqual, Operand: h.created}},
			Success: []wire.RequestOp{{Put: put}},
		}
	}
	return h.step(write, LockPause, lockClient.wrote)
}

func (h lockClient) wrote(op *model.Operation, at *workload.Span) *workload.Step {
	if !h.lives(at) || op.Outcome == model.Done && h.lock.Fenced && !op.Result.Succeeded {
		return h.anew()
	}
	h.writes++
	return h.renew(lockClient.hold)
}

// unlocked goes on with the same lease, if the key is gone for certain.
func (h lockClient) unlocked(op *model.Operation, at *workload.Span) *workload.Step {
	if op.Outcome != model.Done || !h.lives(at) {
		return h.anew()
	}
	if h.rounds--; h.rounds <= 0 {
		return h.step(&wire.LeaseRevokeRequest{ID: h.lease}, 0, nil)
	}
	return h.acquire()
}
