package informers

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer/shared"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// HandlerKnows compares what a handler was told with the store of its informer, whenever nothing waits to be told
// to it. It is exercised by each of these moments at which the handler knows of something.
var HandlerKnows = testbed.RegisterProperty(&testbed.Property{
	Name: "handler-knows", Kind: testbed.Safety,
	Promise:  "A handler to which nothing waits to be told knows exactly what is in the store of its informer, from when it was added.",
	Violated: "handler differs from the store",
	Labels: map[string]string{
		"missing": "handler never told of an object", "ghost": "handler never told of a deletion", "stale": "handler never told of a change",
	},
	Weight:    2,
	Past:      testbed.NoPast,
	TimedPast: testbed.NoPast,
	New:       func(s *testbed.System) testbed.Judge { return &handlerKnows{system: s} },
})

type handlerKnows struct {
	system *testbed.System
	tally  testbed.Tally
}

// Reset implements testbed.Judge.
func (j *handlerKnows) Reset() { j.tally = testbed.Tally{} }

// Follows implements testbed.Follower.
func (*handlerKnows) Follows(p testbed.Part) bool {
	return p == testbed.InformerNode || p == testbed.TheWorld
}

// AfterStep implements testbed.StepObserver.
func (j *handlerKnows) AfterStep(_ *sim.World, a sim.Action) {
	for _, n := range j.system.InformersAfter(a) {
		s := n.Shared()
		if s == nil || !s.Idle() {
			continue
		}
		for i, h := range s.Handlers() {
			if !h.Listens() || h.Pending() > 0 || s.Len()+h.Len() == 0 {
				continue
			}
			j.tally.Exercised++
			if d := differ(s, h); d != nil {
				d.informer, d.handler = n.Name, handlerName(n, i)
				j.tally.Violate(d.label(), d)
			}
		}
	}
}

// Finding implements testbed.Judge.
func (j *handlerKnows) Finding(*sim.World) explore.Finding { return j.tally.Finding() }

// differ is the first object of which a handler knows something else than the store; nil if there is none.
func differ(s *shared.Informer, h *shared.Handler) *ignorant {
	var d *ignorant
	s.Ascend(func(kv *wire.KeyValue) bool {
		if known := h.Get(kv.Key); known == nil || *known != *kv {
			d = &ignorant{store: kv, known: known}
		}
		return d == nil
	})
	if d != nil || s.Len() == h.Len() {
		return d
	}
	h.Ascend(func(kv *wire.KeyValue) bool {
		if stored := s.Get(kv.Key); stored == nil {
			d = &ignorant{known: kv, without: s.Version()}
		}
		return d == nil
	})
	return d
}

// ignorant is a handler that does not know what is in the store.
type ignorant struct {
	informer, handler string
	store, known      *wire.KeyValue
	// without is the resourceVersion of the store if that has no such object.
	without int64
}

func (d *ignorant) label() string {
	switch {
	case d.known == nil:
		return "missing"
	case d.store == nil:
		return "ghost"
	}
	return "stale"
}

func (d *ignorant) String() string {
	switch {
	case d.known == nil:
		return fmt.Sprintf("%s is to be told nothing more, and does not know of %s of revision %d, which is in the store", d.handler, d.store.Key, d.store.ModRevision)
	case d.store == nil:
		return fmt.Sprintf("%s is to be told nothing more, and still knows of %s of revision %d, which is not in the store", d.handler, d.known.Key, d.known.ModRevision)
	}
	return fmt.Sprintf("%s is to be told nothing more, and still knows revision %d of %s; the store has revision %d", d.handler, d.known.ModRevision, d.store.Key, d.store.ModRevision)
}

// Concerns implements explore.Concerned. Where the object is gone it is about the state without it.
func (d *ignorant) Concerns() explore.Concern {
	if d.store == nil {
		return explore.Concern{Node: d.informer, Key: d.known.Key, Revision: d.without}
	}
	return explore.Concern{Node: d.informer, Key: d.store.Key, Revision: d.store.ModRevision}
}
