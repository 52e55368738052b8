package informers

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer/shared"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// notified follows what handlers of shared informers are told, for judges of single
// notifications.
type notified struct {
	system *testbed.System
	// seen is what there was after the last step, by informer.
	seen []seen
}

// seen is a process and its handlers.
type seen struct {
	process  int
	handlers []seenHandler
}

type seenHandler struct {
	told   int
	synced bool
}

func (f *notified) reset() {
	f.seen = f.seen[:0]
	for range f.system.Informers() {
		f.seen = append(f.seen, seen{})
	}
}

// of are the handlers of an informer as they were after the last step.
func (f *notified) of(n *testbed.Informer) []seenHandler {
	v := &f.seen[n.ID-f.system.Informers()[0].ID]
	if now := n.Record().Restarts; now != v.process || v.handlers == nil {
		*v = seen{now, make([]seenHandler, len(n.Shared().Handlers()))}
	}
	return v.handlers
}

// Follows implements testbed.Follower.
func (*notified) Follows(p testbed.Part) bool {
	return p == testbed.InformerNode || p == testbed.TheWorld
}

// each calls f for the handler that was told something in a step, if one was.
func (f *notified) each(a sim.Action, judge func(*testbed.Informer, int, *shared.Handler)) {
	for _, n := range f.system.InformersAfter(a) {
		s := n.Shared()
		if s == nil {
			continue
		}
		before := f.of(n)
		for i, h := range s.Handlers() {
			more := h.Told() > before[i].told
			before[i].told = h.Told()
			if more {
				judge(n, i, h)
			}
		}
	}
}

// handlerName is that of a handler in findings.
func handlerName(n *testbed.Informer, i int) string {
	return fmt.Sprintf("handler %d of %s", i+1, n.Name)
}

// misled is a handler that was told something that does not follow.
type misled struct {
	informer, handler string
	n                 shared.Notification
	had               *wire.KeyValue
}

func (m *misled) String() string {
	return fmt.Sprintf("%s is told that %s, and %s", m.handler, notice(&m.n), knows(m.had))
}

// Concerns implements explore.Concerned.
func (m *misled) Concerns() explore.Concern {
	kv := m.n.Object()
	return explore.Concern{Node: m.informer, Key: kv.Key, Revision: kv.ModRevision}
}

// notice is a notification in words.
func notice(n *shared.Notification) string {
	kv := n.Object()
	of := fmt.Sprintf("%s of revision %d", kv.Key, kv.ModRevision)
	switch {
	case n.Kind == shared.Added:
		return of + " was added"
	case n.Kind == shared.Deleted:
		return of + " was deleted"
	case n.Resyncs():
		return of + " is still so"
	}
	return fmt.Sprintf("%s of revision %d is now %s", kv.Key, n.Old.ModRevision, of)
}

func knows(had *wire.KeyValue) string {
	if had == nil {
		return "knows of no such object"
	}
	return fmt.Sprintf("knows of revision %d", had.ModRevision)
}
