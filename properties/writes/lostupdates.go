package writes

import (
	"fmt"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// NoLostUpdates follows what each update has added through the committed writes, as far as clients
// have been answered. It is exercised by each update that was answered with an object.
var NoLostUpdates = testbed.RegisterProperty(&testbed.Property{
	Name: "no-lost-updates", Kind: testbed.Safety,
	Promise:   "What an update through an API server was told to have added to an object is there once, and stays until the object is deleted.",
	Violated:  "update lost",
	Labels:    map[string]string{lost: "update lost", unwritten: "update never made", twice: "update made twice"},
	Weight:    9,
	Past:      pastOf,
	TimedPast: pastOf,
	Remembers: true,
	New:       judgeOf(lookForLostUpdate),
})

// The labels of a violation.
const (
	lost      = "lost"
	unwritten = "unwritten"
	twice     = "twice"
)

func lookForLostUpdate(w *write, all *testbed.Tally) {
	r, updates := w.request.(*wire.GuaranteedUpdateRequest)
	answer, done := w.answer.(*wire.ObjectResponse)
	if !updates || !done {
		return
	}
	all.Exercised++
	made := answer.Item.ModRevision
	first := w.at(made)
	if first == nil || !holds(first, r.Add) {
		all.Violate(unwritten, &lostUpdate{w, r.Add, made, first})
		return
	}
	for rev := made; rev <= w.known; rev++ {
		o := w.at(rev)
		if o == nil || o.CreateRevision != first.CreateRevision {
			return
		}
		n := 0
		for _, m := range members(o) {
			if m == r.Add {
				n++
			}
		}
		switch {
		case n == 0:
			all.Violate(lost, &lostUpdate{w, r.Add, rev, o})
			return
		case n > 1:
			all.Violate(twice, &lostUpdate{w, r.Add, rev, o})
			return
		}
	}
}

// lostUpdate is an update that is not to be seen as it was answered.
type lostUpdate struct {
	*write
	member   string
	revision int64
	object   *model.Item
}

func (l *lostUpdate) String() string {
	return fmt.Sprintf("%s was told that it has added %s: %s; at revision %d etcd has %s",
		l.client, l.member, l.answer.Label(), l.revision, shown(l.object))
}
