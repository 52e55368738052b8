package reflector_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/reflector"
	"github.com/watchbed/watchbed/sim/wire"
)

// sink writes down what a reflector gives it.
type sink struct {
	log []string
	// locked: it takes no events. slow: it does not ask for the next one.
	locked, slow bool
}

func (s *sink) BeginListAndWatch(*sim.Env) { s.log = append(s.log, "begin") }
func (s *sink) EndListAndWatch(*sim.Env)   { s.log = append(s.log, "end") }

func (s *sink) Replace(_ *sim.Env, items []*wire.KeyValue, _ *wire.Initial, resourceVersion int64) {
	s.log = append(s.log, fmt.Sprintf("replace with %d objects at %d", len(items), resourceVersion))
}

func (s *sink) Event(env *sim.Env, e *wire.WatchEvent) bool {
	if s.locked {
		return false
	}
	s.log = append(s.log, fmt.Sprintf("event at %d", e.ResourceVersion))
	if !s.slow {
		env.Enable(0)
	}
	return true
}

// host is a node that is nothing but a reflector. Its task asks for the next event.
type host struct {
	reflector reflector.Reflector
	sink      sink
}

func (h *host) Start(env *sim.Env) {
	h.reflector.Reset(reflector.Config{KV: 1, Watch: 1, Prefix: "/pods/", PageSize: 2}, &h.sink)
	h.reflector.ListAndWatch(env)
}

func (h *host) Receive(env *sim.Env, m *sim.Message) {
	switch p := m.Payload.(type) {
	case *wire.WatchEvent:
		h.reflector.Event(env, m.Conn, p)
	case *sim.Hangup:
		h.reflector.Hangup(env, m.Conn)
	default:
		h.reflector.Answer(env, m.Conn, p)
	}
}

func (h *host) Fire(env *sim.Env, _ sim.Timer) { h.reflector.ListAndWatch(env) }
func (h *host) Run(env *sim.Env, _ sim.Task)   { h.reflector.Next(env) }
func (h *host) TaskName(sim.Task) string       { return "next" }
func (h *host) TimerName(sim.Timer) string     { return "relist" }

// etcd answers a list in two pages, and each watch with events of the revisions
// that a test gives, 0 for compaction.
type etcd struct {
	starts    []int64
	revisions []int64
}

func (s *etcd) Start(*sim.Env) {}

func (s *etcd) Receive(env *sim.Env, m *sim.Message) {
	switch p := m.Payload.(type) {
	case *wire.RangeRequest:
		page := &wire.RangeResponse{Revision: 5, Kvs: []*wire.KeyValue{{Key: "/pods/c", ModRevision: 4}}}
		if p.Key == "/pods/" {
			page.Kvs, page.More = []*wire.KeyValue{{Key: "/pods/a", ModRevision: 2}, {Key: "/pods/b", ModRevision: 3}}, true
		}
		env.Send(m.Conn, page)
	case *wire.WatchStart:
		s.starts = append(s.starts, p.Revision)
		for _, revision := range s.revisions {
			e := &wire.WatchEvent{Type: wire.Bookmark, ResourceVersion: revision}
			if revision == 0 {
				e = &wire.WatchEvent{Type: wire.Failed, Err: &wire.Error{Code: wire.ErrCompacted}}
			}
			env.Send(m.Conn, e)
		}
		s.revisions = nil
	}
}

func (s *etcd) Run(*sim.Env, sim.Task)     {}
func (s *etcd) Fire(*sim.Env, sim.Timer)   {}
func (s *etcd) TaskName(sim.Task) string   { return "" }
func (s *etcd) TimerName(sim.Timer) string { return "" }

type first struct{}

func (first) Pick(*sim.World, []sim.Action) int      { return 0 }
func (first) Choose(*sim.World, int, string) (n int) { return 0 }

// run carries out steps until nothing can happen.
func run(h *host, s *etcd) {
	w := sim.NewWorld(sim.Options{})
	w.Add("etcd", s)
	w.Add("host", h)
	w.Start(first{})
	for range 50 {
		w.Step(first{})
	}
}

func TestListWatchAndRelist(t *testing.T) {
	h, s := &host{}, &etcd{revisions: []int64{6, 9, 0}}
	run(h, s)
	require.Equal(t, []string{
		"begin", "replace with 3 objects at 5", "event at 6", "event at 9", "end",
		"begin", "replace with 3 objects at 5",
	}, h.sink.log)
	require.Equal(t, []int64{5, 5}, s.starts)
	require.Equal(t, 2, h.reflector.Starts())
}

func TestEventsComeOneByOne(t *testing.T) {
	h, s := &host{sink: sink{slow: true}}, &etcd{revisions: []int64{6, 9}}
	run(h, s)
	require.Equal(t, []string{"begin", "replace with 3 objects at 5", "event at 6"}, h.sink.log, "the sink has not asked for the next one")
}

func TestLockedSinkStopsTheWatch(t *testing.T) {
	h, s := &host{sink: sink{locked: true}}, &etcd{revisions: []int64{6, 0}}
	run(h, s)
	require.Equal(t, []string{"begin", "replace with 3 objects at 5"}, h.sink.log, "not even the end of the watch is read")
}
