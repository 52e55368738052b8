package reads

import (
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/evidence"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// NotFound looks at the resourceVersion of the error that there is no such object (storage.NewKeyNotFoundError). The
// caller of the storage sees it: a cache above it takes it for the state that it has read. etcd's storage left it out
// (kubernetes/kubernetes#142591). It is exercised by such answers to a GET. The messages of a node of another design
// do not have it.
var NotFound = testbed.RegisterProperty(&testbed.Property{
	Name: "get-not-found", Kind: testbed.Safety,
	Promise:  "The answer to a GET that finds no object has the resourceVersion of a state without it, which etcd had come to.",
	Violated: "missing at another revision",
	Labels:   map[string]string{"state": "missing at another revision", "future": "newer than etcd"},
	New:      evidence.EachOperation(notFound),
})

func notFound(r *evidence.Recorder, o *testbed.Operation, at *evidence.Call, all *testbed.Tally) {
	get, ok := o.Message.(*wire.GetRequest)
	if !ok || o.Outcome != model.Done || len(o.Result.Items) > 0 || at.Server == nil || at.Server.Design.OwnNode() {
		return
	}
	all.Exercised++
	rev, label := o.Span.Missing, ""
	then := r.System().Truth().At(rev)
	switch {
	case rev > at.Answered.Newest():
		label = "future"
	case rev <= 0, then != nil && then.Get(get.Key) != nil:
		label = "state"
	}
	if label != "" {
		o.Violate(all, label, "%s's %s found no object at resourceVersion %d, which is no state without it; etcd was at %d when it was answered",
			get.Label(), rev, at.Answered.Newest())
	}
}
