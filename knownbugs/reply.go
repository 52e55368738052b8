package knownbugs

import (
	"strconv"

	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/reply"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// altered: what etcd sends is not what its store says.
type altered struct {
	sentence string
	about    sim.About
}

// Text implements sim.Note.
func (n altered) Text(*sim.World) string { return n.sentence }

// About implements sim.Subject.
func (n altered) About() sim.About { return n.about }

// A client that watches again from the revision that the response names would miss a
// deletion of the compacted revision.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "compaction-after-last",
	Summary:  "the response that ends a watch whose history is gone names the revision behind the compacted one",
	Setting:  "named-compaction=after-last",
	Scenario: scenarios.CompactedWatch, Property: etcdapi.WatchAnswers,
	Why: "etcd was never compacted at the revision that the client is told",
})

var _ = reply.Compactions.Register("after-last", "the revision behind the last one: no release",
	func(env *sim.Env, last int64) int64 {
		if env.Noting() {
			env.Note(altered{"ends a watch and names a compaction that it has not made", sim.About{Revision: last + 1}})
		}
		return last + 1
	})

// etcd counts the keys of a range before it looks at the bounds of revisions.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "count-of-selection",
	Summary:  "a range with bounds of revisions is answered the number of keys within the bounds, and not that of all keys of the range",
	Setting:  "answers=count-of-selection",
	Scenario: scenarios.AnyEtcdRequests, Property: reads.LinearizableData,
	Why:        "the keys are right and their number is not",
	Further:    []*testbed.Property{reads.Linearizable, reads.Exact, etcdapi.Answers},
	WhyFurther: "each of them compares the number as well",
})

var _ = reply.Answers.Register("count-of-selection", "of a range the number of keys within the bounds of revisions: no release",
	func(env *sim.Env, _, right sim.Payload) sim.Payload {
		r, ok := right.(*wire.RangeResponse)
		if !ok || r.More || len(r.Kvs) == 0 || r.Count == int64(len(r.Kvs)) {
			return right
		}
		if env.Noting() {
			env.Note(altered{"counts the keys that it sends, and not those of the range", sim.About{Revision: r.Revision, Key: r.Kvs[0].Key}})
		}
		wrong := *r
		wrong.Count = int64(len(r.Kvs))
		return &wrong
	})

// The deletion itself is right: a client that only reads keys sees nothing of it.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "deletes-count-one",
	Summary:  "the deletion of a range is answered as if it had deleted one key",
	Setting:  "answers=deletes-count-one",
	Scenario: scenarios.AnyEtcdRequests, Property: reads.Linearizable,
	Why:        "no order of the writes has the range with one key in it",
	Further:    []*testbed.Property{reads.LinearizableData, etcdapi.Answers},
	WhyFurther: "the answer is wrong at its revision, too",
})

var _ = reply.Answers.Register("deletes-count-one", "of a deletion that one key is deleted, however many are: no release",
	func(env *sim.Env, _, right sim.Payload) sim.Payload {
		d, ok := right.(*wire.DeleteRangeResponse)
		if !ok || d.Deleted < 2 {
			return right
		}
		if env.Noting() {
			env.Note(altered{"answers that one key is deleted, and more were", sim.About{Revision: d.Revision}})
		}
		wrong := *d
		wrong.Deleted = 1
		return &wrong
	})

// A cache makes the object of DELETED from the previous value. Without selectors nothing
// else depends on it.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "deleted-without-value",
	Summary:  "the previous value of a deletion has the revisions of the key, and no value",
	Setting:  "sent-events=deleted-without-value",
	Scenario: scenarios.ErrorsAtRest, Property: watches.EventTypes,
	Why: "DELETED has to carry the last state of the object",
})

var _ = reply.Events.Register("deleted-without-value", "those of the store, but the previous values of deletions are empty: no release",
	func(env *sim.Env, right []wire.Event) []wire.Event {
		var wrong []wire.Event
		for i, e := range right {
			if e.Type != wire.Delete || e.PrevKv == nil {
				continue
			}
			if wrong == nil {
				wrong = append(wrong, right...)
			}
			prev := *e.PrevKv
			prev.Value = ""
			wrong[i].PrevKv = &prev
			if env.Noting() {
				env.Note(altered{"sends the deletion of " + e.Kv.Key + " without its last value", sim.About{Revision: e.Kv.ModRevision, Key: e.Kv.Key}})
			}
		}
		if wrong == nil {
			return right
		}
		return wrong
	})

// Clients put the fragments together, so that nothing else shows it.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "fragment-for-each-event",
	Summary:  "a response that is too large for one message is split behind each event",
	Setting:  "fragments=single",
	Scenario: scenarios.AnyEtcdRequests, Property: etcdapi.Fragments,
	Why: "two events would have had room in one fragment",
})

// As if the previous value was read behind the write.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "new-value-as-previous",
	Summary:  "a put that asks for the previous value is answered the new one",
	Setting:  "answers=new-value-as-previous",
	Scenario: scenarios.AnyEtcdRequests, Property: etcdapi.Answers,
	Why:        "the model knows the value before the write",
	Further:    []*testbed.Property{reads.Linearizable, reads.LinearizableData},
	WhyFurther: "in no order of the writes is the value of a put there before it",
})

var _ = reply.Answers.Register("new-value-as-previous", "of a put the new value where the previous one is asked for: no release",
	func(env *sim.Env, request, right sim.Payload) sim.Payload {
		p, ok := right.(*wire.PutResponse)
		if !ok || p.PrevKv == nil {
			return right
		}
		put := request.(*wire.PutRequest)
		if env.Noting() {
			env.Note(altered{"answers the new value of " + put.Key + " as the previous one", sim.About{Revision: p.Revision, Key: put.Key}})
		}
		wrong, prev := *p, *p.PrevKv
		prev.Value = put.Value
		wrong.PrevKv = &prev
		return &wrong
	})

// sendLoop does not look up the previous value of a key that is created. One that did, at
// the revision of the event instead of the one before, would find the key itself.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "previous-of-created",
	Summary:  "the event that creates a key carries a previous value, although there was none",
	Setting:  "sent-events=previous-of-created",
	Scenario: scenarios.PreviousValues, Property: watches.PrevKV,
	Why: "the event itself is right",
})

var _ = reply.Events.Register("previous-of-created", "those of the store, but a key that is created is its own previous value: no release",
	func(env *sim.Env, right []wire.Event) []wire.Event {
		var wrong []wire.Event
		for i, e := range right {
			if e.Type != wire.Put || e.Kv.CreateRevision != e.Kv.ModRevision {
				continue
			}
			if wrong == nil {
				wrong = append(wrong, right...)
			}
			wrong[i].PrevKv = e.Kv
			if env.Noting() {
				env.Note(altered{"sends the creation of " + e.Kv.Key + " at revision " + strconv.FormatInt(e.Kv.ModRevision, 10) + " with a previous value", sim.About{Revision: e.Kv.ModRevision, Key: e.Kv.Key}})
			}
		}
		if wrong == nil {
			return right
		}
		return wrong
	})

// kine, which serves etcd's API from an SQL database, did so from its first release on. A
// client that watches from the revision of its list then watches from history that may be
// compacted.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "requested-revision-in-header", Issue: "k3s-io/kine#595",
	Summary:  "the answer to a read of the past names the revision that was asked for as the one that etcd is at",
	Setting:  "answers=requested-revision",
	Scenario: scenarios.AnyEtcdRequests, Property: etcdapi.Answers,
	Why: "the contents are right, and etcd was past that revision when it was asked",
})

var _ = reply.Answers.Register("requested-revision", "of a range at a revision that etcd is at this revision: no release (kine#595)",
	func(env *sim.Env, request, right sim.Payload) sim.Payload {
		asked, isRange := request.(*wire.RangeRequest)
		r, answered := right.(*wire.RangeResponse)
		if !isRange || !answered || asked.Revision <= 0 || asked.Revision == r.Revision {
			return right
		}
		if env.Noting() {
			env.Note(altered{"answers with the revision that is asked for, and not with its own", sim.About{Revision: r.Revision, Key: asked.Key}})
		}
		wrong := *r
		wrong.Revision = asked.Revision
		return &wrong
	})

// What bbolt returns is valid within its transaction only. Events whose values are not
// copied share the buffer with what is read later.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "events-share-value",
	Summary:  "all events of a response to a watch have the value of the last one",
	Setting:  "sent-events=share-value",
	Scenario: scenarios.WatchGuarantees, Property: watches.Reliable,
	Why: "key, revisions and version of each event are right, and its value was never written with them",
})

var _ = reply.Events.Register("share-value", "those of the store, with the value of the last put in all of them: no release",
	func(env *sim.Env, right []wire.Event) []wire.Event {
		if len(right) < 2 || right[len(right)-1].Type != wire.Put {
			return right
		}
		last := right[len(right)-1].Kv
		wrong := make([]wire.Event, len(right))
		for i, e := range right {
			if e.Type == wire.Put {
				kv := *e.Kv
				kv.Value = last.Value
				e.Kv = &kv
			}
			wrong[i] = e
		}
		if env.Noting() {
			env.Note(altered{"sends all events of a response with the value of the last one, " + last.Value, sim.About{Revision: last.ModRevision, Key: last.Key}})
		}
		return wrong
	})
