package client_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/watchbed/watchbed/internal/simtest"
	_ "github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/client"
	"github.com/watchbed/watchbed/sim/wire"
)

// cellWhole is all that a node of these tests has.
var cellWhole = sim.NewCell("client test: whole node")

// moodyServer is a right server that also answers unary requests, splits
// responses into fragments, and refuses, cancels and compacts now and then.
type moodyServer struct {
	rightServer
	moods int
}

const serverMood sim.Task = 2

func (s *moodyServer) Start(env *sim.Env) {
	env.Write(cellWhole, 0)
	s.rightServer.Start(env)
	env.Enable(serverMood)
}

func (s *moodyServer) Restart(env *sim.Env) {
	s.streams = nil
	s.Start(env)
}

func (s *moodyServer) Receive(env *sim.Env, m *sim.Message) {
	env.Write(cellWhole, 0)
	switch p := m.Payload.(type) {
	case *wire.RangeRequest:
		switch env.Choose(5, "range") {
		case 0:
			env.Send(m.Conn, &wire.Error{Code: wire.Unavailable})
		case 1:
			env.Send(m.Conn, &wire.Error{Code: wire.ErrCompacted})
		default:
			answer := &wire.RangeResponse{Revision: s.rev, More: p.Limit > 0 && env.Choose(3, "more") > 0}
			for i := range env.Choose(4, "objects") + 1 {
				answer.Kvs = append(answer.Kvs, &wire.KeyValue{Key: p.Key + strconv.Itoa(i), ModRevision: int64(i + 1)})
			}
			env.Send(m.Conn, answer)
		}
	case *wire.RangeStreamRequest:
		for i := range env.Choose(4, "chunks") {
			env.Send(m.Conn, &wire.RangeStreamResponse{Kvs: []*wire.KeyValue{{Key: p.Range.Key + strconv.Itoa(i), ModRevision: int64(i + 1)}}})
		}
		switch env.Choose(4, "end of a stream") {
		case 0:
			env.Send(m.Conn, &wire.Error{Code: wire.Unimplemented})
		case 1:
			env.Send(m.Conn, &wire.Error{Code: wire.ErrCompacted})
		default:
			env.Send(m.Conn, &wire.RangeStreamResponse{Revision: s.rev})
		}
		env.Close(m.Conn)
	case *wire.PutRequest:
		env.Send(m.Conn, &wire.PutResponse{Revision: s.rev})
	case *wire.WatchCreateRequest:
		if env.Choose(8, "refuse") == 0 {
			env.Send(m.Conn, &wire.WatchResponse{WatchID: wire.InvalidWatchID, Created: true, Canceled: true, CancelReason: "no"})
			return
		}
		s.rightServer.Receive(env, m)
	default:
		s.rightServer.Receive(env, m)
	}
}

func (s *moodyServer) Run(env *sim.Env, t sim.Task) {
	env.Write(cellWhole, 0)
	if t != serverMood {
		s.rightServer.Run(env, t)
		return
	}
	if s.moods--; s.moods > 0 {
		env.Enable(serverMood)
	}
	if len(s.streams) == 0 {
		return
	}
	at := env.Choose(len(s.streams), "which stream")
	st := &s.streams[at]
	id := int64(env.Choose(3, "which watch"))
	if len(st.watches) > 0 {
		id = st.watches[env.Choose(len(st.watches), "which watch")].id
	}
	switch env.Choose(6, "mood") {
	case 0:
		env.Send(st.conn, &wire.WatchResponse{WatchID: id, Canceled: true, CompactRevision: s.rev})
	case 1:
		env.Send(st.conn, &wire.WatchResponse{WatchID: id, Canceled: true})
		st.watches = slices.DeleteFunc(st.watches, func(w serverWatch) bool { return w.id == id })
	case 2:
		p := events(id, putAt("/a/x", s.rev))
		p.Fragment = true
		env.Send(st.conn, p)
	case 3:
		gone := deleteAt("/a/x", s.rev, 1)
		gone.PrevKv = nil
		env.Send(st.conn, events(id, gone))
	case 4:
		env.Send(st.conn, progress(wire.InvalidWatchID, s.rev))
	default:
		env.Close(st.conn)
		s.streams = slices.Delete(s.streams, at, at+1)
	}
}

func (s *moodyServer) TaskName(t sim.Task) string {
	if t == serverMood {
		return "mood"
	}
	return s.rightServer.TaskName(t)
}

func (s *moodyServer) Clone() sim.Node {
	return &moodyServer{*s.rightServer.Clone().(*rightServer), s.moods}
}

func (s *moodyServer) Fingerprint(d sim.Digest) sim.Digest {
	d = s.rightServer.Fingerprint(d.Int(int64(s.moods)).Int(int64(len(s.streams))))
	for _, st := range s.streams {
		d = d.Int(st.nextID)
	}
	return d
}

// restlessCache starts watches of its own prefix, stops them, and asks for
// progress and for other things.
type restlessCache struct {
	prefix  string
	watch   sim.Conn
	control sim.Conn
	calls   [2]sim.Conn
	// received is a digest of what came, in order.
	received sim.Digest
	left     int
}

func (c *restlessCache) Start(env *sim.Env) {
	env.Write(cellWhole, 0)
	c.control = env.Open(clientID)
	env.Enable(0)
}

func (c *restlessCache) Restart(env *sim.Env) {
	c.watch, c.calls = sim.NoConn, [2]sim.Conn{}
	c.Start(env)
}

func (c *restlessCache) Receive(env *sim.Env, m *sim.Message) {
	env.Write(cellWhole, 0)
	c.received = m.Payload.Digest(c.received)
	if _, hungUp := m.Payload.(*sim.Hangup); !hungUp {
		return
	}
	switch m.Conn {
	case c.watch:
		c.watch = sim.NoConn
	case c.control:
		c.control = env.Open(clientID)
	}
}

func (c *restlessCache) Run(env *sim.Env, _ sim.Task) {
	env.Write(cellWhole, 0)
	if c.left--; c.left > 0 {
		env.Enable(0)
	}
	switch env.Choose(6, "what") {
	case 0:
		env.Send(c.control, &wire.ProgressRequest{Metadata: c.metadata(env)})
	case 1:
		i := env.Choose(len(c.calls), "which call")
		env.Close(c.calls[i])
		c.calls[i] = env.Call(clientID, &wire.RangeRequest{Key: c.prefix, Limit: int64(i)})
	case 2:
		env.Call(clientID, &wire.PutRequest{Key: c.prefix + "x"})
	default:
		if c.watch != sim.NoConn {
			env.Close(c.watch)
			c.watch = sim.NoConn
			return
		}
		p := &wire.WatchStart{Prefix: c.prefix, Revision: int64(env.Choose(4, "revision")) - 1, ProgressNotify: true, Metadata: c.metadata(env)}
		if env.Choose(2, "initial events") == 1 {
			p.SendInitialEvents, p.AllowBookmarks = wire.SendInitialEventsTrue, true
		}
		c.watch = env.Open(clientID)
		env.Send(c.watch, p)
	}
}

func (c *restlessCache) metadata(env *sim.Env) string {
	return []string{"m", "n"}[env.Choose(2, "metadata")]
}

func (c *restlessCache) Fire(*sim.Env, sim.Timer)   {}
func (c *restlessCache) TaskName(sim.Task) string   { return "act" }
func (c *restlessCache) TimerName(sim.Timer) string { return "" }
func (c *restlessCache) Clone() sim.Node            { d := *c; return &d }
func (c *restlessCache) Fingerprint(d sim.Digest) sim.Digest {
	d = d.Fold(c.received).Int(int64(c.left)).Bool(c.watch != sim.NoConn)
	return d.Bool(c.calls[0] != sim.NoConn).Bool(c.calls[1] != sim.NoConn)
}

// Two steps that touch none of each other's cells come to the same in either
// order, and a step declares the cells that it changes.
func TestStepsDeclareTheirCells(t *testing.T) {
	cfg := small(t, newest)
	cfg.Watcher.SyncPageSize, cfg.Library.MaxUnaryRetries = 3, 2
	cfg.Storage = []sim.NodeID{cacheID}
	var pairs, swapped, changed int
	for seed := range uint64(200) {
		cfg.Library.BroadcastsToAll = seed>>1&1 == 1
		cfg.Watcher.PassesMissingPrevKv = seed>>2&1 == 1
		cfg.Watcher.DecodesConcurrently = seed>>3&1 == 1
		cfg.Watcher.StreamsRanges = seed>>4&1 == 1
		cfg.Watcher.DecodeFailures = int(seed >> 5 & 1)
		cfg.Watcher.DecodeTime = sim.Duration(seed >> 6 & 1)
		mode := sim.Untimed
		if seed&1 != 0 {
			mode = sim.Timed
		}
		delays := sim.Bounds{Network: sim.Delay{Max: 2, Steps: 2}}
		w := sim.NewWorld(sim.Options{Mode: mode, Safety: delays, Liveness: delays})
		w.Add("etcd", &moodyServer{rightServer{commits: 10}, 20})
		w.Add("client", client.New(cfg))
		w.Add("cache-1", &restlessCache{prefix: "/a/", left: 30})
		w.Add("cache-2", &restlessCache{prefix: "/b/", left: 30})
		w.AddFault(&sim.BreakStream{From: []sim.NodeID{clientID}, To: etcdID, Label: "client>etcd"}, sim.Budget{Times: 4, Within: 20})
		w.AddFault(&sim.RestartProcess{Nodes: []sim.NodeID{clientID}, Label: "client"}, sim.Budget{Times: 1, Within: 20})
		w.AddFault(&sim.RestartProcess{Nodes: []sim.NodeID{etcdID}, Label: "etcd"}, sim.Budget{Times: 1, Within: 20})
		s := simtest.NewSwapper(seed)
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
		tally(w)
	}
	t.Logf("%d pairs, %d of them swapped; %d cells changed", pairs, swapped, changed)
	assert.Greater(t, min(swapped, changed), 20_000)
}
