// Package writes has the properties of writes through an API server: Create, GuaranteedUpdate and
// Delete, whose first attempt rests on an object that may be old.
//
// What a request asks of an object is said here once more, and not taken from the simulation.
// The package must never import sim/cache or sim/client.
package writes

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/moments"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// write is one of a client that was answered.
type write struct {
	client  string
	call    int64
	request sim.Payload
	answer  sim.Payload
	// from and to are etcd's revisions when it was asked for and when it was answered: it took
	// place at one of them, or in between.
	from, to int64
	// known is the newest revision at which a client was answered.
	known int64
	log   *model.Log
}

// judge judges the writes of a run one by one.
type judge struct {
	system  *testbed.System
	moments *moments.Recorder
	look    func(w *write, all *testbed.Tally)
}

func judgeOf(look func(w *write, all *testbed.Tally)) func(*testbed.System) testbed.Judge {
	return func(s *testbed.System) testbed.Judge { return &judge{s, moments.Of(s), look} }
}

// Reset implements testbed.Judge.
func (*judge) Reset() {}

// Finding implements testbed.Judge.
func (j *judge) Finding(*sim.World) explore.Finding {
	var all testbed.Tally
	known := j.known()
	for i, c := range j.system.Clients() {
		spans := c.Spans()
		for k := range spans {
			if spans[k].Write == nil {
				continue
			}
			at := &j.moments.Operations(i)[k]
			j.look(&write{
				client: c.Name(), call: c.Operations()[k].Call, request: c.Requests()[k], answer: spans[k].Write,
				from: at.Asked.Revision, to: at.Answered.Revision, known: known, log: j.system.Truth().Log(),
			}, &all)
		}
	}
	return all.Finding()
}

// known is the newest revision of etcd at which a client was answered.
func (j *judge) known() int64 {
	newest := int64(0)
	for i := range j.system.Clients() {
		for _, at := range j.moments.Operations(i) {
			if at.Over {
				newest = max(newest, at.Answered.Revision)
			}
		}
	}
	return newest
}

// key is that of the object.
func (w *write) key() string {
	switch r := w.request.(type) {
	case *wire.CreateRequest:
		return r.Key
	case *wire.GuaranteedUpdateRequest:
		return r.Key
	case *wire.DeleteRequest:
		return r.Key
	}
	return ""
}

// at is the object at a revision, nil if there is none.
func (w *write) at(revision int64) *model.Item {
	s := w.log.At(revision)
	if s == nil {
		return nil
	}
	return s.Get(w.key())
}

// sometime reports whether something was so of the object while the write was under way.
func (w *write) sometime(so func(o *model.Item) bool) bool {
	for rev := w.from; rev <= w.to; rev++ {
		if so(w.at(rev)) {
			return true
		}
	}
	return false
}

// made reports whether a revision was made while the write was under way.
func (w *write) made(revision int64) bool { return w.from < revision && revision <= w.to }

// Concerns implements explore.Concerned.
func (w *write) Concerns() explore.Concern {
	return explore.Concern{Client: w.client, Call: w.call, Revision: w.to, Key: w.key()}
}

func holds(o *model.Item, member string) bool { return slices.Contains(members(o), member) }

func members(o *model.Item) []string { return strings.Split(o.Value, wire.MemberSeparator) }

// shown is what there was of an object, in words.
func shown(o *model.Item) string {
	if o == nil {
		return "no such object"
	}
	return o.Key + "=" + o.Value
}
