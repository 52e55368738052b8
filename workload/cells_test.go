package workload_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/watchbed/watchbed/internal/simtest"
	_ "github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"
)

// cellWhole is all that a server of these tests has.
var cellWhole = sim.NewCell("workload test: whole server")

// anything is a server that answers each request in one of the ways in which it
// may be answered, and sends events on the streams that are open.
type anything struct {
	revision int64
	turns    int
	streams  []openStream
}

type openStream struct {
	conn sim.Conn
	// etcd: it speaks etcd's watch protocol.
	etcd bool
}

func (s *anything) Start(env *sim.Env) { env.Enable(0) }

func (s *anything) Restart(env *sim.Env) {
	s.streams = nil
	env.Enable(0)
}

func (s *anything) object() *wire.KeyValue {
	s.revision++
	return &wire.KeyValue{Key: "/p/a", Value: strconv.FormatInt(s.revision, 10), ModRevision: s.revision, CreateRevision: s.revision, Version: 1}
}

func (s *anything) refusal(env *sim.Env) *wire.Error {
	codes := []wire.Code{wire.ErrCompacted, wire.Unavailable, wire.TooManyRequests}
	return &wire.Error{Code: codes[env.Choose(len(codes), "refusal")], RetryAfter: 1}
}

func (s *anything) Receive(env *sim.Env, m *sim.Message) {
	env.Write(cellWhole, 0)
	switch p := m.Payload.(type) {
	case *sim.Hangup:
		s.streams = slices.DeleteFunc(s.streams, func(o openStream) bool { return o.conn == m.Conn })
	case *wire.ReadyzRequest:
		env.Send(m.Conn, &wire.ReadyzResponse{})
	case *wire.PutRequest:
		env.Send(m.Conn, &wire.PutResponse{Revision: s.object().ModRevision})
	case *wire.ListRequest:
		if env.Choose(4, "refuse") == 0 {
			env.Send(m.Conn, s.refusal(env))
			return
		}
		answer := &wire.ListResponse{ResourceVersion: s.revision, Items: []*wire.KeyValue{s.object()}}
		if env.Choose(2, "more") == 1 {
			answer.Continue = "more"
		}
		env.Send(m.Conn, answer)
	case *wire.WatchRequest:
		s.streams = append(s.streams, openStream{conn: m.Conn})
		if p.SendInitialEvents == wire.SendInitialEventsTrue {
			env.Send(m.Conn, &wire.WatchEvent{Type: wire.Bookmark, ResourceVersion: s.revision, InitialEventsEnd: true})
		}
	case *wire.WatchCreateRequest:
		if !slices.ContainsFunc(s.streams, func(o openStream) bool { return o.conn == m.Conn }) {
			s.streams = append(s.streams, openStream{m.Conn, true})
		}
		env.Send(m.Conn, &wire.WatchResponse{Created: true, Revision: s.revision})
	case *wire.WatchProgressRequest:
		env.Send(m.Conn, &wire.WatchResponse{WatchID: wire.InvalidWatchID, Revision: s.revision})
	}
}

func (s *anything) Run(env *sim.Env, _ sim.Task) {
	env.Write(cellWhole, 0)
	if s.turns--; s.turns > 0 {
		env.Enable(0)
	}
	if len(s.streams) == 0 {
		return
	}
	i := env.Choose(len(s.streams), "which stream")
	switch o := s.streams[i]; {
	case env.Choose(5, "close") == 0:
		if !o.etcd && env.Choose(2, "with an error") == 1 {
			env.Send(o.conn, &wire.WatchEvent{Type: wire.Failed, Err: s.refusal(env)})
		}
		env.Close(o.conn)
		s.streams = slices.Delete(s.streams, i, i+1)
	case o.etcd:
		kv := s.object()
		env.Send(o.conn, &wire.WatchResponse{Revision: kv.ModRevision, Events: []wire.Event{{Kv: kv}}})
	default:
		kv := s.object()
		env.Send(o.conn, &wire.WatchEvent{Type: wire.Added, ResourceVersion: kv.ModRevision, Item: kv})
	}
}

func (s *anything) Fire(*sim.Env, sim.Timer)   {}
func (s *anything) TaskName(sim.Task) string   { return "turn" }
func (s *anything) TimerName(sim.Timer) string { return "" }

func (s *anything) Clone() sim.Node {
	c := *s
	c.streams = slices.Clone(s.streams)
	return &c
}

func (s *anything) Fingerprint(d sim.Digest) sim.Digest {
	return d.Int(s.revision).Int(int64(s.turns)).Int(int64(len(s.streams)))
}

func step(p sim.Payload, pages int) workload.Step {
	return workload.Step{To: 1, Payload: p, Request: workload.Request(p), Pages: pages}
}

// clients is one server with a client of each kind.
func clients(mode sim.Mode, slow bool) *sim.World {
	delays := sim.Bounds{Network: sim.Delay{Max: 2, Steps: 2}}
	w := sim.NewWorld(sim.Options{Mode: mode, Safety: delays, Liveness: delays})
	w.Add("server", &anything{revision: 1, turns: 60})
	list := &wire.ListRequest{Prefix: "/p/", ResourceVersion: wire.Unset, Limit: 1}
	var writer, reader workload.Client
	writer.Reset("writer", 0, []workload.Step{step(&wire.PutRequest{Key: "/p/a", Value: "1"}, 0), step(&wire.PutRequest{Key: "/p/a", Value: "2"}, 0)}, 0)
	reader.Reset("reader", 1, []workload.Step{step(list, 2), step(list, 0), step(list, 3)}, 1)
	w.Add("writer", &writer)
	w.Add("reader", &reader)
	var watcher workload.Watcher
	watcher.Reset("watcher", 1, "/p/", 2, 8)
	w.Add("watcher", &watcher)
	var lists workload.ListWatcher
	lists.Reset("list-watcher", workload.ListWatchPlan{
		To: []sim.NodeID{1}, Prefix: "/p/", Versions: []int64{wire.Unset, workload.Given}, Rounds: 4, Retries: 8,
		Follow: sim.Delay{Max: 3, Steps: 3}, Slow: slow, Pace: 1, AwaitReady: true,
	})
	w.Add("list-watcher", &lists)
	var poller workload.Poller
	poller.Reset("poller", workload.PollerPlan{To: 1, List: list, Think: sim.Delay{Max: 2, Steps: 2}, Patience: 1, HonoursRetryAfter: true, Pause: 1})
	w.Add("poller", &poller)
	var stream workload.EtcdWatch
	stream.Reset("stream", workload.EtcdWatchPlan{
		To: 1, Creates: []*wire.WatchCreateRequest{{Key: "/p/"}, {Key: "/q/"}}, Requests: 4, After: 1, Every: 1,
		Later: []sim.Payload{&wire.WatchCancelRequest{WatchID: 1}},
	})
	w.Add("stream", &stream)
	w.AddFault(&sim.RestartProcess{Nodes: []sim.NodeID{1}, Label: "server"}, sim.Budget{Times: 2, Within: 20})
	return w
}

// Two steps that touch none of each other's cells come to the same in either
// order, and a step declares the cells that it changes.
func TestStepsDeclareTheirCells(t *testing.T) {
	var pairs, swapped, changed int
	for seed := range uint64(300) {
		mode := sim.Untimed
		if seed&1 != 0 {
			mode = sim.Timed
		}
		s := simtest.NewSwapper(seed)
		w := clients(mode, seed&2 != 0)
		w.Start(s)
		for range 400 {
			if !w.Step(s) {
				break
			}
		}
		if !assert.Empty(t, s.Wrong, "seed %d", seed) {
			return
		}
		pairs += s.Pairs
		swapped += s.Swapped
		changed += s.Changed
	}
	t.Logf("%d pairs, %d of them swapped; %d cells changed", pairs, swapped, changed)
	assert.Greater(t, min(swapped, changed), 20_000)
}
