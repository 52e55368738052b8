package clusterbed

import (
	"math"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"

	"github.com/watchbed/watchbed/upstream/clusternode"
	"github.com/watchbed/watchbed/upstream/protocol"
)

// auditor asks each member in turn, when nothing breaks any more: to write, and to read. A question that is not answered is asked again. Then it asks all
// of them where they are, and for the hash of their data at the last revision that all of them have.
type auditor struct {
	sim.Idle
	members, caches int
	firstCache      sim.NodeID
	begin           sim.Duration
	// at is the question under way.
	at   int
	conn sim.Conn
	tick int64

	operations []model.Operation
	// revision is the least that a member is at. hashes are what members say of it.
	statuses []clusternode.Response
	revision int64
	hashes   []clusternode.Response
}

const ask sim.Timer = 0

func (a *auditor) reset(members, caches int, firstCache sim.NodeID, begin sim.Duration) {
	*a = auditor{
		members: members, caches: caches, firstCache: firstCache, begin: begin,
		operations: a.operations[:0], hashes: a.hashes[:0], statuses: a.statuses[:0],
	}
}

// done reports whether all questions were answered.
func (a *auditor) done() bool { return a.at == 4*a.members+a.caches }

// question is what is asked next. Writes and reads of all members come first, then reads of caches, then statuses, then hashes.
func (a *auditor) question() (to sim.NodeID, p sim.Payload) {
	if a.at < 2*a.members {
		member := a.at / 2
		if to = firstMember + sim.NodeID(member); a.at%2 == 0 {
			return to, &wire.PutRequest{Key: prefix + "audit", Value: "audit:" + string(rune('1'+member))}
		}
		return to, everything()
	}
	rest := a.at - 2*a.members
	if rest < a.caches {
		return a.firstCache + sim.NodeID(rest), &wire.ListRequest{Prefix: prefix, ResourceVersion: wire.Unset}
	}
	rest -= a.caches
	if to = firstMember + sim.NodeID(rest%a.members); rest < a.members {
		return to, &clusternode.Request{Op: protocol.OpStatus}
	}
	return to, &clusternode.Request{Op: protocol.OpHashKV, Revision: a.revision}
}

// Start implements sim.Node.
func (a *auditor) Start(env *sim.Env) { env.Arm(ask, a.begin) }

// Fire implements sim.Node.
func (a *auditor) Fire(env *sim.Env, _ sim.Timer) {
	if a.done() {
		return
	}
	to, p := a.question()
	env.Begin("audit", a.at)
	a.tick = env.Tick()
	a.conn = env.Call(to, p)
	if _, maintains := p.(*clusternode.Request); !maintains {
		a.operations = append(a.operations, model.Operation{
			Call: a.tick, Return: math.MaxInt64, Request: workload.Request(p), Outcome: model.Unknown,
		})
	}
}

// Receive implements sim.Node.
func (a *auditor) Receive(env *sim.Env, m *sim.Message) {
	if m.Conn != a.conn {
		return
	}
	op := func() *model.Operation { return &a.operations[len(a.operations)-1] }
	answered := func(r *model.Result) {
		op().Outcome, op().Return, op().Result = model.Done, env.Tick(), r
		a.at++
	}
	switch p := m.Payload.(type) {
	case *wire.PutResponse:
		answered(&model.Result{Revision: p.Revision})
	case *wire.RangeResponse:
		answered(read(p.Revision, p.Kvs))
	case *wire.ListResponse:
		answered(read(p.ResourceVersion, p.Items))
	case *clusternode.Response:
		if a.at++; p.Op == protocol.OpHashKV {
			h := *p
			// Releases of 3.5 do not say which revision a hash is of.
			h.Revision = a.revision
			a.hashes = append(a.hashes, h)
		} else {
			if len(a.statuses) == 0 || p.Revision < a.revision {
				a.revision = p.Revision
			}
			a.statuses = append(a.statuses, *p)
		}
	case *wire.Error:
		if p.Code == wire.ErrCompacted {
			// A client has compacted meanwhile: another revision has to be found.
			a.at, a.hashes, a.statuses = 2*a.members+a.caches, a.hashes[:0], a.statuses[:0]
		}
		env.Arm(ask, 10*retry)
		return
	default:
		env.Arm(ask, 10*retry)
		return
	}
	if a.at == 2*a.members+a.caches {
		// The last write reaches all of them meanwhile.
		env.Arm(ask, settled)
		return
	}
	env.Arm(ask, 0)
}

// read is the result of a read of everything.
func read(revision int64, kvs []*wire.KeyValue) *model.Result {
	r := &model.Result{Revision: revision, Count: int64(len(kvs))}
	for _, kv := range kvs {
		item := workload.Item(kv)
		r.Items = append(r.Items, &item)
	}
	return r
}

// TimerName implements sim.Node.
func (*auditor) TimerName(sim.Timer) string { return "next question" }

// Clone implements sim.Cloner.
func (a *auditor) Clone() sim.Node {
	c := *a
	c.operations = append([]model.Operation(nil), a.operations...)
	c.hashes, c.statuses = append([]clusternode.Response(nil), a.hashes...), append([]clusternode.Response(nil), a.statuses...)
	return &c
}
