package etcdtest

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"
)

// process is the node that a client's connections begin at: it carries over what the gRPC handlers of the client ask
// and are answered, and records it.
type process struct {
	name string
	// members are the endpoints of the client. They take turns, as clientv3 has it.
	members []sim.NodeID
	turn    int
	// leader takes proposals, which the simulated follower does not take. The answer to a proposal of a client of the
	// follower is held until the follower has applied it.
	leader   sim.NodeID
	follower *etcd.Server
	held     []held
	// used is set when there is a client.
	used atomic.Bool
	// clock is that of the run, nil if nothing is recorded.
	clock *clock
	// by names the goroutine of the request that is sent, if that is known.
	by string
	// handed is set when a goroutine outside of the world has something new to do.
	handed bool

	links map[sim.Conn]*link
	// operations are in the order of their calls, requests are theirs.
	operations []model.Operation
	requests   []sim.Payload
	watches    []*watched
}

// link is a connection to etcd. take is given each payload that comes, from the goroutine of the world.
type link struct {
	take func(sim.Payload)
	// call is the operation, -1 for a stream of watches.
	call int
	// member is the endpoint of the call.
	member sim.NodeID
	// asked are the create requests of the stream that were not answered yet, live its watches by their ids.
	asked []*watched
	live  map[int64]*watched
}

// watched is what etcd sent of one watch, and when: each response has a tick.
type watched struct {
	model.WatchStream
	ticks []int64
}

// held is an answer of the leader, which waits for an entry of the log.
type held struct {
	entry   uint64
	link    *link
	payload sim.Payload
}

// clock counts what happens in a run: calls, answers, reads of a cache. No two of them have the same tick.
type clock struct {
	loop *loop
	mu   sync.Mutex
	// times are those of the ticks, from 1 on.
	times []sim.Time
}

func (c *clock) tick() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.times = append(c.times, c.loop.now())
	return int64(len(c.times))
}

// last is the newest tick.
func (c *clock) last() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return int64(len(c.times))
}

// at names the time of a tick.
func (c *clock) at(tick int64) string {
	if tick == 0 {
		return "an unknown time"
	}
	return shown(c.times[tick-1])
}

func shown(at sim.Time) string { return fmt.Sprintf("%.3f s", time.Duration(at).Seconds()) }

// next is the member whose turn it is.
func (p *process) next() sim.NodeID {
	p.turn++
	return p.members[p.turn%len(p.members)]
}

func (p *process) call(env *sim.Env, request sim.Payload, take func(sim.Payload)) sim.Conn {
	l := &link{take: take, call: -1, member: p.next()}
	to := p.leader
	switch request.(type) {
	case *wire.RangeRequest, *wire.StatusRequest:
		to = l.member
	}
	conn := env.Call(to, request)
	p.by = ""
	if p.clock != nil && isJudged(request) {
		l.call = len(p.operations)
		p.operations = append(p.operations, model.Operation{
			Call: p.clock.tick(), Return: math.MaxInt64, Request: workload.Request(request), Outcome: model.Unknown,
		})
		p.requests = append(p.requests, request)
	}
	p.links[conn] = l
	return conn
}

// isJudged reports whether the model has the request. It has no list that is cut off before it is sorted.
func isJudged(request sim.Payload) bool {
	switch r := request.(type) {
	case *wire.StatusRequest:
		return false
	case *wire.RangeRequest:
		return r.SortOrder != wire.SortNone || r.SortTarget == wire.SortByKey
	}
	return true
}

func (p *process) open(env *sim.Env, take func(sim.Payload)) sim.Conn {
	conn := env.Open(p.next())
	p.links[conn] = &link{take: take, call: -1, live: map[int64]*watched{}}
	return conn
}

// stream sends a request that is answered in parts.
func (p *process) stream(env *sim.Env, request sim.Payload, take func(sim.Payload)) sim.Conn {
	conn := p.open(env, take)
	env.Send(conn, request)
	return conn
}

func (p *process) send(env *sim.Env, conn sim.Conn, request sim.Payload) {
	l := p.links[conn]
	if l == nil {
		return
	}
	switch r := request.(type) {
	case *wire.WatchCreateRequest:
		if p.clock != nil {
			w := &watched{WatchStream: model.WatchStream{Request: workload.WatchRequest(r)}}
			l.asked, p.watches = append(l.asked, w), append(p.watches, w)
		}
	case *wire.WatchCancelRequest:
		// etcd may still send events, and without previous values. They are for none.
		delete(l.live, r.WatchID)
	}
	env.Send(conn, request)
}

// leave ends a connection at this end. What etcd still answers is dropped.
func (p *process) leave(env *sim.Env, conn sim.Conn) {
	if p.links[conn] != nil {
		delete(p.links, conn)
		env.Close(conn)
	}
}

// Start implements sim.Node.
func (*process) Start(*sim.Env) {}

// Receive implements sim.Node.
func (p *process) Receive(env *sim.Env, m *sim.Message) {
	l := p.links[m.Conn]
	if l == nil {
		return
	}
	_, ends := m.Payload.(*sim.Hangup)
	if ends || l.live == nil {
		delete(p.links, m.Conn)
	}
	if _, fails := m.Payload.(*wire.Error); m.From != l.member && l.live == nil && !ends && !fails {
		p.held = append(p.held, held{env.Node(p.leader).(*etcd.Server).Applied(), l, m.Payload})
		p.release()
		return
	}
	p.answer(l, m.Payload)
}

// release hands over what was held until the follower had it.
func (p *process) release() {
	for len(p.held) > 0 && p.follower.Applied() >= p.held[0].entry {
		h := p.held[0]
		p.held = p.held[1:]
		p.answer(h.link, h.payload)
	}
}

// answer hands an answer over.
func (p *process) answer(l *link, payload sim.Payload) {
	if l.call >= 0 {
		op := &p.operations[l.call]
		result := &model.Result{}
		if op.Outcome = workload.Answer(payload, result); op.Outcome != model.Unknown {
			op.Result, op.Return = result, p.clock.tick()
			if op.Request.IsWrite() {
				p.clock.loop.wrote.Store(int64(p.clock.loop.now()))
			}
		}
	}
	if r, ok := payload.(*wire.WatchResponse); ok {
		l.record(r, p.clock)
	}
	p.handed = true
	l.take(payload)
}

// record adds a response to its watches: etcd answers create requests in their order, and one with no watch's id is for
// all of the stream.
func (l *link) record(r *wire.WatchResponse, c *clock) {
	if r.Created && len(l.asked) > 0 {
		l.live[r.WatchID], l.asked = l.asked[0], l.asked[1:]
	}
	for id, w := range l.live {
		if id == r.WatchID || r.WatchID == wire.InvalidWatchID && !r.Created {
			w.Responses, w.ticks = append(w.Responses, workload.WatchResponse(r)), append(w.ticks, c.tick())
		}
	}
	if r.Canceled {
		delete(l.live, r.WatchID)
	}
}

// Fire implements sim.Node.
func (*process) Fire(*sim.Env, sim.Timer) {}

// Run implements sim.Node.
func (*process) Run(*sim.Env, sim.Task) {}

// TaskName implements sim.Node.
func (*process) TaskName(sim.Task) string { return "" }

// TimerName implements sim.Node.
func (*process) TimerName(sim.Timer) string { return "" }
