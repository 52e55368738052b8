package knownbugs

import (
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// A client that watches again from the revision that the response names would miss a
// deletion of the compacted revision.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "compaction-after-last",
	Summary:  "the response that ends a watch whose history is gone names the revision behind the compacted one",
	Setting:  "named-compaction=after-last",
	Scenario: scenarios.CompactedWatch, Property: etcdapi.WatchAnswers,
	Why: "etcd was never compacted at the revision that the client is told",
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

// A cache makes the object of DELETED from the previous value. Without selectors nothing
// else depends on it.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "deleted-without-value",
	Summary:  "the previous value of a deletion has the revisions of the key, and no value",
	Setting:  "sent-events=deleted-without-value",
	Scenario: scenarios.ErrorsAtRest, Property: watches.EventTypes,
	Why: "DELETED has to carry the last state of the object",
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

// sendLoop does not look up the previous value of a key that is created. One that did, at
// the revision of the event instead of the one before, would find the key itself.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "previous-of-created",
	Summary:  "the event that creates a key carries a previous value, although there was none",
	Setting:  "sent-events=previous-of-created",
	Scenario: scenarios.PreviousValues, Property: watches.PrevKV,
	Why: "the event itself is right",
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

// What bbolt returns is valid within its transaction only. Events whose values are not
// copied share the buffer with what is read later.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "events-share-value",
	Summary:  "all events of a response to a watch have the value of the last one",
	Setting:  "sent-events=share-value",
	Scenario: scenarios.WatchGuarantees, Property: watches.Reliable,
	Why: "key, revisions and version of each event are right, and its value was never written with them",
})
