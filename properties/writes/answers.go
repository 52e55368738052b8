package writes

import (
	"fmt"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// Answers holds the object that a write was answered with against etcd's. It is exercised by such
// answers.
var Answers = testbed.RegisterProperty(&testbed.Property{
	Name: "write-answers", Kind: testbed.Safety,
	Promise: "The object in the answer to a write through an API server is one that etcd had between request and answer, and " +
		"that the write has made, unless it had nothing to change; a deletion is answered the object that it has deleted, with the revision of the deletion.",
	Violated:  "wrong answer to a write",
	Labels:    map[string]string{"not-created": "creation not made", "not-deleted": "deletion not made", "not-there": "object that is not there"},
	Weight:    7,
	Past:      pastOf,
	TimedPast: pastOf,
	Remembers: true,
	New:       judgeOf(lookAtAnswer),
})

func lookAtAnswer(w *write, all *testbed.Tally) {
	answer, done := w.answer.(*wire.ObjectResponse)
	if !done {
		return
	}
	all.Exercised++
	o, rev := answer.Item, answer.Item.ModRevision
	switch w.request.(type) {
	case *wire.CreateRequest:
		if !w.made(rev) || w.at(rev-1) != nil || !shows(o, w.at(rev)) {
			all.Violate("not-created", &wrongAnswer{w})
		}
	case *wire.DeleteRequest:
		deleted := w.at(rev - 1)
		if !w.made(rev) || w.at(rev) != nil || deleted == nil || deleted.Value != o.Value ||
			o.CreateRevision != 0 && o.CreateRevision != deleted.CreateRevision || o.Version != 0 && o.Version != deleted.Version {
			all.Violate("not-deleted", &wrongAnswer{w})
		}
	default:
		if !w.sometime(func(have *model.Item) bool { return shows(o, have) }) {
			all.Violate("not-there", &wrongAnswer{w})
		}
	}
}

// shows reports whether an object is etcd's. Kubernetes tells clients of no revision but the
// resourceVersion.
func shows(o *wire.KeyValue, have *model.Item) bool {
	return have != nil && o.Key == have.Key && o.Value == have.Value && o.ModRevision == have.ModRevision &&
		(o.CreateRevision == 0 || o.CreateRevision == have.CreateRevision) && (o.Version == 0 || o.Version == have.Version)
}

// wrongAnswer is an answer of which etcd knows nothing.
type wrongAnswer struct{ *write }

func (a *wrongAnswer) String() string {
	return fmt.Sprintf("%s asked for %s and was answered %s; etcd had %s at revision %d, when that was asked, and %s at revision %d, when it was answered",
		a.client, a.request.Label(), a.answer.Label(), shown(a.at(a.from)), a.from, shown(a.at(a.to)), a.to)
}
