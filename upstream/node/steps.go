package node

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/client/clientv3"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/upstream/protocol"
)

// timerNext is the guest's next timer: the guest has one clock, so that its timers go off in the order
// of their times.
const timerNext sim.Timer = 0

// taskGoroutines has goroutines run that are late.
const taskGoroutines sim.Task = 0

// cellGuest is all of the guest's memory.
var cellGuest = sim.NewCell("guest: its memory")

// seeds is how many ways there are to seed the generators of a guest. Map iteration and
// jitter depend on them.
const seeds = 8

// Start implements sim.Node.
func (n *Node) Start(env *sim.Env) {
	seed := env.Choose(seeds, "seed of the guest")
	w := n.out.Begin(protocol.Start, 0).Int(int64(seed)).Text(n.cfg.Prefix)
	indexed, unindexed, label := n.fields()
	w.Text(indexed).Text(unindexed).Text(label).Bool(n.cfg.Compactor != 0)
	w.Bool(n.cfg.Options.Guard.VersionCheck == guard.VersionCheckNone).Int(int64(n.cfg.Endpoints))
	n.writeOptions(w, env.Mode() == sim.Timed)
	n.run(env, w.Bytes)
}

// fields are the names of those by which clients select objects.
func (n *Node) fields() (indexed, unindexed, label string) {
	for _, f := range n.cfg.Fields {
		switch {
		case f.IsLabel:
			label = f.Name
		case f.Indexed:
			indexed = f.Name
		default:
			unindexed = f.Name
		}
	}
	return indexed, unindexed, label
}

// Notices implements sim.Keepalive: the storage's client library pings.
func (*Node) Notices() (atLeast, atMost sim.Duration) { return clientv3.Notices() }

// Restart implements sim.Restarter.
func (n *Node) Restart(env *sim.Env) {
	n.abandon()
	n.forget()
	n.Start(env)
}

// Receive implements sim.Node.
func (n *Node) Receive(env *sim.Env, m *sim.Message) {
	if message := n.incoming(env, m); message != nil {
		n.run(env, message)
	}
}

// Fire implements sim.Node.
func (n *Node) Fire(env *sim.Env, _ sim.Timer) {
	// Without a clock a timer may go off at any point, and has the guest believe that it is time.
	n.clock = max(n.clock, n.until)
	n.run(env, nil)
}

// Run implements sim.Node.
func (n *Node) Run(env *sim.Env, _ sim.Task) {
	n.Loop = true
	n.run(env, nil)
}

// TaskName implements sim.Node.
func (n *Node) TaskName(sim.Task) string { return "goroutines" }

// TimerName implements sim.Node.
func (n *Node) TimerName(sim.Timer) string { return "next timer of the guest" }

// run has the guest run until all its goroutines wait, or are late.
func (n *Node) run(env *sim.Env, message []byte) {
	env.Write(cellGuest, 0)
	if env.Mode() == sim.Timed {
		n.clock = int64(env.Now())
	}
	n.Begin(env, n.how.Locks, name)
	n.waits = false
	until := n.resume(message)
	if !n.halfway() {
		// After each such step, so that the guest does the same whether judges look at it or not. Goroutines that are
		// late do not run for a look either: the pause is that of the step.
		until = n.resume(inspect)
	}
	if env.Noting() && len(n.Ran) > 0 {
		env.Note(ran{slices.Clone(n.Ran), n.has()})
	}
	n.Env, n.Pause = nil, Pause{}
	switch {
	case n.waits:
		env.Enable(taskGoroutines)
	case n.how.Late:
		// Another guest has no such loop: to name it would change the schedules of all seeds.
		env.Disable(taskGoroutines)
	}
	n.arm(env, until)
}

// Hidden implements cache.Hiding.
func (n *Node) Hidden() bool { return n.halfway() }

// halfway reports whether a goroutine may be stopped in a critical section. No reader could see what the cache
// is like then, and judges look at what it was before.
func (n *Node) halfway() bool { return n.waits && n.how.Locks }

// inspect is the message that asks what the cache is like.
var inspect = new(protocol.Writer).Begin(protocol.Inspect, 0).Bytes

// resume hands the guest a message, and returns the time of its next timer.
func (n *Node) resume(message []byte) int64 {
	until, err := n.guest.Run(n, n.clock, message)
	if err != nil {
		// A guest that crashes is a finding of its own.
		panic(err)
	}
	return until
}

// arm has the world fire the guest's next timer.
func (n *Node) arm(env *sim.Env, until int64) {
	switch {
	case until == 0:
		if n.until != 0 {
			env.Disarm(timerNext)
		}
	case until != n.until || !env.Armed(timerNext):
		env.Arm(timerNext, time.Duration(until-n.clock))
	}
	n.until = until
}

// incoming is a message of the world as the guest understands it, nil if it does not concern
// the guest any more.
func (n *Node) incoming(env *sim.Env, m *sim.Message) []byte {
	if i := indexOf(n.ranges, m.Conn); i >= 0 {
		if k := &n.ranges[i]; n.isElsewhere(k, m.Payload) {
			k.conn = env.Open(n.nextEndpoint())
			env.Send(k.conn, k.asks)
			return nil
		}
		return n.part(env, i, m)
	}
	if i := indexOf(n.calls, m.Conn); i >= 0 {
		if k := &n.calls[i]; n.isElsewhere(k, m.Payload) {
			k.conn = env.Call(n.nextEndpoint(), k.asks)
			return nil
		}
		number := n.calls[i].number
		n.calls = append(n.calls[:i], n.calls[i+1:]...)
		return n.answer(number, m.Payload)
	}
	if i := n.streamOf(m.Conn); i >= 0 {
		number := n.streams[i].number
		if _, ends := m.Payload.(*sim.Hangup); ends {
			n.streams = append(n.streams[:i], n.streams[i+1:]...)
		}
		return n.answer(number, m.Payload)
	}
	return n.request(m)
}

// isElsewhere reports whether a request goes to the next member, as nothing listens at this one: gRPC's round_robin
// picks none without a connection.
func (n *Node) isElsewhere(k *connection, p sim.Payload) bool {
	if !n.cfg.CallsTakeTurns || !wire.NothingListens(p) || k.refused+1 >= len(n.cfg.WatchEndpoints) {
		return false
	}
	if of, asks := k.asks.(*wire.StatusRequest); asks && of.Endpoint != wire.ServingEndpoint {
		return false
	}
	k.refused++
	return true
}

func indexOf(all []connection, c sim.Conn) int {
	return slices.IndexFunc(all, func(x connection) bool { return x.conn == c })
}

// part is what comes of a Range that is streamed. An error ends it, as the end of the stream does.
func (n *Node) part(env *sim.Env, i int, m *sim.Message) []byte {
	number := n.ranges[i].number
	switch p := m.Payload.(type) {
	case *wire.RangeStreamResponse:
		n.seen.addRanged(p.Kvs)
		WriteRanged(n.out.Begin(protocol.Streamed, number), &wire.RangeResponse{Revision: p.Revision, More: p.More, Count: p.Count, Kvs: p.Kvs})
		return n.out.Bytes
	case *wire.Error:
		env.Close(m.Conn)
	}
	n.ranges = slices.Delete(n.ranges, i, i+1)
	return n.answer(number, m.Payload)
}

func (n *Node) streamOf(c sim.Conn) int {
	for i := range n.streams {
		if n.streams[i].conn == c {
			return i
		}
	}
	return -1
}

// answer is what etcd says.
func (n *Node) answer(number uint32, p sim.Payload) []byte {
	w := &n.out
	switch p := p.(type) {
	case *wire.RangeResponse:
		n.seen.addRanged(p.Kvs)
		WriteRanged(w.Begin(protocol.Ranged, number), p)
	case *wire.TxnResponse:
		if !p.Succeeded && len(p.Responses) > 0 {
			n.seen.addRanged(p.Responses[0].Range.Kvs)
		}
		writeTxned(w.Begin(protocol.Txned, number), p)
	case *wire.WatchResponse:
		n.seen.addEvents(p)
		WriteWatchResponse(w.Begin(protocol.WatchResponse, number), p)
	case *wire.StatusResponse:
		w.Begin(protocol.Versioned, number).Text(p.Version)
	case *wire.Error:
		w.Begin(protocol.Refused, number).Byte(byte(p.Code)).Text(p.Message)
	case *sim.Hangup:
		w.Begin(protocol.Hangup, number).Bool(false).Bool(p.Broken)
	default:
		return nil
	}
	return w.Bytes
}

// request is what a client asks.
func (n *Node) request(m *sim.Message) []byte {
	w, client := &n.out, uint32(m.Conn)
	switch p := m.Payload.(type) {
	case *wire.ListRequest:
		writeList(w.Begin(protocol.List, client), p)
	case *wire.GetRequest:
		w.Begin(protocol.Get, client).Text(p.Key).Int(p.ResourceVersion)
	case *wire.WatchRequest:
		writeWatch(w.Begin(protocol.Watch, client), p)
	case *wire.ReadyzRequest:
		w.Begin(protocol.Readyz, client)
	case *sim.Hangup:
		w.Begin(protocol.Hangup, client).Bool(true).Bool(p.Broken)
	default:
		if !writeWrite(w, client, p) {
			return nil
		}
	}
	return w.Bytes
}
